/** Alerts that are new, or more frequent, after the upgrade to a version: which alerts are behind the signal of alerts. */
import type { Count, RatioInterval } from '../../model/rollout-verdict.ts'
import { shareBounds } from '../statistics/share-bounds.ts'
import type { NamedChange } from './cluster-counts.ts'

export interface AlertChange {
  readonly alertname: string
  /** Canary clusters on which it fired in the window after the upgrade. */
  readonly canary: Count
  /** Other windows in which it fired: before the upgrade, and both windows of clusters beside the canary. */
  readonly others: Count
  /** It fired in no other window. */
  readonly isNew: boolean
  /** Of the rate after the upgrade over the other rate: 95 % for each alert, at every look. Open above for a new alert. */
  readonly ratio: RatioInterval
}

const ALPHA = 0.05
/** Alerts shown. */
const ALERTS_MAX = 50

/** New ones first, then those that are most certainly more frequent. Only alerts with a higher rate. */
export function alertChanges(changes: readonly NamedChange[]): readonly AlertChange[] {
  const canaries = changes.filter(({ isCanary }) => isCanary)
  const after = countsOf(canaries.map((one) => one.after))
  const otherWindows = changes.flatMap(({ isCanary, before, after: later }) => (isCanary ? [before] : [before, later]))
  const others = countsOf(otherWindows)
  return [...after]
    .map(([alertname, count]): AlertChange => {
      const canary = { count, of: canaries.length }
      const other = { count: others.get(alertname) ?? 0, of: otherWindows.length }
      return { alertname, canary, others: other, isNew: other.count === 0, ratio: rateRatio(canary, other) }
    })
    .filter(({ ratio }) => ratio.value > 1)
    .sort((a, b) => {
      const isNewFirst = Number(b.isNew) - Number(a.isNew)
      return isNewFirst || (b.ratio.low ?? 0) - (a.ratio.low ?? 0) || (a.alertname < b.alertname ? -1 : 1)
    })
    .slice(0, ALERTS_MAX)
}

/** In how many windows each name is. */
function countsOf(windows: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const names of windows) for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** Given both counts together, the first is a share of them that depends on the ratio alone. */
function rateRatio(first: Count, second: Count): RatioInterval {
  const ratioOf = (share: number): number => (share / (1 - share)) * (second.of / first.of)
  const all = first.count + second.count
  const { low, high } = shareBounds(first.count, all, ALPHA / 2)
  return {
    value: second.count === 0 ? Infinity : ratioOf(first.count / all),
    low: ratioOf(low),
    ...(high < 1 ? { high: ratioOf(high) } : {}),
  }
}
