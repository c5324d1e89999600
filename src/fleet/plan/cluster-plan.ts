/** The plan of one cluster: its path, its steps with their durations, and what blocks them. Pure. */
import type { ClusterPlan, PlanBlocker, PlanOutcome, PlanStep } from '../../model/plan.ts'
import type { Blockers } from './blockers.ts'
import { quantile, sumDraws, type Quantiles } from './distribution.ts'
import { pathOf, type Move } from './path.ts'
import type { PlanCluster } from './plan-cluster.ts'
import type { PlanGraph } from './plan-graph.ts'
import { hcoMinorText, openshiftMinorText } from '../platform-minor.ts'
import { segmentsOf } from './segments.ts'
import type { StepDurations, TimedStep } from './step-durations.ts'
import { stepSpecsOf, type StepSpec } from './step-specs.ts'
import { stepTextsOf } from './step-texts.ts'
import type { PlanTarget } from './target.ts'
import { none, vmUpdateOf } from './vm-update.ts'

export interface PlanContext {
  readonly target: PlanTarget
  readonly graph: PlanGraph
  readonly durations: StepDurations
  readonly blockers: Blockers
}

/** A plan with what all clusters are counted and scheduled by. Texts and totals are made for those that are shown. */
export interface TimedClusterPlan {
  readonly cluster: string
  readonly outcome: PlanOutcome
  readonly nodes: number | undefined
  readonly hasSteps: boolean
  readonly isBlocked: boolean
  readonly quantiles: readonly Quantiles[]
  readonly unknownSteps: number
  readonly toPlan: () => ClusterPlan
}

const DRAWS = 1000
const SEED = 1

export function planCluster(cluster: PlanCluster, context: PlanContext): TimedClusterPlan {
  const { target, graph } = context
  const path = pathOf(cluster, target, graph)
  if (path.kind !== 'moves') return withoutSteps(cluster, context, path.kind, path.reason)
  const segments = segmentsOf(cluster, path.moves, target.minor)
  const specs = stepSpecsOf(cluster, segments, graph)
  const timed = specs.map((spec) => (spec.state === 'done' ? DONE : timeOf(cluster, spec, context)))
  if (specs.length === 0) {
    return withoutSteps(cluster, context, 'at_target', 'The target is installed, and nothing is left to do.')
  }
  const quantiles = timed.flatMap((one) => one.quantiles ?? [])
  const unknownSteps = timed.filter(({ window }) => window.source === 'unknown').length
  const isFinish = path.moves.length === 0
  const outcome: PlanOutcome = isFinish ? 'finish' : 'path'
  const blockers = context.blockers(cluster)
  return {
    ...{ cluster: cluster.record.cluster, outcome, nodes: cluster.record.nodes?.count, hasSteps: true },
    ...{ isBlocked: areBlocking(blockers), quantiles, unknownSteps },
    toPlan: () => ({
      ...headOf(cluster),
      ...{ outcome, blockers },
      summary: isFinish ? 'The target is installed; steps of an earlier plan are left.' : pathText(cluster, path.moves),
      steps: specs.map((spec, i): PlanStep => {
        const { kind, state } = spec
        return { kind, state, ...stepTextsOf(cluster, spec), window: timed[i]!.window }
      }),
      total: { ...totalOf(quantiles), unknownSteps },
    }),
  }
}

function areBlocking(blockers: readonly PlanBlocker[]): boolean {
  return blockers.some(({ severity }) => severity === 'blocking')
}

function withoutSteps(
  cluster: PlanCluster,
  context: PlanContext,
  outcome: PlanOutcome,
  summary: string,
): TimedClusterPlan {
  const blockers = outcome === 'no_path' || outcome === 'unknown' ? context.blockers(cluster) : []
  return {
    ...{ cluster: cluster.record.cluster, outcome, nodes: cluster.record.nodes?.count, hasSteps: false },
    ...{ isBlocked: areBlocking(blockers), quantiles: [], unknownSteps: 0 },
    toPlan: () => ({ ...headOf(cluster), outcome, summary, blockers, steps: [], total: { unknownSteps: 0 } }),
  }
}

function headOf({ record, hcoVersion, openshiftVersion, vms }: PlanCluster) {
  return {
    cluster: record.cluster,
    ...(hcoVersion === undefined ? {} : { installed: hcoVersion }),
    ...(openshiftVersion === undefined ? {} : { platform: openshiftVersion }),
    ...(record.nodes === undefined ? {} : { nodes: record.nodes.count }),
    ...(vms === undefined ? {} : { vms }),
  }
}

const DONE: TimedStep = { window: none('Observed as done.') }

function timeOf(cluster: PlanCluster, spec: StepSpec, { durations }: PlanContext): TimedStep {
  const { kind, move, arePoolsPaused } = spec
  const nodes = cluster.record.nodes?.count
  switch (kind) {
    case 'upgrade_hco': {
      const { flavour } = cluster
      const minor = move?.minor ?? 0
      const from = hcoMinorText(move?.isMinor === true ? minor - 1 : minor, flavour)
      return durations.hco(move!, { from, to: hcoMinorText(minor, flavour) }, nodes)
    }
    case 'upgrade_openshift':
      return durations.openshift(move, arePoolsPaused ? 'control_plane' : 'all', nodes)
    case 'unpause_pools':
      return durations.openshift(undefined, 'nodes', nodes)
    case 'update_vms':
      return vmUpdateOf(cluster, durations)
    case 'approve_install_plan':
      return { window: none('Waits for a person: not counted.') }
    case 'make_evictable':
    case 'stop_vms':
    case 'pause_pools':
    case 'disable_workload_updates':
    case 'restore_workload_updates':
    case 'start_vms':
      return { window: none('Commands: not counted.') }
  }
}

/** `p50Seconds` is absent when half of the draws are beyond all that was observed. */
function totalOf(quantiles: readonly Quantiles[]): { readonly p50Seconds?: number; readonly p90Seconds?: number } {
  const sums = sumDraws(quantiles, DRAWS, SEED)
  const [p50Seconds, p90Seconds] = [quantile(sums, 0.5), quantile(sums, 0.9)]
  return {
    ...(p50Seconds === undefined ? {} : { p50Seconds }),
    ...(p90Seconds === undefined ? {} : { p90Seconds }),
  }
}

function pathText({ hcoVersion = '?', openshiftVersion }: PlanCluster, moves: readonly Move[]): string {
  const chain = (operator: Move['operator'], from: string): string => {
    const own = moves.filter((move) => move.operator === operator)
    return [from, ...own.map(({ to, minor }) => to ?? `newest ${openshiftMinorText(minor)}`)].join(' → ')
  }
  const hco = moves.some(({ operator }) => operator === 'hco') ? [`HCO ${chain('hco', hcoVersion)}`] : []
  const openshift = moves.some(({ operator }) => operator === 'openshift')
    ? [`OpenShift ${chain('openshift', openshiftVersion ?? '?')}`]
    : []
  return `${[...openshift, ...hco].join('; ')}.`
}
