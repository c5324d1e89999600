import type { TruthAlert, Condition } from './truth-alert.ts'
import { productVersion } from './cluster-profile.ts'
import { operandConditions } from './truth-operands.ts'
import type { Release } from './release.ts'
import type { ClusterPlan } from './cluster-plan.ts'
import { isMisconfigured, isTooStrict } from './scenarios/descheduler.ts'
import { FAULTY_IMAGE, hasFault } from './scenarios/golden-images.ts'
import { ERROR, healthWindowAt } from './scenarios/health.ts'
import { COMPONENT_NAMES, EDIT_ALERT_MS, editsBetween } from './scenarios/out-of-band.ts'
import { silenceAt } from './scenarios/silence.ts'
import { unsafePatchAt } from './scenarios/unsafe.ts'
import { ANNOTATION_NAMES } from './scenarios/habits.ts'
import { movesOf, openUpgradeAt, type StallKind, type UpgradePlan } from './scenarios/upgrade.ts'
import { HOUR_MS, MINUTE_MS } from './scenarios/window.ts'
import { kubevirtAlerts } from './truth-kubevirt.ts'

/**
 * What is so, whatever anybody measures: computed from the plans and not from the samples, so that a server's answers
 * can be held against it. Times are those of the events; a server sees them up to one scrape interval later.
 */
export interface Truth {
  readonly timeMs: number
  readonly alerts: readonly TruthAlert[]
  readonly upgrades: readonly TruthUpgrade[]
  readonly silent: readonly TruthSilence[]
  /** Installed product version (`1.16.0`, or `4.20.0` of OpenShift Virtualization) by cluster name. */
  readonly versions: ReadonlyMap<string, string>
}

export interface TruthUpgrade {
  readonly cluster: string
  readonly from: string
  readonly to: string
  /** `olm` until the new CSV succeeded. */
  readonly phase: 'olm' | 'operands'
  readonly startedAtMs: number
  readonly lastMovedMs: number
  /** Nothing moved for longer than `STUCK_AFTER_MS`. */
  readonly isStuck: boolean
  readonly cause: StallKind | undefined
}

export interface TruthSilence {
  readonly cluster: string
  readonly sinceMs: number
  readonly hasStaleMarkers: boolean
}

export const STUCK_AFTER_MS = 60 * MINUTE_MS

export function truthOf(plans: readonly ClusterPlan[], timeMs: number): Truth {
  const reporting = plans.filter((plan) => silenceAt(plan, timeMs) === undefined)
  return {
    timeMs,
    alerts: reporting.flatMap((plan) => alertsOf(plan, timeMs)),
    upgrades: reporting.flatMap((plan) => upgradeOf(plan, timeMs) ?? []),
    silent: plans.flatMap((plan) => silenceOf(plan, timeMs) ?? []),
    versions: new Map(
      plans.map((plan) => [plan.profile.name, productVersion(plan.profile, installedAt(plan, timeMs))]),
    ),
  }
}

/** The release whose CSV has succeeded last. */
export function installedAt(plan: ClusterPlan, timeMs: number): Release {
  return plan.upgrades.findLast((upgrade) => upgrade.csvSucceededMs <= timeMs)?.to ?? plan.profile.firstRelease
}

/** The release whose operator runs, which is what decides about its metrics and checks. */
export function operatorAt(plan: ClusterPlan, timeMs: number): Release {
  return lastRollAt(plan, timeMs)?.to ?? plan.profile.firstRelease
}

function lastRollAt(plan: ClusterPlan, timeMs: number): UpgradePlan | undefined {
  return plan.upgrades.findLast((upgrade) => upgrade.operatorPodsMs <= timeMs)
}

/** All alerts of one cluster, as if it reported. */
export function alertsOf(plan: ClusterPlan, timeMs: number): readonly TruthAlert[] {
  return [
    ...editAlerts(plan, timeMs),
    ...unsafeAlerts(plan, timeMs),
    ...installationAlerts(plan, timeMs),
    ...deschedulerAlerts(plan, timeMs),
    ...healthAlerts(plan, timeMs),
    ...goldenImageAlerts(plan, timeMs),
    ...kubevirtAlerts(plan, timeMs),
    ...operandConditions(plan, timeMs),
  ].map(({ forMs, ...condition }) => ({
    cluster: plan.profile.name,
    ...condition,
    state: timeMs - condition.sinceMs >= forMs ? 'firing' : 'pending',
  }))
}

/** Holds for ten minutes after each edit that was counted; edits closer together make one alert. */
function editAlerts(plan: ClusterPlan, timeMs: number): Condition[] {
  return COMPONENT_NAMES.flatMap((component): Condition[] => {
    let edits = editsBetween(plan, component, timeMs - EDIT_ALERT_MS, timeMs + 1)
    if (edits.length === 0) return []
    let sinceMs = edits[0]!
    for (;;) {
      edits = editsBetween(plan, component, sinceMs - EDIT_ALERT_MS, sinceMs)
      if (edits.length === 0 || sinceMs <= plan.startMs) break
      sinceMs = edits[0]!
    }
    return [
      {
        alertname: 'KubeVirtCRModified',
        severity: 'warning',
        healthImpact: 'warning',
        labels: { component_name: component },
        sinceMs,
        forMs: 0,
      },
    ]
  })
}

