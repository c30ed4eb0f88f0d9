// What authorizes calls. The gateway takes an idempotency key in another session for another request, which it would carry out: so calls that
// repeat a key have one session, whatever the page's function gives by then, also in a form that the page has made again.

import { CloakroomError } from './CloakroomError.js'

/**
 * The session of a key, if it has one. `count`: of the calls that it was given with, but for those that were not done.
 * @typedef {{ session?: string, count: number }} Held
 */
/**
 * A call. `under`: the name of its key among the sessions; a call without one has none. `held`: what it was given to the controller with.
 * @typedef {{ under?: string | null, held?: Held }} Keyed
 */

/**
 * By the address of the form's frames, which names gateway and form, and the key. A key whose call may have been done is never forgotten: a page
 * that stays open keeps a session for each. All scripts of the page have this one, also another version of them: what is in it keeps its names.
 * @type {Map<string | null | undefined, Held>}
 */
export const sessions = (/** @type {any} */ (globalThis)[Symbol.for('Cloakroom.session')] ??= new Map())

/**
 * The session of a call that is given to the controller now: that of another call under its key, which may have been given since this one has asked.
 * @param {Keyed} call
 */
export function hold(call) {
  const held = (call.held = /** @type {Held} */ (sessions.get(call.under) ?? call.held))
  held.count++
  if (call.under) sessions.set(call.under, held)
  return held
}

/**
 * A call was not done. Others under its key may have been, unless it was refused for want of a session: none of them had one.
 * @param {Keyed} call
 * @param {string} [mistake] Why the frame has not made it; absent if the gateway has refused it.
 */
export function forget({ under, held }, mistake) {
  if (!held) return
  if (((!mistake && !held.session) || !--held.count) && sessions.get(under) === held) sessions.delete(under)
}

/**
 * What authorizes the next call.
 * @param {import('./options.js').FormOptions} options
 */
export async function sessionText({ session }) {
  if (typeof session !== 'function') return session?.trim()
  try {
    return (await session())?.trim()
  } catch (cause) {
    throw new CloakroomError({ type: 'network', title: 'The page got no session', cause })
  }
}
