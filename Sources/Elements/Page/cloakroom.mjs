import { makeCloakroom } from './open.js'

export const Cloakroom = makeCloakroom(import.meta.url)
export default Cloakroom
