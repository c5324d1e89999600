/**
 * What stays of a cluster's facts when they are derived anew and what they once were derived from may be gone. Pure.
 * Up to a time the older record knows more; from then on the new one says all.
 */
import type { Modification, VersionInterval } from './cluster-record.ts'
import type { ClusterFacts } from './fleet-facts.ts'
import type { UpgradeRecord } from './upgrade.ts'

export function withKept(
  before: Omit<ClusterFacts, 'cluster'>,
  derived: ClusterFacts,
  keepBeforeMs: number,
): ClusterFacts {
  const upgrades = before.upgrades.filter((record) => overMs(record) < keepBeforeMs)
  const modifications = before.modifications.filter((modification) => endMs(modification) < keepBeforeMs)
  const intervals = before.intervals.filter(({ untilMs }) => (untilMs ?? Infinity) < keepBeforeMs)
  const isKnown = knownIds(upgrades.map(({ upgrade }) => upgrade))
  const isKnownModification = knownIds(modifications)
  return {
    cluster: derived.cluster,
    upgrades: [
      ...upgrades,
      ...derived.upgrades.filter((record) => {
        if (isKnown(record.upgrade)) return false
        return overMs(record) >= keepBeforeMs || !upgrades.some((kept) => isSameUpgrade(kept, record))
      }),
    ],
    intervals: [...intervals, ...laterIntervals(before.intervals, intervals, derived.intervals)],
    modifications: [...modifications, ...derived.modifications.filter((derived) => !isKnownModification(derived))],
  }
}

function knownIds(kept: readonly { readonly id: string }[]): (other: { readonly id: string }) => boolean {
  const ids = new Set(kept.map(({ id }) => id))
  return ({ id }) => ids.has(id)
}

/** When nothing more happens to it. */
function overMs({ upgrade, detail }: UpgradeRecord): number {
  return upgrade.endedMs ?? (upgrade.state === 'in_progress' ? Infinity : detail.observedUntilMs)
}

function endMs({ kind, startedMs, endedMs }: Modification): number {
  return endedMs ?? (kind === 'out_of_band' ? (startedMs ?? Infinity) : Infinity)
}

/** One upgrade under two ids: with less evidence the id is another one. */
function isSameUpgrade(a: UpgradeRecord, b: UpgradeRecord): boolean {
  if (a.upgrade.operator !== b.upgrade.operator || a.upgrade.to !== b.upgrade.to) return false
  const startOf = ({ upgrade }: UpgradeRecord): number => upgrade.startedMs ?? upgrade.endedMs ?? -Infinity
  return startOf(a) <= overMs(b) && startOf(b) <= overMs(a)
}

/** Without what kept intervals say already; one that was cut where the observations begin keeps its older start. */
function laterIntervals(
  before: readonly VersionInterval[],
  kept: readonly VersionInterval[],
  derived: readonly VersionInterval[],
): readonly VersionInterval[] {
  return derived.flatMap((interval) => {
    const { operator, version, fromMs, untilMs, isStartKnown } = interval
    if (kept.some((old) => old.operator === operator && old.untilMs! >= (untilMs ?? Infinity))) return []
    const older = before.find((old) => {
      return (
        old.operator === operator &&
        old.version === version &&
        old.fromMs < fromMs &&
        (old.untilMs ?? Infinity) >= fromMs
      )
    })
    if (isStartKnown || older === undefined || kept.includes(older)) return [interval]
    return [{ ...interval, fromMs: older.fromMs, isStartKnown: older.isStartKnown }]
  })
}
