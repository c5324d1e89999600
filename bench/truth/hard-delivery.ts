/** Delivery that is worse than planned, where it hurts: every way in which it goes wrong is met in a fleet of a few. */
import type { ClusterHistory, Delivery } from '../../sim/history/cluster-history.ts'

const HOUR_MS = 3_600_000
/** Enough for each cluster to send some of it again. */
const REPEAT_SHARE = 0.1

/** By the cluster's number: cut off for hours around an upgrade and late, a Collector that starts anew in one, a wrong clock. */
export function hardened(history: ClusterHistory): ClusterHistory {
  const { index } = history.profile
  const way = WAYS[index % WAYS.length]!
  return { ...history, delivery: { ...way(history), repeatShare: REPEAT_SHARE } }
}

const WAYS: readonly ((history: ClusterHistory) => Delivery)[] = [
  ({ delivery }) => delivery,
  ({ delivery, upgrades }) => {
    const upgrade = upgrades.find(({ csv }) => csv.createdMs < Infinity)
    if (upgrade === undefined) return delivery
    const fromMs = upgrade.csv.createdMs - HOUR_MS
    return { ...delivery, outages: [{ fromMs, untilMs: fromMs + 5 * HOUR_MS, kind: 'late' }] }
  },
  ({ delivery }) => ({ ...delivery, skewMs: 75_000 }),
  ({ delivery }) => ({ ...delivery, skewMs: -75_000 }),
]
