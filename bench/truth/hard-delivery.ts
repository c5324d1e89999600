/** Delivery that is worse than planned, where it hurts: every way in which it goes wrong is met in a fleet of a few. */
import type { ClusterHistory, Delivery } from '../../sim/history/cluster-history.ts'

const HOUR_MS = 3_600_000
/** `in-order`: as it happens, once. `shuffled`: within half an hour, in any order. `repeated`: all of it twice, some of it late. */
export const DELIVERY_ORDERS = ['in-order', 'shuffled', 'repeated'] as const
export type DeliveryOrder = (typeof DELIVERY_ORDERS)[number]

/** Enough for each cluster to send some of it again. */
const REPEAT_SHARE = 0.1
/** Half of what a server takes behind the newest sample of a series. */
const SHUFFLED_MS = 30 * 60_000

/**
 * By the cluster's number: cut off for hours around an upgrade and late, a Collector that starts anew in one, a wrong clock.
 * @param order absent: a little of each
 */
export function hardened(history: ClusterHistory, order?: DeliveryOrder): ClusterHistory {
  const delivery = WAYS[history.profile.index % WAYS.length]!(history)
  switch (order) {
    case undefined:
      return { ...history, delivery: { ...delivery, repeatShare: REPEAT_SHARE } }
    case 'in-order': {
      const outages = delivery.outages.filter(({ kind }) => kind === 'gap')
      return { ...history, delivery: { ...delivery, outages, repeatShare: 0 } }
    }
    case 'shuffled':
      return { ...history, delivery: { ...delivery, repeatShare: REPEAT_SHARE, shuffledMs: SHUFFLED_MS } }
    case 'repeated':
      return { ...history, delivery: { ...delivery, repeatShare: 1 } }
  }
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
