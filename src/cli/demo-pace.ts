/** How a simulated fleet is brought up: a small one whole and in order, thousands of clusters so that there is something to see soon. */
import { formatDuration } from '../model/duration.ts'

export interface DemoPace {
  /** Clusters send through relays, and the past of their metrics is sparse. */
  readonly isRelayed: boolean
  /** How long before the history objects tell of. */
  readonly pastMs: number
  /** How long before the present the rules are evaluated over the made-up past, and how often. */
  readonly replayMs: number
  readonly replayStepMs: number
  /** What is sent, as the console says it. */
  readonly sending: string
}

/** Two hours of every scrape of so many clusters are 19 million samples. */
export const WHOLE_CLUSTERS_MAX = 1000

/** Longer than the year that pages show at most. Of thousands of clusters it takes a third of an hour to be read. */
const PAST_MS = 395 * 24 * 60 * 60_000

/** How often the rules are evaluated over the past: what a group with a common interval would do. */
const STEP_MS = 30_000
/** Alerts are known to fire from one evaluation to the next, if these are not further apart than samples may be. */
const LARGE_STEP_MS = 5 * 60_000
/** Rules that wait for an hour have waited for it. */
const LARGE_REPLAY_MS = 65 * 60_000

/** @param pastMs `undefined`: as long as suits so many clusters */
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
