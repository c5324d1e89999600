import type { ClusterPlan } from '../cluster-plan.ts'
import type { Release } from '../release.ts'
import { hashOf, noiseAt } from '../random.ts'
import { isMisconfigured } from '../scenarios/descheduler.ts'
import { GOLDEN_IMAGES, hasFault } from '../scenarios/golden-images.ts'
import { healthAt } from '../scenarios/health.ts'
import { COMPONENT_NAMES, outOfBandCountAt } from '../scenarios/out-of-band.ts'
import { unsafePatchAt } from '../scenarios/unsafe.ts'
import { ANNOTATION_NAMES } from '../scenarios/habits.ts'
import { alertsOf, operatorAt } from '../truth.ts'
import {
  between,
  instanceOf,
  podName,
  ruleSeries,
  targetSeries,
  type ExternalLabels,
  type OwnLabels,
  type SeriesGroup,
  type SimSeries,
  type Target,
} from './sim-series.ts'

/** HCO's own metrics. Each release's operator is another pod, so its series are others; which there are depends on the version. */
export function hcoGroups(plan: ClusterPlan): readonly SeriesGroup[] {
  const operators = operatorRuns(plan).map(({ release, fromMs, untilMs }): SeriesGroup => ({
    fromMs,
    untilMs,
    make: (external) => operatorSeries(plan, release, external, fromMs, untilMs),
  }))
  return [...operators, { fromMs: -Infinity, untilMs: Infinity, make: (external) => healthSeries(plan, external) }]
}

/** From when to when which release's operators run. */
export interface OperatorRun {
  readonly release: Release
  readonly fromMs: number
  readonly untilMs: number
}

export function operatorRuns(plan: ClusterPlan): readonly OperatorRun[] {
  const releases = [plan.profile.firstRelease, ...plan.upgrades.map((upgrade) => upgrade.to)]
  return releases.map((release, i) => ({
    release,
    fromMs: plan.upgrades[i - 1]?.operatorPodsMs ?? -Infinity,
    untilMs: plan.upgrades[i]?.operatorPodsMs ?? Infinity,
  }))
}

function hcoTarget(plan: ClusterPlan, release: Release): Target {
  const { profile } = plan
  const pod = podName(profile, 'hco-operator', release.hco)
  return {
    job: 'kubevirt-hyperconverged-operator-metrics',
    instance: instanceOf(profile, pod, 8443),
    pod,
    namespace: profile.installNamespace,
    service: 'kubevirt-hyperconverged-operator-metrics',
    endpoint: 'http-metrics',
    container: 'hyperconverged-cluster-operator',
  }
}

function operatorSeries(
  plan: ClusterPlan,
  release: Release,
  external: ExternalLabels,
  fromMs: number,
  untilMs: number,
): SimSeries[] {
  const target = hcoTarget(plan, release)
  const series: SimSeries[] = []
  const add = (name: string, own: OwnLabels, valueAt: SimSeries['valueAt']): void => {
    series.push(targetSeries(external, target, name, own, between(fromMs, untilMs, valueAt)))
  }
  const noise = hashOf(plan.profile.seed, 'scrape', release.hco)
  add('up', {}, () => 1)
  add('scrape_duration_seconds', {}, (timeMs) => 0.012 + 0.03 * noiseAt(noise, Math.floor(timeMs / 1000)))
  add('kubevirt_hco_hyperconverged_cr_exists', {}, () => Number(plan.isInstalled))
  add('kubevirt_hco_system_health_status', {}, (timeMs) => healthAt(plan, timeMs))
  add('kubevirt_hco_single_stack_ipv6', {}, () => 0)
  for (const component of COMPONENT_NAMES) {
    add('kubevirt_hco_out_of_band_modifications_total', { component_name: component }, (timeMs) =>
      outOfBandCountAt(plan, component, timeMs),
    )
  }
  for (const annotation of ANNOTATION_NAMES) {
    add(
      'kubevirt_hco_unsafe_modifications',
      { annotation_name: annotation },
      (timeMs) => unsafePatchAt(plan, annotation, timeMs)?.operations ?? 0,
    )
  }
  if (release.minor >= 13) {
    add('kubevirt_hco_misconfigured_descheduler', {}, () => Number(isMisconfigured(plan.descheduler, release)))
  }
  if (release.minor >= 16) addSince16(plan, add)
  return series
}

function addSince16(
  plan: ClusterPlan,
  add: (name: string, own: OwnLabels, valueAt: SimSeries['valueAt']) => void,
): void {
  add('kubevirt_hco_memory_overcommit_percentage', {}, () => 100)
  if (!plan.isInstalled) return
  for (const image of GOLDEN_IMAGES) {
    const own = { data_import_cron_name: image.cron, managed_data_source_name: image.dataSource }
    const isSupported = Number(!hasFault(plan, 'no_supported_architecture', image))
    const isAnnotated = Number(!hasFault(plan, 'no_architecture_annotation', image))
    add('kubevirt_hco_dataimportcrontemplate_with_supported_architectures', own, () => isSupported)
    add('kubevirt_hco_dataimportcrontemplate_with_architecture_annotation', own, () => isAnnotated)
  }
  // Only clusters with nodes of several architectures have it.
  if (plan.profile.isMultiArch) {
    const isEnabled = Number(!hasFault(plan, 'multi_arch_disabled'))
    add('kubevirt_hco_multi_arch_boot_images_enabled', {}, () => isEnabled)
  }
}

/** The roll-up that HCO's own recording rule makes of its health and of what fires; under its old name, and since 1.18 its new one. */
function healthSeries(plan: ClusterPlan, external: ExternalLabels): SimSeries[] {
  const own = { name: 'kubevirt-hyperconverged' }
  const valueAt = (timeMs: number): number => rolledUpHealth(plan, timeMs)
  return [
    ruleSeries(external, 'kubevirt_hyperconverged_operator_health_status', own, valueAt),
    ruleSeries(external, 'cluster:kubevirt_hco_operator_health_status:count', own, (timeMs) =>
      operatorAt(plan, timeMs).minor >= 18 ? valueAt(timeMs) : undefined,
    ),
  ]
}

function rolledUpHealth(plan: ClusterPlan, timeMs: number): number {
  // In the cluster a descheduler that is called wrong is critical whatever the version.
  if (isMisconfigured(plan.descheduler, operatorAt(plan, timeMs))) return 2
  const firing = alertsOf(plan, timeMs).filter((alert) => alert.state === 'firing')
  if (firing.some((alert) => alert.healthImpact === 'critical')) return 2
  return Math.max(healthAt(plan, timeMs), Number(firing.some((alert) => alert.healthImpact === 'warning')))
}
