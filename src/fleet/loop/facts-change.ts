import type { VersionInterval } from '../../model/cluster-record.ts'
import type { ClusterFacts, FactsChange, ListChange } from '../../model/fleet-facts.ts'

/** What has to be written for the stored facts of a cluster to become others; `undefined`: nothing. */
export function factsChangeOf(stored: ClusterFacts | undefined, after: ClusterFacts): FactsChange | undefined {
  const isRecordSame = stored !== undefined && JSON.stringify(stored.cluster) === JSON.stringify(after.cluster)
  const change = {
    cluster: after.cluster.cluster,
    ...(isRecordSame ? {} : { record: after.cluster }),
    upgrades: listChangeOf(stored?.upgrades ?? [], after.upgrades, ({ upgrade }) => upgrade.id, JSON.stringify),
    intervals: listChangeOf(stored?.intervals ?? [], after.intervals, intervalKeyOf, intervalTextOf),
    modifications: listChangeOf(stored?.modifications ?? [], after.modifications, ({ id }) => id, JSON.stringify),
  }
  const lists = [change.upgrades, change.intervals, change.modifications]
  return isRecordSame && lists.every(({ removed, put }) => removed.length + put.length === 0) ? undefined : change
}

function listChangeOf<T>(
  stored: readonly T[],
  after: readonly T[],
  keyOf: (one: T) => string,
  textOf: (one: T) => string,
): ListChange<T> {
  const texts = new Map(stored.map((one) => [keyOf(one), textOf(one)]))
  const keys = new Set(after.map(keyOf))
  return {
    removed: stored.filter((one) => !keys.has(keyOf(one))),
    put: after.filter((one) => texts.get(keyOf(one)) !== textOf(one)),
  }
}

function intervalKeyOf({ operator, fromMs, version }: VersionInterval): string {
  return JSON.stringify([operator, fromMs, version])
}

/** Intervals are stored in columns, so the order of their properties means nothing. */
function intervalTextOf({ untilMs, isStartKnown, resolutionSeconds }: VersionInterval): string {
  return JSON.stringify([untilMs, isStartKnown, resolutionSeconds])
}
