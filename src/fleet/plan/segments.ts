/**
 * Parts of a path that share their preparation. Between two even minors of OpenShift the worker nodes stay on the first one
 * and are updated once, with their pools paused (EUS to EUS); every other minor updates them at once. A cluster that
 * is in the middle of such a part continues it. Pure.
 */
import { isEven } from '../platform-minor.ts'
import type { Move } from './path.ts'
import type { PlanCluster } from './plan-cluster.ts'

export interface Segment {
  /**
   * `eus`: pools paused, no workload updates. `minor`: one minor of OpenShift. `hco`: no node is updated. `finish`: what
   * an earlier plan left.
   */
  readonly kind: 'eus' | 'minor' | 'hco' | 'finish'
  readonly moves: readonly Move[]
  /** Moves that are done, of a part that is continued. */
  readonly done: readonly Move[]
}

export function segmentsOf(cluster: PlanCluster, moves: readonly Move[], targetMinor: number): readonly Segment[] {
  const { openshiftMinor } = cluster
  if (openshiftMinor === undefined) return moves.length === 0 ? leftOver(cluster) : minorByMinor(moves)
  const parts = openshiftParts(cluster, openshiftMinor, targetMinor)
  const segments: Segment[] = []
  let rest = moves
  for (const { until, kind, done } of parts) {
    const [own, others] = split(rest, until)
    if (own.length > 0 || done.length > 0 || kind === 'finish') segments.push({ kind, moves: own, done })
    rest = others
  }
  if (rest.length > 0) segments.push({ kind: rest.some(isOpenShift) ? 'minor' : 'hco', moves: rest, done: [] })
  return segments.length === 0 ? leftOver(cluster) : segments
}

/** VMs follow one minor before the next one; the first z-streams belong to the minor after them. */
function minorByMinor(moves: readonly Move[]): readonly Segment[] {
  const segments: Move[][] = [[]]
  let hasMinor = false
  for (const move of moves) {
    if (move.isMinor && hasMinor) segments.push([])
    hasMinor ||= move.isMinor
    segments.at(-1)!.push(move)
  }
  return segments.map((own) => ({ kind: 'hco', moves: own, done: [] }))
}

const isOpenShift = ({ operator }: Move): boolean => operator === 'openshift'

interface Part {
  readonly kind: Segment['kind']
  /** The minor that ends the part. */
  readonly until: number
  readonly done: readonly Move[]
}

function openshiftParts(cluster: PlanCluster, openshiftMinor: number, targetMinor: number): readonly Part[] {
  const parts: Part[] = []
  let at = openshiftMinor
  if (isInEus(cluster)) {
    const first = isEven(at) ? at - 2 : at - 1
    const until = isEven(at) || at + 1 > targetMinor ? at : at + 1
    parts.push({ kind: until === at ? 'finish' : 'eus', until, done: doneMoves(first, at, cluster) })
    at = until
  }
  while (at < targetMinor) {
    const isEus = isEven(at) && at + 2 <= targetMinor && mayPause(cluster)
    at += isEus ? 2 : 1
    parts.push({ kind: isEus ? 'eus' : 'minor', until: at, done: [] })
  }
  return parts
}

/** Moves up to the first one of OpenShift beyond a minor. */
function split(moves: readonly Move[], until: number): readonly [readonly Move[], readonly Move[]] {
  const end = moves.findIndex(({ minor }) => minor > until)
  return end === -1 ? [moves, []] : [moves.slice(0, end), moves.slice(end)]
}

/** Of OpenShift, between the minor of the workers and the installed one. */
function doneMoves(first: number, installed: number, { openshiftVersion }: PlanCluster): readonly Move[] {
  const moves: Move[] = []
  for (let minor = first + 1; minor <= installed; minor++) {
    const to = minor === installed ? openshiftVersion : undefined
    moves.push({ operator: 'openshift', minor, isMinor: true, ...(to === undefined ? {} : { to }) })
  }
  return moves
}

/** Pools of worker nodes exist, or no data source reports pools. */
export function mayPause({ pools, vmNodes }: PlanCluster): boolean {
  return pools.areKnown ? pools.workers.length > 0 : vmNodes !== 1
}

/** Worker pools are paused, and their nodes are behind OpenShift. */
export function isInEus({ pools, kubeletMinor, openshiftMinor }: PlanCluster): boolean {
  if (pools.paused.length === 0 || openshiftMinor === undefined) return false
  if (kubeletMinor === undefined) return !isEven(openshiftMinor) || pools.outdatedMachines > 0
  return kubeletMinor < openshiftMinor
}

/** At the target: paused pools, no update method, or outdated VMs are left. */
function leftOver({ pools, updateMethods, outdatedVms = 0 }: PlanCluster): readonly Segment[] {
  const isLeft = pools.paused.length > 0 || updateMethods?.length === 0 || outdatedVms > 0
  return isLeft ? [{ kind: 'finish', moves: [], done: [] }] : []
}
