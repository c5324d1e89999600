/**
 * Facts of a cluster, derived from all evidence that is stored, merged with the facts that were stored before. Pure.
 * Evidence expires: of what ended before `evidenceFromMs` the stored facts know more, from then on the derived ones are
 * complete. Facts are merged here and nowhere else.
 */
import type { VersionInterval, Modification } from '../../model/cluster-record.ts'
import {
  type ClusterFacts,
  type FactsChange,
  type ListChange,
  modificationKeyOf,
  upgradeKeyOf,
} from '../../model/fleet-facts.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { compareTexts } from '../version-order.ts'

/** @returns lists in the order in which `FleetFactsReader.cluster` reads them */
export function mergeFacts(
  stored: ClusterFacts | undefined,
  derived: ClusterFacts,
  evidenceFromMs: number,
): ClusterFacts {
  const { cluster } = derived
  return {
    cluster,
    upgrades: mergeUpgrades(stored?.upgrades ?? [], derived.upgrades, evidenceFromMs).sort(
      (a, b) => startOf(a) - startOf(b) || compareTexts(a.upgrade.id, b.upgrade.id),
    ),
    intervals: mergeIntervals(stored?.intervals ?? [], derived.intervals, evidenceFromMs).sort(
      (a, b) => compareTexts(a.operator, b.operator) || a.fromMs - b.fromMs || compareTexts(a.version, b.version),
    ),
    modifications: mergeModifications(stored?.modifications ?? [], derived.modifications, evidenceFromMs).sort(
      (a, b) => modificationKeyOf(a) - modificationKeyOf(b) || compareTexts(a.id, b.id),
    ),
    // As old as the evidence, which expires with them: an object that did not change since is evidence however old.
    ...(derived.values === undefined
      ? {}
      : { values: derived.values.filter(({ untilMs = Infinity }) => untilMs >= evidenceFromMs) }),
  }
}

function mergeUpgrades(
  stored: readonly UpgradeRecord[],
  derived: readonly UpgradeRecord[],
  evidenceFromMs: number,
): UpgradeRecord[] {
  const retained = stored.filter((record) => finishedMs(record) < evidenceFromMs)
  const ids = new Set(retained.map(({ upgrade }) => upgrade.id))
  const added = derived.filter((record) => {
    if (ids.has(record.upgrade.id)) return false
    return finishedMs(record) >= evidenceFromMs || !retained.some((old) => isSameUpgrade(old, record))
  })
  return [...retained, ...added]
}

function mergeModifications(
  stored: readonly Modification[],
  derived: readonly Modification[],
  evidenceFromMs: number,
): Modification[] {
  const retained = stored.filter((modification) => endMs(modification) < evidenceFromMs)
  const ids = new Set(retained.map(({ id }) => id))
  return [...retained, ...derived.filter(({ id }) => !ids.has(id))]
}

/** A derived interval that begins only where the evidence does takes the start of the stored one. */
function mergeIntervals(
  stored: readonly VersionInterval[],
  derived: readonly VersionInterval[],
  evidenceFromMs: number,
): VersionInterval[] {
  const retained = stored.filter(({ untilMs }) => (untilMs ?? Infinity) < evidenceFromMs)
  const later = derived.flatMap((interval) => {
    const { operator, version, fromMs, untilMs, isStartKnown } = interval
    if (retained.some((old) => old.operator === operator && old.untilMs! >= (untilMs ?? Infinity))) return []
    const older = stored.find((old) => {
      const isSameVersion = old.operator === operator && old.version === version
      return isSameVersion && old.fromMs < fromMs && (old.untilMs ?? Infinity) >= fromMs
    })
    if (isStartKnown || older === undefined || retained.includes(older)) return [interval]
    return [{ ...interval, fromMs: older.fromMs, isStartKnown: older.isStartKnown }]
  })
  return [...retained, ...later]
}

