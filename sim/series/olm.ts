import { csvName, productVersion } from '../cluster-profile.ts'
import { hashOf } from '../random.ts'
import type { Release } from '../release.ts'
import type { ClusterPlan } from '../cluster-plan.ts'
import type { UpgradePlan } from '../scenarios/upgrade.ts'
import {
  between,
  instanceOf,
  podName,
  targetSeries,
  type ExternalLabels,
  type OwnLabels,
  type SeriesGroup,
  type SimSeries,
  type Target,
} from './sim-series.ts'

/**
 * What OLM says: which ClusterServiceVersions there are and how they do. `csv_abnormal` exists only while a CSV's phase
 * is not Succeeded, with the phase and its reason in the labels; each change of phase is another series.
 */
export function olmGroups(plan: ClusterPlan): readonly SeriesGroup[] {
  const releases = [plan.profile.firstRelease, ...plan.upgrades.map((upgrade) => upgrade.to)]
  return [
    { fromMs: -Infinity, untilMs: Infinity, make: (external) => totals(plan, external) },
    ...releases.map((release, i): SeriesGroup => {
      const brought = plan.upgrades[i - 1]
      const replaced = plan.upgrades[i]
      return {
        fromMs: brought?.startMs ?? -Infinity,
        untilMs: replaced?.oldCsvGoneMs ?? Infinity,
        make: (external) => csvSeries(plan, release, brought, replaced, external),
      }
    }),
  ]
}

function olmTarget(plan: ClusterPlan, operator: 'olm-operator' | 'catalog-operator'): Target {
  const pod = podName(plan.profile, operator, 'platform')
  return {
    job: `${operator}-metrics`,
    instance: instanceOf(plan.profile, pod, 8443),
    pod,
    namespace: plan.profile.platform === 'openshift' ? 'openshift-operator-lifecycle-manager' : 'olm',
    service: `${operator}-metrics`,
    endpoint: 'https-metrics',
    container: operator,
  }
}

function totals(plan: ClusterPlan, external: ExternalLabels): SimSeries[] {
  const { profile } = plan
  const olm = olmTarget(plan, 'olm-operator')
  const catalog = olmTarget(plan, 'catalog-operator')
  const others = hashOf(profile.seed, 'other operators') % 40
  const isOpenshift = profile.flavour === 'openshift'
  const source = {
    namespace: isOpenshift ? 'openshift-marketplace' : 'olm',
    name: isOpenshift ? 'redhat-operators' : 'operatorhubio-catalog',
  }
  return [
    targetSeries(external, olm, 'up', {}, () => 1),
    targetSeries(external, catalog, 'up', {}, () => 1),
    // Counts upgrades of every operator in the cluster, not only of HCO.
    targetSeries(
      external,
      olm,
      'csv_upgrade_count',
      {},
      (timeMs) => others + plan.upgrades.filter((upgrade) => upgrade.startMs <= timeMs).length,
    ),
    targetSeries(external, catalog, 'catalogsource_ready', source, () => 1),
  ]
}

function csvSeries(
  plan: ClusterPlan,
  release: Release,
  brought: UpgradePlan | undefined,
  replaced: UpgradePlan | undefined,
  external: ExternalLabels,
): SimSeries[] {
  const { profile } = plan
  const own = {
    namespace: profile.installNamespace,
    name: csvName(profile, release),
    version: productVersion(profile, release),
  }
  const fromMs = brought?.startMs ?? -Infinity
  const untilMs = replaced?.oldCsvGoneMs ?? Infinity
  const succeededMs = brought?.csvSucceededMs ?? -Infinity
  const replacedMs = replaced?.startMs ?? Infinity
  const olm = olmTarget(plan, 'olm-operator')
  return [
    targetSeries(
      external,
      olm,
      'csv_succeeded',
      own,
      between(fromMs, untilMs, (timeMs) => Number(timeMs >= succeededMs && timeMs < replacedMs)),
    ),
    ...abnormalPhases(brought, replaced).map(({ phase, reason, ...window }) =>
      targetSeries(
        external,
        olm,
        'csv_abnormal',
        { ...own, phase, reason },
        between(window.fromMs, window.untilMs, () => 1),
      ),
    ),
    subscriptionSeries(plan, release, external, succeededMs, replaced?.csvSucceededMs ?? Infinity),
  ]
}

interface AbnormalPhase {
  readonly phase: string
  readonly reason: string
  readonly fromMs: number
  readonly untilMs: number
}

/** What a CSV goes through on its way in, and on its way out. */
function abnormalPhases(brought: UpgradePlan | undefined, replaced: UpgradePlan | undefined): AbnormalPhase[] {
  const phases: AbnormalPhase[] = []
  const add = (phase: string, reason: string, fromMs: number, untilMs: number): void => {
    phases.push({ phase, reason, fromMs, untilMs })
  }
  if (brought !== undefined) {
    const { startMs, installReadyMs, installingMs, csvSucceededMs, stall } = brought
    const gateMs = stall?.kind === 'olm' ? stall.untilMs : startMs
    if (gateMs > startMs) add('Pending', 'OperatorConditionNotUpgradeable', startMs, gateMs)
    add('Pending', 'RequirementsNotMet', gateMs, installReadyMs)
    add('InstallReady', 'AllRequirementsMet', installReadyMs, installingMs)
    add('Installing', 'InstallWaiting', installingMs, csvSucceededMs)
  }
  if (replaced !== undefined) add('Replacing', 'BeingReplaced', replaced.startMs, replaced.oldCsvGoneMs)
  return phases
}

/** Its value is how often OLM looked; what matters is in the labels. */
function subscriptionSeries(
  plan: ClusterPlan,
  release: Release,
  external: ExternalLabels,
  fromMs: number,
  untilMs: number,
): SimSeries {
  const { profile } = plan
  const own: OwnLabels = {
    name: profile.subscriptionName,
    installed: csvName(profile, release),
    channel: profile.channel,
    package: profile.packageName,
    approval: profile.approval,
  }
  const countedFromMs = Math.max(fromMs, plan.startMs - 86_400_000)
  return targetSeries(
    external,
    olmTarget(plan, 'catalog-operator'),
    'subscription_sync_total',
    own,
    between(fromMs, untilMs, (timeMs) => 1 + Math.floor((timeMs - countedFromMs) / 75_000)),
  )
}
