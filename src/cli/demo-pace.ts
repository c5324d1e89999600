/** The start of a simulated fleet: a small one completely and in order, thousands of clusters so that data shows soon. */
import { formatDuration } from '../model/duration.ts'

const MINUTE_MS = 60_000

export interface DemoPace {
  /** Clusters send through relays, and their past metrics are sparse. */
  readonly isRelayed: boolean
  /** The duration of the simulated history of metrics. */
  readonly historyMs: number
  /** Of it, the end with every scrape; before it metrics are sparse. */
  readonly denseMs: number
  /** The duration of the simulated history of objects. */
  readonly pastMs: number
  /** The simulated past over which rules are evaluated: periods in order, up to the present. */
  readonly replays: readonly RuleReplay[]
  /** What is sent, for the console. */
  readonly sending: string
}

interface RuleReplay {
  readonly lengthMs: number
  readonly stepMs: number
}

/** Six hours of metrics of this many clusters are 16 million samples. */
export const WHOLE_CLUSTERS_MAX = 1000

/** Longer than the year that pages show at most. With thousands of clusters it takes about 20 min to ingest. */
const PAST_MS = 395 * 24 * 60 * 60_000

/** The default range of dashboards on metrics of KubeVirt. */
const HISTORY_MS = 6 * 60 * 60_000
const LARGE_HISTORY_MS = 2 * 60 * 60_000
/** Enough for the rates and the `for` of alerts of the present. */
const DENSE_MS = 60 * 60_000

/** The evaluation interval over the past: that of a common rule group. */
const STEP_MS = 30_000
/** As metrics are. An alert, and a recorded series, continues to the next evaluation if the interval is within the lookback. */
const SPARSE_STEP_MS = 4 * 60_000
const LARGE_STEP_MS = 5 * 60_000
/** Enough for rules with a `for` of an hour to fire. */
const LARGE_REPLAY_MS = 65 * 60_000

/** What the demo starts with; the same seed makes the same fleet. */
export const DEMO_DEFAULTS = { clusters: 200, seed: 'daytwo' } as const

/** A series that is new to the server counts as modified for ten minutes (KubeVirtCRModified): that is before the history. */
export const BEFORE_HISTORY_MS = 20 * MINUTE_MS

/** Absent: the defaults for this number of clusters. */
export interface WishedPast {
  readonly historyMs?: number
  readonly pastMs?: number
}

export function paceOf(clusters: number, wished: WishedPast): DemoPace {
  const isRelayed = clusters > WHOLE_CLUSTERS_MAX
  const { historyMs = isRelayed ? LARGE_HISTORY_MS : HISTORY_MS, pastMs = isRelayed ? 0 : PAST_MS } = wished
  const sending = `Sending ${formatDuration(historyMs)} of history of ${clusters} clusters`
  if (isRelayed) {
    const replays = [{ lengthMs: Math.min(historyMs, LARGE_REPLAY_MS), stepMs: LARGE_STEP_MS }]
    return { isRelayed, historyMs, denseMs: 0, pastMs, replays, sending: `${sending}, metrics every 4 minutes` }
  }
  const denseMs = Math.min(historyMs, DENSE_MS)
  const replays = [
    { lengthMs: historyMs - denseMs, stepMs: SPARSE_STEP_MS },
    { lengthMs: denseMs, stepMs: STEP_MS },
  ]
  return { isRelayed, historyMs, denseMs, pastMs, replays, sending }
}

/** The times at which rules are evaluated, rising; the last one is the present. */
export function replayTimes(replays: readonly RuleReplay[], nowMs: number): readonly number[] {
  const times: number[] = []
  let timeMs = nowMs - replays.reduce((sum, { lengthMs }) => sum + lengthMs, 0)
  for (const { lengthMs, stepMs } of replays) {
    const endMs = timeMs + lengthMs
    for (; timeMs < endMs; timeMs += stepMs) times.push(timeMs)
    timeMs = endMs
  }
  return [...times, nowMs]
}
