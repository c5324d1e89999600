import type { Release } from '../release.ts'
import type { ClusterPlan } from '../scenario.ts'
import { GOLDEN_IMAGES } from '../scenarios/golden-images.ts'
import { operatorRuns } from './hco.ts'
import {
  between,
  instanceOf,
  podName,
  targetSeries,
  type ExternalLabels,
  type SeriesGroup,
  type SimSeries,
} from './sim-series.ts'

/** The other operands' operators: CDI (storage), SSP (templates), CNAO (network). One pod each, replaced when its version changes. */
export function operandGroups(plan: ClusterPlan): readonly SeriesGroup[] {
  return OPERANDS.flatMap((operand) =>
    runsOf(plan, operand).map(({ release, fromMs, untilMs }): SeriesGroup => ({
      fromMs,
      untilMs,
      make: (external) => operandSeries(plan, operand, release, external, fromMs, untilMs),
    })),
  )
}

interface Operand {
  readonly deployment: string
  readonly service: string
  readonly endpoint: string
  readonly container: string
  versionOf(release: Release): string
  metricsOf(plan: ClusterPlan, release: Release): readonly Metric[]
}

type Metric = readonly [name: string, own: Readonly<Record<string, string>>, value: number]

const OPERANDS: readonly Operand[] = [
  {
    deployment: 'cdi-operator',
    service: 'cdi-prometheus-metrics',
    endpoint: 'metrics',
    container: 'cdi-operator',
    versionOf: (release) => release.cdi,
    metricsOf: (plan) => [
      ['kubevirt_cdi_cr_ready', {}, Number(plan.isInstalled)],
      ['kubevirt_cdi_datavolume_pending', {}, 0],
      ['kubevirt_cdi_storageprofile_info', STORAGE_PROFILE, 1],
      ...(plan.isInstalled
        ? [['kubevirt_cdi_dataimportcron_outdated', { ...FIRST_CRON, namespace: imagesNamespace(plan) }, 0] as const]
        : []),
    ],
  },
  {
    deployment: 'ssp-operator',
    service: 'ssp-operator-metrics',
    endpoint: 'metrics',
    container: 'manager',
    versionOf: (release) => release.ssp,
    metricsOf: (plan) => [['kubevirt_ssp_operator_reconcile_succeeded', {}, Number(plan.isInstalled)]],
  },
  {
    deployment: 'cluster-network-addons-operator',
    service: 'cluster-network-addons-operator-prometheus-metrics',
    endpoint: 'metrics',
    container: 'cluster-network-addons-operator',
    versionOf: (release) => release.cnao,
    metricsOf: (plan) => [
      ['kubevirt_cnao_cr_ready', {}, Number(plan.isInstalled)],
      ['kubevirt_cnao_cr_kubemacpool_deployed', {}, Number(plan.isInstalled)],
    ],
  },
]

const FIRST_CRON = { cron_name: GOLDEN_IMAGES[0]!.cron, pending: 'false' }

const STORAGE_PROFILE = {
  storageclass: 'ocs-storagecluster-ceph-rbd-virtualization',
  provisioner: 'openshift-storage.rbd.csi.ceph.com',
  complete: 'true',
  default: 'true',
  virtdefault: 'true',
  rwx: 'true',
  smartclone: 'true',
  degraded: 'false',
}

function imagesNamespace(plan: ClusterPlan): string {
  return plan.profile.flavour === 'openshift' ? 'openshift-virtualization-os-images' : 'kubevirt-os-images'
}

/** Runs of the operand's own version: neighbouring releases that bundle the same one share its pod. */
function runsOf(plan: ClusterPlan, operand: Operand): { release: Release; fromMs: number; untilMs: number }[] {
  const runs: { release: Release; fromMs: number; untilMs: number }[] = []
  for (const run of operatorRuns(plan)) {
    const last = runs.at(-1)
    if (last !== undefined && operand.versionOf(last.release) === operand.versionOf(run.release)) {
      last.untilMs = run.untilMs
    } else {
      runs.push({ ...run })
    }
  }
  return runs
}

function operandSeries(
  plan: ClusterPlan,
  operand: Operand,
  release: Release,
  external: ExternalLabels,
  fromMs: number,
  untilMs: number,
): SimSeries[] {
  const pod = podName(plan.profile, operand.deployment, operand.versionOf(release))
  const target = {
    job: operand.service,
    instance: instanceOf(plan.profile, pod, 8443),
    pod,
    namespace: plan.profile.installNamespace,
    service: operand.service,
    endpoint: operand.endpoint,
    container: operand.container,
  }
  const metrics: readonly Metric[] = [['up', {}, 1], ...operand.metricsOf(plan, release)]
  return metrics.map(([name, own, value]) =>
    targetSeries(
      external,
      target,
      name,
      own,
      between(fromMs, untilMs, () => value),
    ),
  )
}
