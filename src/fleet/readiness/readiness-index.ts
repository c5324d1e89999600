/**
 * The readiness of all clusters, in memory: facts of a cluster are put as they change, and what does not depend on a target
 * is evaluated once until then. A query evaluates the rest for its target. Nothing here reads a clock.
 */
import { groupBy } from '../../base/group-by.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { ClusterFacts } from '../../model/fleet-facts.ts'
import {
  HAZARD_IDS,
  READINESS_VERDICTS,
  type AcceptedRisk,
  type HazardFinding,
  type HazardId,
  type ReadinessVerdict,
  type RiskAlert,
  type Target,
} from '../../model/readiness.ts'
import type { ClusterMatch } from '../clusters/cluster-index.ts'
import type { FacetValue } from '../clusters/cluster-facets.ts'
import { shownVersion, type ClusterFilter } from '../clusters/cluster-filter.ts'
import { pageOf, type PageQuery, type Place } from '../past/keyset.ts'
import { RELEASES } from '../releases.ts'
import { compareVersions } from '../version-order.ts'
import { acceptanceOf, acceptedAt, isOfKnownHazard } from './accepted.ts'
import { CalibrationCounts, type HazardCalibration } from './calibration.ts'
import {
  ClusterFindings,
  hazardClusterOf,
  openUpgradesOf,
  relevantModifications,
  type FindingsInput,
} from './findings.ts'
import { createPatchAnalyser, createPatchKeys } from '../patches/patch-analyser.ts'
import type { PatchFindings } from './hazard.ts'
import { HAZARDS } from './hazards/hazards.ts'
import { defaultTarget, knownTargets, nextTarget, positionOf } from './target.ts'
import { verdictOf, type HazardSets } from './verdict.ts'

export interface ReadinessQuery extends PageQuery, ClusterFilter {
  /** Absent: the newest version of HCO in use. */
  readonly target?: Target
  readonly verdicts?: readonly ReadinessVerdict[]
  /** Clusters that have this hazard, accepted or not. */
  readonly hazard?: HazardId
  readonly hasFacets?: boolean
}

export interface FoundHazard {
  readonly id: HazardId
  readonly finding: HazardFinding
  /** Absent: the risk is not accepted. */
  readonly accepted?: AcceptedRisk
}

export interface ClusterReadiness {
  readonly record: ClusterRecord
  readonly target: Target
  readonly verdict: ReadinessVerdict
  readonly isSilent: boolean
  /** All hazards, in their order. */
  readonly hazards: readonly FoundHazard[]
}

/** Counts over all clusters that the filter matches, whatever their verdict. */
export interface ReadinessFacets {
  readonly verdicts: Readonly<Record<ReadinessVerdict, number>>
  /** Clusters with the hazard, those of them whose risk is accepted, and those whose signal is missing. */
  readonly hazards: readonly {
    readonly hazard: HazardId
    readonly present: number
    readonly accepted: number
    readonly unknown: number
  }[]
  /** Versions of HCO of the candidates, the newest first. */
  readonly versions: readonly FacetValue[]
}

export interface ReadinessPage {
  readonly target: Target
  readonly clusters: readonly ClusterReadiness[]
  /** How many candidates fit, on all pages. */
  readonly total: number
  /** Clusters that the filter matches and that run the target or a newer version; that have no such operator or platform. */
  readonly reached: number
  readonly others: number
  readonly facets?: ReadinessFacets
  readonly next?: Place
}

export interface ReadinessIndex {
  put(facts: ClusterFacts): void
  remove(cluster: string): void
  /** Replaces all firing alerts. */
  readonly setAlerts: (alerts: readonly RiskAlert[]) => void
  /** Replaces all accepted risks. */
  readonly accept: (accepted: readonly AcceptedRisk[]) => void
  readonly accepted: () => readonly AcceptedRisk[]
  /** @param clusters those that the filter of the query matches */
  list(clusters: Iterable<ClusterMatch>, query: ReadinessQuery, nowMs: number): ReadinessPage
  /** @param target absent: the next minor of its version of HCO; `undefined`: the cluster has no version of HCO */
  of(cluster: ClusterMatch, target: Target | undefined, nowMs: number): ClusterReadiness | undefined
  readonly calibration: () => readonly HazardCalibration[]
  /** A copy with some clusters. @param shown changes records */
  only(isIncluded: (cluster: string) => boolean, shown: (record: ClusterRecord) => ClusterRecord): ReadinessIndex
}

