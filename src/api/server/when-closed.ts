import type { ServerResponse } from 'node:http'

/**
 * Calls `listener` once, when the response has left or its connection has ended; at once if that was before, as when a client
 * leaves while its token is checked: then there is no event any more.
 */
export function whenClosed(response: ServerResponse, listener: () => void): void {
  if (response.closed) listener()
  else response.once('close', listener)
}
