import type { EventTopic } from '../../contract/events.ts'

/**
 * Which questions to the API a change of the fleet concerns, by the first part of their key in the cache, and how often
 * they are asked again for it at most: a large fleet changes every second, and its answers are large. Pure.
 */
export interface LiveTopic {
  readonly keys: readonly string[]
  readonly everyMs: number
}

export const LIVE_TOPICS: Readonly<Record<EventTopic, LiveTopic>> = {
  alerts: { keys: ['now', 'alerts', 'alert', 'alert-runs', 'rules'], everyMs: 10_000 },
  silences: { keys: ['silences'], everyMs: 2_000 },
  upgrades: {
    keys: ['now', 'upgrades-at-once', 'upgrades-of', 'newest-upgrades', 'stuck', 'upgrade', 'edges', 'cluster'],
    everyMs: 5_000,
  },
  clusters: { keys: ['now', 'cluster-counts', 'cluster', 'changes', 'modifications'], everyMs: 5_000 },
  rules: { keys: ['rules', 'runbook', 'runbooks', 'lint'], everyMs: 2_000 },
  dashboards: { keys: ['dashboards', 'dashboard'], everyMs: 2_000 },
}

const LIVE_KEYS = new Set(Object.values(LIVE_TOPICS).flatMap(({ keys }) => keys))

/** While changes are told, what they concern is asked this often all the same: a value may move and no state change. */
export const LIVE_POLL_MS = 60_000

/** How the page hears of changes. `paused`: the reader wants it to stand still. */
export type LiveState = 'live' | 'polling' | 'paused'

/** How often a question is asked again. @param key the first part of its key @param everyMs when nobody tells of changes */
export function pollMsOf(key: string, everyMs: number, state: LiveState): number | false {
  if (state === 'paused') return false
  return state === 'live' && LIVE_KEYS.has(key) ? Math.max(everyMs, LIVE_POLL_MS) : everyMs
}

/** The topic of an event; `undefined` for what this page does not know. */
export function topicOf(data: string): EventTopic | undefined {
  let topic: unknown
  try {
    ;({ topic } = JSON.parse(data) as { readonly topic?: unknown })
  } catch {
    return undefined
  }
  return typeof topic === 'string' && Object.hasOwn(LIVE_TOPICS, topic) ? (topic as EventTopic) : undefined
}

/**
 * Work that is asked for more often than it should be done: done at once when it rested long enough, else when it has.
 * Pure but for the timer it is given.
 */
export interface AtMostEvery {
  ask(): void
  /** What waits is not done any more. */
  cancel(): void
}

/** @param after calls once after so long; the answer cancels it */
export function atMostEvery(
  everyMs: number,
  run: () => void,
  after: (delayMs: number, run: () => void) => () => void,
): AtMostEvery {
  let cancelRest: (() => void) | undefined
  let isAsked = false
  const work = (): void => {
    isAsked = false
    cancelRest = after(everyMs, () => {
      cancelRest = undefined
      if (isAsked) work()
    })
    run()
  }
  return {
    ask: () => {
      if (cancelRest === undefined) work()
      else isAsked = true
    },
    cancel: () => {
      cancelRest?.()
      cancelRest = undefined
      isAsked = false
    },
  }
}