/** Ages of modifications are counted to these minutes: findings older than that are evaluated again. */
const FRESH_MS = 5 * 60_000

type Stored = Pick<FindingsInput, 'record' | 'modifications' | 'upgrades'>

export function createReadinessIndex(): ReadinessIndex {
  const analyse = createPatchAnalyser()
  const keyOf = createPatchKeys()
  const patchFindings: PatchFindings = (patch, installed, target, apiVersion) =>
    analyse(keyOf(patch), patch, installed, target, apiVersion)
  return createIndexFrom(new Map(), new CalibrationCounts(), patchFindings)
}

/** The index owns the map and the counts. */
function createIndexFrom(
  stored: Map<string, Stored>,
  counts: CalibrationCounts,
  patchFindings: PatchFindings,
): ReadinessIndex {
  const evaluated = new Map<string, ClusterFindings>()
  /** Not known until they are passed for the first time. */
  let alerts: ReadonlyMap<string, readonly RiskAlert[]> | undefined
  let acceptedOf: ReadonlyMap<string, readonly AcceptedRisk[]> = new Map()
  let allAccepted: readonly AcceptedRisk[] = []

  const findingsOf = (record: ClusterRecord, nowMs: number): ClusterFindings => {
    const { cluster } = record
    const known = evaluated.get(cluster)
    if (known !== undefined && Math.abs(nowMs - known.cluster.nowMs) < FRESH_MS) return known
    const { modifications, upgrades, record: own } = stored.get(cluster) ?? { modifications: [], upgrades: [], record }
    const input = {
      record: own,
      modifications,
      upgrades,
      alerts: alerts && (alerts.get(cluster) ?? NO_ALERTS),
      patchFindings,
      nowMs,
    }
    const made = new ClusterFindings(hazardClusterOf(input))
    evaluated.set(cluster, made)
    return made
  }
  const acceptedBy = (cluster: string): readonly AcceptedRisk[] => acceptedOf.get(cluster) ?? NONE_ACCEPTED
  const detailed = ({ record, isSilent }: ClusterMatch, target: Target, verdict: ReadinessVerdict, nowMs: number) => {
    const accepted = acceptedBy(record.cluster)
    const hazards = findingsOf(record, nowMs)
      .all(target)
      .map(({ id, finding }): FoundHazard => {
        const acceptance = acceptanceOf(accepted, id, nowMs)
        return { id, finding, ...(acceptance === undefined ? {} : { accepted: acceptance }) }
      })
    return { record, target, verdict, isSilent, hazards }
  }
  const put = (facts: ClusterFacts): void => {
    const { cluster: record, modifications, upgrades } = facts
    const { cluster, lastSeenMs } = record
    // Modifications that are older than their time limit when the cluster was last seen stay so.
    stored.set(cluster, {
      record,
      modifications: relevantModifications(modifications, lastSeenMs),
      upgrades:
        openUpgradesOf(upgrades).length === 0 ? [] : upgrades.filter(({ upgrade }) => upgrade.state === 'in_progress'),
    })
    evaluated.delete(cluster)
    counts.put(cluster, upgrades)
  }

  return {
    put,
    remove: (cluster) => {
      stored.delete(cluster)
      evaluated.delete(cluster)
      counts.put(cluster, [])
    },
    setAlerts: (all) => {
      const before = alerts
      alerts = groupBy(all, ({ cluster }) => cluster)
      if (before === undefined) evaluated.clear()
      for (const cluster of new Set([...(before?.keys() ?? []), ...alerts.keys()])) {
        if (JSON.stringify(before?.get(cluster)) !== JSON.stringify(alerts.get(cluster))) evaluated.delete(cluster)
      }
    },
    accept: (all) => {
      allAccepted = all.filter(isOfKnownHazard)
      acceptedOf = groupBy(allAccepted, ({ cluster }) => cluster)
    },
    accepted: () => allAccepted,
    list: (clusters, query, nowMs) => {
      const all = [...clusters]
      const target = query.target ?? defaultTarget(all.map(({ record }) => record))
      const { verdicts, hazard } = query
      const bit = hazard === undefined ? 0 : 1 << HAZARD_IDS.indexOf(hazard)
      const tally = createTally()
      const fitting: { readonly one: ClusterMatch; readonly verdict: ReadinessVerdict }[] = []
      let [reached, others] = [0, 0]
      for (const one of all) {
        const findings = findingsOf(one.record, nowMs)
        const position = positionOf(findings.cluster, target)
        if (position === 'reached') reached++
        if (position === 'other') others++
        if (position === 'reached' || position === 'other') continue
        const { cluster } = one.record
        const sets = findings.sets(target)
        const accepted = acceptedAt(acceptedBy(cluster), nowMs)
        // Where the version is not reported, nothing shows that the cluster can go to the target.
        const verdict = verdictOf(sets, accepted, one.isSilent || position === 'unknown')
        if (query.hasFacets === true) tally.add(one.record, sets, accepted, verdict)
        if (verdicts !== undefined && !verdicts.includes(verdict)) continue
        if (hazard !== undefined && ((sets.atRisk | sets.notRecommended) & bit) === 0) continue
        fitting.push({ one, verdict })
      }
      const order = { keyOf: keyOfCluster, idOf: keyOfCluster }
      const found = pageOf(fitting, order, { ...query, limit: query.limit + 1 })
      const page = found.slice(0, query.limit)
      const last = page.at(-1)
      return {
        target,
        clusters: page.map(({ one, verdict }) => detailed(one, target, verdict, nowMs)),
        total: fitting.length,
        reached,
        others,
        ...(query.hasFacets === true ? { facets: tally.facets() } : {}),
        ...(found.length > page.length && last !== undefined
          ? { next: { key: keyOfCluster(last), id: keyOfCluster(last) } }
          : {}),
      }
    },
    of: (one, wanted, nowMs) => {
      const target = wanted ?? nextTarget(one.record)
      if (target === undefined) return undefined
      const findings = findingsOf(one.record, nowMs)
      const position = positionOf(findings.cluster, target)
      const accepted = acceptedAt(acceptedBy(one.record.cluster), nowMs)
      const sets = findings.sets(target)
      return detailed(one, target, verdictOf(sets, accepted, one.isSilent || position === 'unknown'), nowMs)
    },
    calibration: () => counts.all(),
    only: (isIncluded, shown) => {
      const included = [...stored].filter(([cluster]) => isIncluded(cluster))
      const some = new Map(included.map(([cluster, one]) => [cluster, { ...one, record: shown(one.record) }]))
      const copy = createIndexFrom(some, counts.only(isIncluded), patchFindings)
      if (alerts !== undefined) {
        copy.setAlerts([...alerts.values()].flat().filter(({ cluster }) => isIncluded(cluster)))
      }
      copy.accept(allAccepted.filter(({ cluster }) => isIncluded(cluster)))
      return copy
    },
  }
}

