/**
 * Why a call failed: the members of the gateway's problem body, or, where the gateway has sent none, `type` `network`, `timeout`,
 * `unexpectedResponse` or `blocked`.
 */
export class CloakroomError extends Error {
  /** @param {Record<string, any>} problem */
  constructor(problem) {
    super(problem.detail || problem.title || problem.type)
    this.name = 'CloakroomError'
    // `status`, `type`, `title`, `detail`, `requestId`, `code`, `reason`, `fields`, `cause`: those that there are.
    Object.assign(this, problem)
  }
}

/**
 * Of a call that was given to the gateway, which may have carried it out.
 * @param {string} title
 */
export const late = (title) => new CloakroomError({ type: 'timeout', title })

/**
 * Of what did not load.
 * @param {string} [label] Of the one field or card.
 */
export const blocked = (label) =>
  new CloakroomError({
    type: 'blocked', title: `The frame of ${label || 'the gateway'} did not load`,
    detail: 'The form must allow this page, and the page its frames.',
  })