function unsafeAlerts(plan: ClusterPlan, timeMs: number): Condition[] {
  return ANNOTATION_NAMES.flatMap((annotation): Condition[] => {
    const found = unsafePatchAt(plan, annotation, timeMs)
    if (found === undefined) return []
    return [
      {
        alertname: 'UnsupportedHCOModification',
        severity: 'info',
        healthImpact: 'none',
        labels: { annotation_name: annotation, namespace: plan.profile.installNamespace },
        sinceMs: found.sinceMs,
        forMs: 0,
      },
    ]
  })
}

function installationAlerts(plan: ClusterPlan, timeMs: number): Condition[] {
  if (plan.isInstalled || timeMs < plan.startMs) return []
  return [
    {
      alertname: 'HCOInstallationIncomplete',
      severity: 'info',
      healthImpact: 'critical',
      labels: {},
      sinceMs: plan.startMs,
      forMs: HOUR_MS,
    },
  ]
}

function deschedulerAlerts(plan: ClusterPlan, timeMs: number): Condition[] {
  if (!isMisconfigured(plan.descheduler, operatorAt(plan, timeMs))) return []
  // The version's ClusterServiceVersion counts, which is there from the beginning of an upgrade.
  const versions = [operatorAt(plan, timeMs), openUpgradeAt(plan.upgrades, timeMs)?.to]
  const severity = versions.some((release) => release !== undefined && isTooStrict(release)) ? 'warning' : 'critical'
  // Goes back over upgrades that did not change the verdict.
  let sinceMs = plan.startMs
  for (const upgrade of plan.upgrades) {
    if (upgrade.operatorPodsMs > timeMs) break
    if (!isMisconfigured(plan.descheduler, upgrade.from)) sinceMs = upgrade.operatorPodsMs
  }
  return [
    {
      alertname: 'HCOMisconfiguredDescheduler',
      severity,
      healthImpact: severity,
      labels: {},
      sinceMs,
      forMs: 0,
    },
  ]
}

function healthAlerts(plan: ClusterPlan, timeMs: number): Condition[] {
  const window = healthWindowAt(plan, timeMs)
  if (window === undefined) return []
  const severity = window.health === ERROR ? 'critical' : 'warning'
  return [
    {
      alertname: 'HCOOperatorConditionsUnhealthy',
      severity,
      healthImpact: severity,
      labels: {},
      sinceMs: window.fromMs,
      forMs: 10 * MINUTE_MS,
    },
  ]
}

function goldenImageAlerts(plan: ClusterPlan, timeMs: number): Condition[] {
  if (operatorAt(plan, timeMs).minor < 16) return []
  const base = { severity: 'warning', healthImpact: 'none', sinceMs: plan.startMs, forMs: 0 } as const
  const image = { data_import_cron_name: FAULTY_IMAGE.cron, managed_data_source_name: FAULTY_IMAGE.dataSource }
  if (hasFault(plan, 'no_supported_architecture')) {
    return [{ ...base, alertname: 'HCOGoldenImageWithNoSupportedArchitecture', labels: image }]
  }
  if (hasFault(plan, 'no_architecture_annotation')) {
    return [{ ...base, alertname: 'HCOGoldenImageWithNoArchitectureAnnotation', labels: image }]
  }
  if (hasFault(plan, 'multi_arch_disabled')) {
    return [{ ...base, alertname: 'HCOMultiArchGoldenImagesDisabled', labels: {} }]
  }
  return []
}

function upgradeOf(plan: ClusterPlan, timeMs: number): TruthUpgrade | undefined {
  const upgrade = openUpgradeAt(plan.upgrades, timeMs)
  if (upgrade === undefined) return undefined
  const lastMovedMs = movesOf(upgrade).findLast((moveMs) => moveMs <= timeMs) ?? upgrade.startMs
  const isStuck = timeMs - lastMovedMs > STUCK_AFTER_MS
  return {
    cluster: plan.profile.name,
    from: productVersion(plan.profile, upgrade.from),
    to: productVersion(plan.profile, upgrade.to),
    phase: timeMs < upgrade.csvSucceededMs ? 'olm' : 'operands',
    startedAtMs: upgrade.startMs,
    lastMovedMs,
    isStuck,
    cause: isStuck ? upgrade.stall?.kind : undefined,
  }
}

function silenceOf(plan: ClusterPlan, timeMs: number): TruthSilence | undefined {
  const window = silenceAt(plan, timeMs)
  if (window === undefined || plan.silence === undefined) return undefined
  return { cluster: plan.profile.name, sinceMs: window.fromMs, hasStaleMarkers: plan.silence.hasStaleMarkers }
}