const NO_ALERTS: readonly RiskAlert[] = []
const NONE_ACCEPTED: readonly AcceptedRisk[] = []

function keyOfCluster({ one }: { readonly one: ClusterMatch }): string {
  return one.record.cluster
}

function createTally() {
  const verdicts = Object.fromEntries(READINESS_VERDICTS.map((verdict) => [verdict, 0])) as Record<
    ReadinessVerdict,
    number
  >
  const hazards = HAZARDS.map(({ id }) => ({ hazard: id, present: 0, accepted: 0, unknown: 0 }))
  const versions = new Map<string | undefined, number>()
  return {
    add: (
      record: ClusterRecord,
      { atRisk, notRecommended, unknown }: HazardSets,
      accepted: number,
      verdict: ReadinessVerdict,
    ) => {
      verdicts[verdict]++
      const version = shownVersion(record)
      versions.set(version, (versions.get(version) ?? 0) + 1)
      const present = atRisk | notRecommended
      if ((present | unknown) === 0) return
      for (const [i, hazard] of hazards.entries()) {
        const bit = 1 << i
        if ((present & bit) !== 0) hazard.present++
        if ((present & accepted & bit) !== 0) hazard.accepted++
        if ((unknown & bit) !== 0) hazard.unknown++
      }
    },
    facets: (): ReadinessFacets => ({
      verdicts,
      hazards: hazards.filter(({ present, unknown }) => present + unknown > 0),
      versions: Array.from(versions, ([value, count]) => ({ ...(value === undefined ? {} : { value }), count })).sort(
        (a, b) => compareVersions(b.value ?? '', a.value ?? ''),
      ),
    }),
  }
}

/** All versions that clusters can be upgraded to, as far as known. @param imported as of `knownTargets` */
export function targetsOf(
  clusters: Iterable<Pick<ClusterRecord, 'platform' | 'hcoVersion'>>,
  imported: readonly string[],
): readonly Target[] {
  return knownTargets(RELEASES, clusters, imported)
}
