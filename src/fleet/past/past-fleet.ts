/**
 * The in-memory index of the fleet at a past moment: every record cut at the moment, and what follows from the records
 * computed again. Typical durations of phases are those of today.
 *
 * Upgrades are read only of clusters with an upgrade that changed after the moment: of the others no upgrade was open, and
 * their runs of edges are those of today. So a moment costs what happened since; half a year ago is nearly all upgrades, which
 * takes seconds in a large fleet. The caller caches the index for a while.
 */
import { groupBy } from '../../base/group-by.ts'
import { sharedTurn } from '../../base/thread-slices.ts'
import type { ValueInterval } from '../../model/cluster-value.ts'
import type { FleetFactsReader } from '../../model/fleet-facts.ts'
import type { RiskAlert } from '../../model/readiness.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import type { PhaseName, UpgradeRecord } from '../../model/upgrade.ts'
import { clusterAt, lastSeenAt } from '../clusters/cluster-at.ts'
import { createClusterIndex, type Silences } from '../clusters/cluster-index.ts'
import type { OpenUpgrade } from '../clusters/cluster-states.ts'
import { fallingEdges } from '../edges/falling-edges.ts'
import type { FleetIndex, ReadinessReader } from '../clusters/fleet-index.ts'
import { lastMsOf } from '../clusters/fleet-coverage.ts'
import { verdictOfGone } from '../clusters/gone.ts'
import type { FleetIndexReader } from '../fleet-view.ts'
import { eachUpgrade } from './past-pages.ts'
import { readPastReadiness } from './past-readiness.ts'
import { recordAt } from './record-at.ts'
import { cachedSilences } from '../silence/cached-silences.ts'
import { isOpen, type LastSeen } from '../stuck/stuck.ts'

/** Clusters whose past values are read before other calls run: some ten milliseconds. */
const VALUES_AT_ONCE = 100

export interface PastFleet extends FleetIndexReader {
  /** Of all clusters, also of those that were gone then. */
  openRecords(): readonly UpgradeRecord[]
}

/** What is read of the present: its clusters, its edges, and typical durations. */
export type PresentFleet = Pick<
  FleetIndex,
  'known' | 'edges' | 'judgeRecord' | 'settledMs' | 'decommissions' | 'goneAfterMs' | 'baseline' | 'readiness'
>

