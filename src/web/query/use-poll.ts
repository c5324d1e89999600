import { pollMsOf } from '../lib/live-topics.ts'
import { liveState, useLiveState } from './live.ts'
import { useMoment } from './use-moment.ts'

/** Of a question, as the cache wants it. */
export type Poll = (query: { readonly state: { readonly status: 'pending' | 'error' | 'success' } }) => number | false

/**
 * How often a question is asked again: never while the page shows a moment or stands still, rarely while changes are told.
 * One that failed is tried again soon, whoever tells what.
 * @param key the first part of its key in the cache
 */
export function usePollMs(key: string, everyMs: number): Poll {
  const state = useLiveState()
  const isPast = useMoment() !== undefined
  return ({ state: { status } }) => {
    if (isPast) return false
    return pollMsOf(key, everyMs, status === 'error' && state === 'live' ? 'polling' : liveState())
  }
}
