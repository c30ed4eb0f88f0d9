import { makeCloakroom } from './open.js'

const script = document.currentScript
const Cloakroom = makeCloakroom(script instanceof HTMLScriptElement ? script.src : '')
Object.defineProperty(globalThis, 'Cloakroom', { value: Cloakroom, configurable: true })
