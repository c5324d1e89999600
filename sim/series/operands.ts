import type { Release } from '../release.ts'
import type { ClusterPlan } from '../cluster-plan.ts'
import { cdiMetrics } from './cdi.ts'
import { operatorRuns } from './hco.ts'
import { networkMetrics } from './network.ts'
import type { OperandMetric } from './operand-metric.ts'
import {
  between,
  instanceOf,
  podName,
  targetSeries,
  type ExternalLabels,
  type SeriesGroup,
  type SimSeries,
} from './sim-series.ts'
import { sspMetrics } from './ssp.ts'

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
  metricsOf(plan: ClusterPlan, release: Release): readonly OperandMetric[]
}

const OPERANDS: readonly Operand[] = [
  {
    deployment: 'cdi-operator',
    service: 'cdi-prometheus-metrics',
    endpoint: 'metrics',
    container: 'cdi-operator',
    versionOf: (release) => release.cdi,
    metricsOf: cdiMetrics,
  },
  {
    deployment: 'ssp-operator',
    service: 'ssp-operator-metrics',
    endpoint: 'metrics',
    container: 'manager',
    versionOf: (release) => release.ssp,
    metricsOf: sspMetrics,
  },
  {
    deployment: 'cluster-network-addons-operator',
    service: 'cluster-network-addons-operator-prometheus-metrics',
    endpoint: 'metrics',
    container: 'cluster-network-addons-operator',
    versionOf: (release) => release.cnao,
    metricsOf: networkMetrics,
  },
]

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
  const metrics: readonly OperandMetric[] = [['up', {}, () => 1], ...operand.metricsOf(plan, release)]
  return metrics.map(([name, own, valueAt]) =>
    targetSeries(external, target, name, own, between(fromMs, untilMs, valueAt)),
  )
}
