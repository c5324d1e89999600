/** The steps of a plan, in order, without texts: what is done, whether it is observed as done, and how it is measured. Pure. */
import type { StepKind, StepState } from '../../model/plan.ts'
import type { Move } from './path.ts'
import type { PlanCluster } from './plan-cluster.ts'
import type { PlanGraph } from './plan-graph.ts'
import { mayPause, type Segment } from './segments.ts'

export interface StepSpec {
  readonly kind: StepKind
  readonly state: StepState
  readonly move?: Move
  /** Pools are paused: worker nodes stay as they are. */
  readonly arePoolsPaused: boolean
  /** The minor that HCO has when the step starts: its API has the layout of that minor. */
  readonly hcoMinor: number
  /** The minor at which the part ends. */
  readonly untilMinor: number
  /** One node runs all VMs: none can be migrated. */
  readonly isSingleNode: boolean
}

/** Nodes that run VMs, of clusters in which a drained node has no other, or exactly one other, for its VMs. */
const SINGLE_NODE = 1
export const TWO_NODES = 2

export function stepSpecsOf(cluster: PlanCluster, segments: readonly Segment[], graph: PlanGraph): readonly StepSpec[] {
  const specs: StepSpec[] = []
  let hcoMinor = cluster.hcoMinor ?? 0
  segments.forEach((segment, i) => {
    const own = specsOfSegment(cluster, segment, { hcoMinor, isFirst: i === 0, graph })
    specs.push(...own)
    hcoMinor = segment.moves.findLast(({ operator }) => operator === 'hco')?.minor ?? hcoMinor
  })
  return specs
}

interface Situation {
  readonly hcoMinor: number
  /** What is observed concerns the first part alone. */
  readonly isFirst: boolean
  readonly graph: PlanGraph
}

function specsOfSegment(cluster: PlanCluster, segment: Segment, { hcoMinor, isFirst, graph }: Situation): StepSpec[] {
  const { kind, moves, done } = segment
  const { pools, updateMethods, nonMigratableVms = 0, vmNodes, platform } = cluster
  const isSingleNode = vmNodes === SINGLE_NODE
  const isEus = kind === 'eus'
  const wasPaused = isFirst && pools.paused.length > 0
  const werePoolsPaused = isEus || kind === 'finish'
  const wereMethodsEmpty = isFirst && updateMethods?.length === 0
  const hasOpenShift = moves.some(({ operator }) => operator === 'openshift')
  const isUnpausing = isEus || wasPaused
  const drains = hasOpenShift || isUnpausing
  const untilMinor = moves.at(-1)?.minor ?? cluster.openshiftMinor ?? hcoMinor
  let minor = hcoMinor
  const spec = (kind: StepKind, state: StepState = 'todo', move?: Move): StepSpec => ({
    ...{ kind, state, arePoolsPaused: isEus && mayPause(cluster), hcoMinor: minor, untilMinor, isSingleNode },
    ...(move === undefined ? {} : { move }),
  })
  const specs: StepSpec[] = []
  if (drains && nonMigratableVms > 0 && !isSingleNode) specs.push(spec('make_evictable'))
  if (isSingleNode && hasOpenShift) specs.push(spec('stop_vms'))
  if (isEus) {
    specs.push(spec('pause_pools', isFirst ? pausedState(cluster) : 'todo'))
    specs.push(spec('disable_workload_updates', isFirst ? disabledState(cluster) : 'todo'))
  }
  for (const move of done) specs.push(spec('upgrade_openshift', 'done', move))
  for (const move of moves) {
    if (move.operator === 'openshift') specs.push(spec('upgrade_openshift', 'todo', move))
    else {
      if (isManual(cluster)) specs.push(spec('approve_install_plan', 'todo', move))
      specs.push(spec('upgrade_hco', 'todo', move))
      minor = move.minor
    }
  }
  if (isEus || wereMethodsEmpty) specs.push(spec('restore_workload_updates'))
  if (isUnpausing && platform === 'openshift') specs.push(spec('unpause_pools'))
  if (isSingleNode && hasOpenShift) specs.push(spec('start_vms'))
  else if (isAnyVmOutdated(cluster, moves, graph, isFirst, werePoolsPaused)) specs.push(spec('update_vms'))
  return specs
}

export function isManual({ record }: PlanCluster): boolean {
  return record.subscription?.approval === 'Manual'
}

function pausedState({ pools }: PlanCluster): StepState {
  if (!pools.areKnown) return 'unknown'
  return pools.paused.length === pools.workers.length ? 'done' : 'todo'
}

function disabledState({ updateMethods }: PlanCluster): StepState {
  if (updateMethods === undefined) return 'unknown'
  return updateMethods.length === 0 ? 'done' : 'todo'
}

/** Many z-streams have the same KubeVirt, and no VM is outdated afterwards (facts 6.1). */
function isAnyVmOutdated(
  { outdatedVms = 0, vms }: PlanCluster,
  moves: readonly Move[],
  graph: PlanGraph,
  isFirst: boolean,
  hadNoUpdates: boolean,
): boolean {
  if (vms === 0) return false
  if (isFirst && outdatedVms > 0) return true
  const ofHco = moves.filter(({ operator }) => operator === 'hco')
  if (ofHco.length === 0) return hadNoUpdates
  return ofHco.some(({ from = '', to = '' }) => {
    const [before, after] = [graph.kubevirtOf(from), graph.kubevirtOf(to)]
    return before === undefined || after === undefined || before !== after
  })
}
