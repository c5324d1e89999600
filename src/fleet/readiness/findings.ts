/** The findings of all hazards for one cluster and a target. What does not depend on the version is evaluated once per operator. */
import type { ClusterRecord, Modification } from '../../model/cluster-record.ts'
import {
  TARGET_OPERATORS,
  type HazardFinding,
  type HazardId,
  type RiskAlert,
  type Target,
} from '../../model/readiness.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { hcoReleaseOf } from '../derive/hco-release.ts'
import { described, NOT_APPLICABLE, type Evaluated, type HazardCluster, type PatchFindings } from './hazard.ts'
import { HAZARDS } from './hazards/hazards.ts'
import { MODIFICATION_AGE_MS } from './hazards/out-of-band.ts'
import { platformTarget } from './target.ts'
import { setsOf, type HazardSets } from './verdict.ts'

export interface FindingsInput {
  readonly record: ClusterRecord
  readonly modifications: readonly Modification[]
  readonly upgrades: readonly UpgradeRecord[]
  readonly alerts: readonly RiskAlert[] | undefined
  readonly patchFindings?: PatchFindings | undefined
  readonly nowMs: number
}

/** Modifications that a hazard may read: JSON patches in effect, and recent out-of-band modifications. */
export function relevantModifications(modifications: readonly Modification[], nowMs: number): readonly Modification[] {
  return modifications.filter(({ kind, startedMs, endedMs }) => {
    return kind === 'jsonpatch' ? endedMs === undefined : (endedMs ?? startedMs ?? nowMs) >= nowMs - MODIFICATION_AGE_MS
  })
}

/** Upgrades whose control plane is in progress; one that waits for its approval has not started. */
export function openUpgradesOf(upgrades: readonly UpgradeRecord[]): HazardCluster['open'] {
  return upgrades.flatMap(({ upgrade: { state, operator, to, startedMs } }) =>
    state === 'in_progress' && startedMs !== undefined ? [{ operator, to, startedMs }] : [],
  )
}

export function hazardClusterOf(input: FindingsInput): HazardCluster {
  const { record, modifications, upgrades, alerts, patchFindings, nowMs } = input
  const { hcoVersion, platform, hazards = {} } = record
  return {
    record,
    facts: hazards,
    release: hcoVersion === undefined ? undefined : hcoReleaseOf(hcoVersion),
    ...platformVersionOf(platform),
    modifications: relevantModifications(modifications, nowMs),
    // Without metrics no rule finds anything: only an alert that the cluster sends itself says something.
    alerts: record.coverage.metrics || (alerts?.length ?? 0) > 0 ? alerts : undefined,
    open: openUpgradesOf(upgrades),
    patchFindings,
    nowMs,
  }
}

function platformVersionOf(
  platform: ClusterRecord['platform'],
): Pick<HazardCluster, 'platformMinor' | 'platformPatch'> {
  const version = platform?.kind === 'openshift' ? platform.version : undefined
  const parsed = version === undefined ? undefined : platformTarget(version)
  return { platformMinor: parsed?.minor, platformPatch: parsed?.patch }
}

/** Findings of one cluster as of one moment. */
export class ClusterFindings {
  readonly cluster: HazardCluster
  readonly #shared = new Map<
    Target['operator'],
    { readonly findings: readonly Evaluated[]; readonly sets: HazardSets }
  >()

  constructor(cluster: HazardCluster) {
    this.cluster = cluster
  }

  /** HOT: of ten thousand clusters for each target. */
  sets(target: Target): HazardSets {
    let { notRecommended, atRisk, unknown } = this.#sharedOf(target).sets
    for (const index of BY_TARGET[target.operator]) {
      const finding = HAZARDS[index]!.evaluate(this.cluster, target)
      if (finding.state === 'unknown') unknown |= 1 << index
      if (finding.state !== 'present') continue
      if (finding.verdict === 'not_recommended') notRecommended |= 1 << index
      else atRisk |= 1 << index
    }
    return { notRecommended, atRisk, unknown }
  }

  /** In the order of the hazards. */
  all(target: Target): readonly { readonly id: HazardId; readonly finding: HazardFinding }[] {
    const { findings } = this.#sharedOf(target)
    return HAZARDS.map((hazard, i) => {
      const isOfVersion = hazard.byTarget === true && Object.hasOwn(hazard.verdicts, target.operator)
      return { id: hazard.id, finding: described(isOfVersion ? hazard.evaluate(this.cluster, target) : findings[i]!) }
    })
  }

  #sharedOf(target: Target) {
    let shared = this.#shared.get(target.operator)
    if (shared === undefined) {
      const findings = HAZARDS.map(({ verdicts, byTarget }, i) =>
        byTarget === true || !Object.hasOwn(verdicts, target.operator)
          ? NOT_APPLICABLE
          : HAZARDS[i]!.evaluate(this.cluster, target),
      )
      const sets = setsOf(findings)
      this.#shared.set(target.operator, (shared = { findings, sets }))
    }
    return shared
  }
}

/** The hazards whose finding depends on the version, by operator. */
const BY_TARGET = Object.fromEntries(
  TARGET_OPERATORS.map((operator) => [
    operator,
    HAZARDS.flatMap(({ byTarget, verdicts }, i) => (byTarget === true && Object.hasOwn(verdicts, operator) ? [i] : [])),
  ]),
) as unknown as Readonly<Record<Target['operator'], readonly number[]>>
