// What authorizes calls. The gateway takes an idempotency key in another session for another request, which it would carry out: so calls that
// repeat a key have one session, whatever the page's function gives by then, also in a form that the page has made again.

import { CloakroomError } from './CloakroomError.js'

/**
 * The session of a key. `open`: how many calls it was given with, but for those that were certainly not done.
 * @typedef {{ session?: string, open: number }} Held
 */

/**
 * By the address of the form's frames, which names gateway and form, and the key. A key whose call may have been done is never forgotten: a page that stays open keeps a session for each.
 * @type {Map<string | null | undefined, Held>}
 */
export const sessions = new Map()

/**
 * The session of a call that is given to the controller now: that of another call under its key, which may have been given since this one has asked.
 * @param {string | null | undefined} under The name of its key; a call without one has none.
 * @param {string | undefined} session
 */
export function hold(under, session) {
  const held = sessions.get(under) ?? { session, open: 0 }
  held.open++
  if (under) sessions.set(under, held)
  return held
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
