/** Readiness in the contract's shape. */
import type {
  AcceptanceItem,
  AcceptedItem,
  ClusterReadinessItem,
  FoundHazardItem,
  HazardItem,
  HazardItems,
  ReadinessFacets as FacetsItem,
  ReadyClusterItem,
  TargetItem,
  UnknownHazardItem,
} from '../../contract/readiness.ts'
import { groupBy } from '../../base/group-by.ts'
import type { FailedShare, HazardCalibration } from '../../fleet/readiness/calibration.ts'
import type { ClusterReadiness, FoundHazard, ReadinessFacets } from '../../fleet/readiness/readiness-index.ts'
import type { Hazard } from '../../fleet/readiness/hazard.ts'
import { hazardOf } from '../../fleet/readiness/hazards/hazards.ts'
import { targetText } from '../../fleet/readiness/target.ts'
import type { AcceptedRisk, Target } from '../../model/readiness.ts'
import { timeOf } from './items.ts'

export function targetItem(target: Target): TargetItem {
  return { operator: target.operator, version: target.version, to: targetText(target) }
}

/** @param isPast what is not known may have been reported, and is not stored for the moment */
export function readinessItem(found: ClusterReadiness, isPast: boolean): ClusterReadinessItem {
  return { target: targetItem(found.target), ...fieldsOf(found, isPast) }
}

export function readyClusterItem(found: ClusterReadiness, isPast: boolean): ReadyClusterItem {
  const { cluster, hcoVersion, platform } = found.record
  return {
    cluster,
    version: hcoVersion ?? null,
    platformVersion: platform?.version ?? null,
    ...fieldsOf(found, isPast),
  }
}

function fieldsOf({ verdict, isSilent, hazards }: ClusterReadiness, isPast: boolean) {
  const present = hazards.flatMap((one) => foundItem(one))
  const rank = ({ accepted, verdict: of }: FoundHazardItem): number =>
    accepted === null ? Number(of === 'at_risk') : 2
  return {
    verdict,
    silent: isSilent,
    hazards: present.sort((a, b) => rank(a) - rank(b)),
    unknown: hazards.flatMap((one) => unknownItem(one, isPast)),
  }
}

function foundItem({ id, finding, accepted }: FoundHazard): readonly FoundHazardItem[] {
  if (finding.state !== 'present') return []
  const { title, consequence, runbook } = hazardOf(id)
  const { verdict, text, sinceMs, evidence, fix } = finding
  return [
    {
      ...{ id, title, verdict, text, consequence, runbook },
      since: timeOf(sinceMs),
      fix: { text: fix.text, command: fix.command ?? null },
      evidence: evidence.map(({ atMs, source, text: of, ref, phase = null }) => {
        return { source, at: timeOf(atMs), text: of, ref, phase }
      }),
      accepted: accepted === undefined ? null : acceptedItem(accepted),
    },
  ]
}

function unknownItem({ id, finding }: FoundHazard, isPast: boolean): readonly UnknownHazardItem[] {
  if (finding.state !== 'unknown') return []
  const { title, signals } = hazardOf(id)
  const text = isPast
    ? finding.text.replace(/^Not reported: /, 'Not reported, or not stored for this time: ')
    : finding.text
  return [{ id, title, text, signals }]
}

function acceptedItem({ id, hazard, reason, by, acceptedMs, expiresMs }: AcceptedRisk): AcceptedItem {
  return { id, hazard, reason, by, acceptedAt: timeOf(acceptedMs), expiresAt: timeOf(expiresMs) }
}

/** One item for each acceptance and state, the newest first: an acceptance may be withdrawn on some of its clusters. */
export function acceptanceItems(all: readonly AcceptedRisk[], nowMs: number): readonly AcceptanceItem[] {
  const stateOf = ({ withdrawn, expiresMs }: AcceptedRisk): AcceptanceItem['state'] =>
    withdrawn !== undefined ? 'withdrawn' : nowMs < expiresMs ? 'in_effect' : 'expired'
  const groups = groupBy(all, (one) => `${one.id} ${stateOf(one)} ${one.withdrawn?.atMs ?? 0}`)
  return [...groups.values()].toReversed().map((ofOne) => {
    const first = ofOne[0]!
    return {
      ...acceptedItem(first),
      state: stateOf(first),
      withdrawnAt: timeOf(first.withdrawn?.atMs),
      withdrawnBy: first.withdrawn?.by ?? null,
      clusters: ofOne.map(({ cluster }) => cluster),
    }
  })
}

export function facetsItem({ verdicts, hazards, versions }: ReadinessFacets): FacetsItem {
  return {
    verdicts,
    hazards: hazards.map(({ hazard, present, accepted, unknown }) => {
      const { id, title, consequence, runbook } = hazardOf(hazard)
      return { id, title, consequence, runbook, present, accepted, unknown }
    }),
    versions: versions.map(({ value, count }) => ({ value: value ?? null, count })),
  }
}

export function hazardItem({ id, title, signals, consequence, runbook, sources }: Hazard): HazardItem {
  return { id, title, signals, consequence, runbook, sources }
}

export function calibrationItem(found: HazardCalibration): HazardItems['hazards'][number]['calibration'] {
  const { withHazard, withoutHazard, difference, result } = found
  return {
    withHazard: shareItem(withHazard),
    withoutHazard: shareItem(withoutHazard),
    difference: difference ?? null,
    result,
  }
}

function shareItem({ upgrades, failed, interval }: FailedShare) {
  return { upgrades, failed, low: interval?.low ?? null, high: interval?.high ?? null }
}