/** @param firing alerts that fired at the moment and are a risk of upgrades; `undefined`: not known */
export async function pastFleet(
  facts: Pick<FleetFactsReader, 'intervalsAt' | 'upgrades' | 'values' | 'modifications'>,
  present: PresentFleet,
  atMs: number,
  firing: () => Promise<readonly RiskAlert[] | undefined> = () => Promise.resolve(undefined),
): Promise<PastFleet> {
  const clusters = createClusterIndex(present.goneAfterMs)
  clusters.declare(present.decommissions())
  const unsettled = new Set<string>()
  for (const { cluster, record } of present.known()) {
    if (record !== undefined && present.settledMs(cluster) > atMs) unsettled.add(cluster)
  }
  const edges = present.edges.without(unsettled)
  const lost = new Set<string>()
  const upgrades = new Map<string, readonly UpgradeRecord[]>()
  for (const cluster of unsettled) {
    const cuts: UpgradeRecord[] = []
    for await (const record of eachUpgrade(facts, { cluster })) {
      const cut = recordAt(record, atMs)
      if (cut === undefined) continue
      cuts.push(cut)
      if (isProgressLost(record, atMs)) lost.add(record.upgrade.id)
    }
    edges.put(cluster, cuts)
    upgrades.set(cluster, cuts.filter(isOpen))
  }

  const intervals = groupBy(await facts.intervalsAt(atMs), ({ cluster }) => cluster)
  const names = Array.from(present.known(), ({ cluster, record }) => (record === undefined ? [] : [cluster])).flat()
  const values = new Map<string, readonly ValueInterval[]>()
  for (let from = 0; from < names.length; from += VALUES_AT_ONCE) {
    for (const [cluster, all] of await facts.values(names.slice(from, from + VALUES_AT_ONCE))) {
      // Only those of the moment stay in memory.
      values.set(
        cluster,
        all.filter(({ fromMs, untilMs = Infinity }) => fromMs <= atMs && atMs < untilMs),
      )
    }
    await sharedTurn()
  }
  for (const { cluster, record, lastSeen } of present.known()) {
    if (record === undefined) {
      // Only samples are known: when the cluster was first seen is unknown.
      if ((lastMsOf(lastSeen) ?? Infinity) <= atMs) clusters.markSeen(cluster, lastSeen)
      continue
    }
    const then = clusterAt({ cluster, record, lastSeen }, intervals.get(cluster) ?? [], values.get(cluster) ?? [], atMs)
    if (then === undefined) continue
    clusters.put(then, upgrades.get(cluster) ?? [])
    clusters.markSeen(cluster, lastSeenAt(lastSeen, atMs))
  }

  const isHere = ({ upgrade }: UpgradeRecord): boolean => clusters.goneAt(upgrade.cluster, atMs) === undefined
  const verdictOf = (record: UpgradeRecord): StuckVerdict => {
    const lastSeen = clusters.lastSeen(record.upgrade.cluster)
    const verdict = judgeAt(record, lost.has(record.upgrade.id), present, atMs, lastSeen)
    return isHere(record) ? verdict : verdictOfGone(verdict)
  }
  const open = clusters
    .open()
    .filter(isHere)
    .map((record): OpenUpgrade => ({ record, verdict: verdictOf(record) }))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const verdicts = new Map(open.map(({ verdict }) => [verdict.upgradeId, verdict]))
  const known = (record: UpgradeRecord): StuckVerdict => verdicts.get(record.upgrade.id) ?? verdictOf(record)
  const computed = cachedSilences(clusters, () => known, present.goneAfterMs)
  const silences = (): Silences => computed(atMs)
  let ready: Promise<ReadinessReader> | undefined
  const readReadiness = async (): Promise<ReadinessReader> => {
    const parts = { facts, clusters, verdictOf: known, upgrades, firing: await firing(), present: present.readiness }
    return readPastReadiness(parts, atMs)
  }
  return {
    edges,
    openRecords: () => clusters.open(),
    judge: (upgradeId) => {
      const record = clusters.open().find(({ upgrade }) => upgrade.id === upgradeId)
      return record && known(record)
    },
    baseline: () => present.baseline(),
    gone: () => clusters.gone(atMs),
    active: () => clusters.active(atMs),
    coverage: () => clusters.coverage(atMs),
    readiness: () => {
      ready ??= readReadiness()
      ready.catch(() => {
        ready = undefined
      })
      return ready
    },
    open: () => open,
    fallingEdges: () => fallingEdges(edges.runs(), atMs),
    silences,
    clusters: (query) => clusters.list(query, known, atMs, silences()),
    cluster: (name) => clusters.find(name, known, atMs, silences()),
    lastReportOf: (name) => clusters.lastReportOf(name),
    // Of what was offered only the present is stored.
    notOffered: () => [],
  }
}

/** When an upgrade last progressed is stored for the present only. */
function isProgressLost({ detail: { lastProgressMs = -Infinity } }: UpgradeRecord, atMs: number): boolean {
  return lastProgressMs > atMs
}

/**
 * The verdict on a cut record. The progress of single nodes or VMs within a phase is not stored: a phase that progressed
 * after the moment may have progressed before it too, so it is not considered stuck.
 */
function judgeAt(
  record: UpgradeRecord,
  isLost: boolean,
  present: PresentFleet,
  atMs: number,
  lastSeen: LastSeen,
): StuckVerdict {
  const verdict = present.judgeRecord(record, atMs, lastSeen)
  if (!verdict.isStuck || !isLost || verdict.phase === undefined || !goesBySteps(verdict.phase)) return verdict
  const { upgradeId, phase, phaseSinceMs, baseline, silentSinceMs } = verdict
  return {
    upgradeId,
    isStuck: false,
    phase,
    ...(phaseSinceMs === undefined ? {} : { phaseSinceMs }),
    ...(silentSinceMs === undefined ? {} : { silentSinceMs }),
    ...(baseline === undefined ? {} : { baseline }),
    causes: [],
  }
}

function goesBySteps(phase: PhaseName): boolean {
  return phase === 'virt_handler.waves' || phase === 'workloads' || phase.startsWith('platform')
}

function keyOf({ record: { upgrade } }: OpenUpgrade): string {
  return `${upgrade.cluster}\u0000${upgrade.id}`
}
