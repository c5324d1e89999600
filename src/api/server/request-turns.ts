/**
 * Requests that arrive together: an event loop reads all sockets that are ready before it does anything else, so 2,000 of
 * them would hold the thread for a second. Those of one turn are handled for some milliseconds, the rest in later turns,
 * in the order in which they arrived. Their bodies stay unread until then.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/** For how long requests are handled in one turn of the event loop. */
const TURN_MS = 25

interface Waiting {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** @param nowMs monotonic */
export function inTurns(handle: RequestListener, nowMs: () => number = () => performance.now()): RequestListener {
  const waiting: Waiting[] = []
  /** Of the first request in this turn; NaN: there was none. */
  let startedMs = NaN
  const nextTurn = (): void => {
    startedMs = NaN
    for (let at = 0; at < waiting.length; at++) {
      if (isOver()) {
        waiting.splice(0, at)
        return
      }
      const { request, response } = waiting[at]!
      // The client left.
      if (!request.destroyed) handle(request, response)
    }
    waiting.length = 0
  }
  const isOver = (): boolean => {
    if (!Number.isNaN(startedMs)) return nowMs() - startedMs >= TURN_MS
    startedMs = nowMs()
    setImmediate(nextTurn)
    return false
  }
  // HOT: once per request.
  return (request, response) => {
    if (waiting.length > 0 || isOver()) waiting.push({ request, response })
    else handle(request, response)
  }
}