/** When nothing more happens to an upgrade. */
function finishedMs({ upgrade, detail }: UpgradeRecord): number {
  return upgrade.endedMs ?? (upgrade.state === 'in_progress' ? Infinity : detail.observedUntilMs)
}

function endMs({ kind, startedMs, endedMs }: Modification): number {
  return endedMs ?? (kind === 'out_of_band' ? (startedMs ?? Infinity) : Infinity)
}

/** One upgrade under two ids: with less evidence the id is another one. */
function isSameUpgrade(a: UpgradeRecord, b: UpgradeRecord): boolean {
  if (a.upgrade.operator !== b.upgrade.operator || a.upgrade.to !== b.upgrade.to) return false
  const fromMs = ({ upgrade }: UpgradeRecord): number => upgrade.startedMs ?? upgrade.endedMs ?? -Infinity
  return fromMs(a) <= finishedMs(b) && fromMs(b) <= finishedMs(a)
}

function startOf({ upgrade }: UpgradeRecord): number {
  return upgradeKeyOf(upgrade, 'started') as number
}

/** Stored facts of a cluster with those of a name that was joined into it: what no evidence shows any more stays. */
export function withFactsOf(stored: ClusterFacts | undefined, joined: ClusterFacts, cluster: string): ClusterFacts {
  const { upgrades, intervals, modifications } = joined
  return {
    cluster: stored?.cluster ?? { ...joined.cluster, cluster },
    upgrades: [
      ...(stored?.upgrades ?? []),
      ...upgrades
        .filter((record) => stored?.upgrades.some((own) => isSameUpgrade(own, record)) !== true)
        .map((record) => ({ ...record, upgrade: { ...record.upgrade, cluster } })),
    ],
    intervals: [
      ...(stored?.intervals ?? []),
      ...intervals
        .filter((interval) => stored?.intervals.some((own) => isAtOnce(own, interval)) !== true)
        .map((interval) => ({ ...interval, cluster })),
    ],
    modifications: [...(stored?.modifications ?? []), ...modifications.map((one) => ({ ...one, cluster }))],
  }
}

/** A cluster runs one version of an operator at a time. */
function isAtOnce(a: VersionInterval, b: VersionInterval): boolean {
  return a.operator === b.operator && a.fromMs < (b.untilMs ?? Infinity) && b.fromMs < (a.untilMs ?? Infinity)
}

/** Nothing of a cluster is stored any more. */
export function removalOf({ cluster: { cluster }, upgrades, intervals, modifications }: ClusterFacts): FactsChange {
  return {
    cluster,
    isGone: true,
    upgrades: { removed: upgrades, put: [] },
    intervals: { removed: intervals, put: [] },
    modifications: { removed: modifications, put: [] },
    values: [],
  }
}

/** What has to be written for the stored facts of a cluster to become others; `undefined`: nothing. */
export function factsChangeOf(stored: ClusterFacts | undefined, after: ClusterFacts): FactsChange | undefined {
  const isRecordSame = stored !== undefined && JSON.stringify(stored.cluster) === JSON.stringify(after.cluster)
  const change = {
    cluster: after.cluster.cluster,
    ...(isRecordSame ? {} : { record: after.cluster }),
    upgrades: listChangeOf(stored?.upgrades ?? [], after.upgrades, ({ upgrade }) => upgrade.id, JSON.stringify),
    intervals: listChangeOf(stored?.intervals ?? [], after.intervals, intervalKeyOf, intervalTextOf),
    modifications: listChangeOf(stored?.modifications ?? [], after.modifications, ({ id }) => id, JSON.stringify),
    ...(after.values === undefined || JSON.stringify(stored?.values ?? []) === JSON.stringify(after.values)
      ? {}
      : { values: after.values }),
  }
  const lists = [change.upgrades, change.intervals, change.modifications]
  return isRecordSame &&
    lists.every(({ removed, put }) => removed.length + put.length === 0) &&
    change.values === undefined
    ? undefined
    : change
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
