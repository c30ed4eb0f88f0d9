import { makeCloakroom } from './open.js'

export { CloakroomError } from './CloakroomError.js'

export const Cloakroom = makeCloakroom(import.meta.url)
export default Cloakroom
