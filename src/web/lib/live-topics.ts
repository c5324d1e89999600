import type { EventTopic } from '../../contract/events.ts'

/**
 * The queries that a change of a topic affects, by the first part of their cache key, and the least time between two refetches:
 * a large fleet changes every second, and its answers are large. Pure.
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
  clusters: {
    keys: ['now', 'cluster-counts', 'cluster', 'changes', 'modifications', 'patches', 'patch'],
    everyMs: 5_000,
  },
  rules: { keys: ['rules', 'runbook', 'runbooks', 'lint'], everyMs: 2_000 },
  dashboards: { keys: ['dashboards', 'dashboard'], everyMs: 2_000 },
  work: { keys: ['runbook-work', 'outcomes', 'review'], everyMs: 2_000 },
}

const LIVE_KEYS = new Set(Object.values(LIVE_TOPICS).flatMap(({ keys }) => keys))

/** The poll interval while events arrive: values may change without an event. */
export const LIVE_POLL_MS = 60_000

/** How the page gets changes. `paused`: live updates are paused. */
export type LiveState = 'live' | 'polling' | 'paused'

/** The poll interval of a query. @param key the first part of its cache key @param everyMs without events */
export function pollMsOf(key: string, everyMs: number, state: LiveState): number | false {
  if (state === 'paused') return false
  return state === 'live' && LIVE_KEYS.has(key) ? Math.max(everyMs, LIVE_POLL_MS) : everyMs
}

/** The topic of an event; `undefined` for an unknown one. */
export function topicOf(data: string): EventTopic | undefined {
  let topic: unknown
  try {
    ;({ topic } = JSON.parse(data) as { readonly topic?: unknown })
  } catch {
    return undefined
  }
  return typeof topic === 'string' && Object.hasOwn(LIVE_TOPICS, topic) ? (topic as EventTopic) : undefined
}

/** Limits the rate of `run`: at once when the last run is long enough ago, else when it is. */
export interface AtMostEvery {
  ask(): void
  /** Drops a waiting call. */
  cancel(): void
}

/** @param after calls once after a delay; returns a function that cancels */
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
