/** The start of a simulated fleet: a small one completely and in order, thousands of clusters so that data shows soon. */
import { formatDuration } from '../model/duration.ts'

export interface DemoPace {
  /** Clusters send through relays, and their past metrics are sparse. */
  readonly isRelayed: boolean
  /** The duration of the simulated history of objects. */
  readonly pastMs: number
  /** The duration of the simulated past over which rules are evaluated, and the interval. */
  readonly replayMs: number
  readonly replayStepMs: number
  /** What is sent, for the console. */
  readonly sending: string
}

/** Two hours of every scrape of this many clusters are 19 million samples. */
export const WHOLE_CLUSTERS_MAX = 1000

/** Longer than the year that pages show at most. With thousands of clusters it takes about 20 min to ingest. */
const PAST_MS = 395 * 24 * 60 * 60_000

/** The evaluation interval over the past: that of a common rule group. */
const STEP_MS = 30_000
/** An alert continues from one evaluation to the next if the interval is within the lookback. */
const LARGE_STEP_MS = 5 * 60_000
/** Enough for rules with a `for` of an hour to fire. */
const LARGE_REPLAY_MS = 65 * 60_000

/** @param pastMs `undefined`: the default for this number of clusters */
export function paceOf(clusters: number, historyMs: number, pastMs: number | undefined): DemoPace {
  const sending = `Sending ${formatDuration(historyMs)} of history of ${clusters} clusters`
  if (clusters <= WHOLE_CLUSTERS_MAX)
    return { isRelayed: false, pastMs: pastMs ?? PAST_MS, replayMs: historyMs, replayStepMs: STEP_MS, sending }
  return {
    isRelayed: true,
    pastMs: pastMs ?? 0,
    replayMs: Math.min(historyMs, LARGE_REPLAY_MS),
    replayStepMs: LARGE_STEP_MS,
    sending: `${sending}, metrics every 4 minutes`,
  }
}
