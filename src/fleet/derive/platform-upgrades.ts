/**
 * Upgrades of OpenShift. ClusterVersion has a history with both times; the values of the series `cluster_version` are times,
 * so metrics have them to the second too (facts 1.5). Machine config pools have phases of their own.
 */
import { ByTime } from '../../base/by-time.ts'
import type { ClusterVersionFacts, MachineConfigPoolFacts } from '../../model/object-facts.ts'
import type { MetricRun } from '../../model/observation.ts'
import type { UpgradeState } from '../../model/upgrade.ts'
import type { ClusterHistory, ObjectHistory } from './cluster-history.ts'
import { conditionOf } from './hco-window.ts'
import { evidence } from './hco-evidence.ts'
import { phase } from './hco-phases.ts'
import { knownMs, ownMoment, seenMoment, type Moment } from './moment.ts'
import { lastStateBefore, statesWithin } from './states-in-time.ts'
import type { PhaseDraft, UpgradeDraft } from './upgrade-draft.ts'

interface PlatformMove {
  readonly from: string | undefined
  readonly to: string
  readonly state: UpgradeState
  readonly started: Moment | undefined
  readonly ended: Moment | undefined
  readonly ref: string
}

export function platformUpgradesByObjects(history: ClusterHistory): readonly UpgradeDraft[] {
  const moves = history.of('clusterversions').flatMap(movesOfHistory)
  const states = history.of('clusterversions').flatMap((version) => version.states)
  const byTime = new ByTime(states, ({ atMs }) => atMs)
  return moves.map((move, i) => {
    const untilMs = moves[i + 1]?.started?.atMs ?? Infinity
    const pools = history.of('machineconfigpools').map((pool) => poolPhase(pool, move, untilMs))
    const machines = history.of('machineconfigpools').flatMap((pool) => poolProgress(pool, move, untilMs))
    const { facts } = byTime.lastUntil(move.started?.atMs ?? 0) ?? states[0]!
    return draftOf(move, pools, history.newestObjectMs ?? 0, facts.channel, machines)
  })
}

/** Labels `type` and `version`; values are Unix seconds. */
export function platformUpgradesByMetrics(history: ClusterHistory): readonly UpgradeDraft[] {
  const runs = history.runs('platform')
  const of = (type: string): readonly MetricRun[] => runs.filter((run) => run.labels['type'] === type)
  const done = of('completed').toSorted((a, b) => a.value - b.value)
  const versions = new Set([...of('updating'), ...done].map((run) => run.labels['version'] ?? ''))
  const moves = [...versions].flatMap((to) => metricMove(to, of('updating'), done))
  moves.sort((a, b) => timeOf(a) - timeOf(b))
  return moves.map((move) => {
    const lastSeenMs = Math.max(...runs.map(({ lastMs }) => lastMs))
    return draftOf(move, nodePhases(history, move), lastSeenMs, undefined, cordonMoments(history, move))
  })
}

/** Cordoned and uncordoned nodes since the start of the upgrade: each is progress. */
function cordonMoments(history: ClusterHistory, { started, ended }: PlatformMove): readonly number[] {
  const [fromMs, toMs] = [started?.atMs ?? Infinity, ended?.atMs ?? Infinity]
  return history
    .runs('cordoned')
    .map(({ firstMs }) => firstMs)
    .filter((ms) => ms >= fromMs && ms <= toMs)
}

/** Metrics do not show the pool of a node: any cordoned node means that the nodes are being updated. */
function nodePhases(history: ClusterHistory, move: PlatformMove): readonly PhaseDraft[] {
  if (move.state !== 'in_progress') return []
  const isAny = history.runs('cordoned').some(({ value, firstMs }) => {
    return value === 1 && firstMs >= (move.started?.atMs ?? Infinity)
  })
  return isAny ? [{ name: NODES_PHASE, state: 'in_progress' }] : []
}

/** For all pools, if none is reported. */
const NODES_PHASE = 'platform.nodes'

function timeOf({ started, ended }: PlatformMove): number {
  return started?.atMs ?? ended?.atMs ?? 0
}

function metricMove(to: string, updating: readonly MetricRun[], done: readonly MetricRun[]): readonly PlatformMove[] {
  const begun = updating.findLast((run) => run.labels['version'] === to)
  const ended = done.findLast((run) => run.labels['version'] === to)
  const beforeS = begun?.value ?? ended?.value ?? 0
  const from = done.findLast((run) => run.labels['version'] !== to && run.value <= beforeS)?.labels['version']
  // A completion before the history began is not an observed upgrade.
  if (begun === undefined && (from === undefined || ended?.beforeMs === undefined)) return []
  const isThrough = ended !== undefined && ended.value >= beforeS
  const over: UpgradeState = begun?.afterMs === undefined ? 'in_progress' : 'unknown'
  return [
    {
      ...{ from, to, state: isThrough ? 'succeeded' : over },
      started: begun === undefined ? undefined : valueMoment(begun),
      ended: isThrough ? valueMoment(ended) : undefined,
      ref: `cluster_version{version="${to}"}`,
    },
  ]
}

function valueMoment({ value }: MetricRun): Moment {
  return { atMs: value * 1000, resolutionSeconds: 1, isReconstructed: true, source: 'metrics' }
}

type Entry = ClusterVersionFacts['history'][number]

/** Each entry but the oldest, which is the installation. The newest state with an entry counts. */
function movesOfHistory(version: ObjectHistory<ClusterVersionFacts>): readonly PlatformMove[] {
  const entries = new Map<string, Entry>()
  for (const { facts } of version.states) {
    for (const entry of facts.history) entries.set(`${entry.version} ${entry.startedMs}`, entry)
  }
  const path = [...entries.values()].sort((a, b) => (a.startedMs ?? 0) - (b.startedMs ?? 0))
  const live = startsSeenLive(version)
  let from: string | undefined
  return path.slice(1).map((entry, i): PlatformMove => {
    const [before, next] = [path[i]!, path[i + 2]]
    if (before.state === 'Completed') from = before.version
    const isDone = entry.state === 'Completed' && entry.completedMs !== undefined
    const lost: UpgradeState = next?.version === from ? 'rolled_back' : 'superseded'
    const endMs = isDone ? entry.completedMs : next?.startedMs
    return {
      ...{ from, to: entry.version, state: isDone ? 'succeeded' : next === undefined ? 'in_progress' : lost },
      started: entry.startedMs === undefined ? undefined : ownMoment(entry.startedMs, !live.has(entry.startedMs)),
      ended: endMs === undefined ? undefined : ownMoment(endMs),
      ref: `clusterversions//${version.name}`,
    }
  })
}

const LIVE_WITHIN_MS = 60_000

/** The starts of updates that were observed when they were new. */
function startsSeenLive({ states }: ObjectHistory<ClusterVersionFacts>): ReadonlySet<number> {
  const starts = states.flatMap(({ atMs, facts }) => {
    const { startedMs } = facts.history[0] ?? {}
    return startedMs !== undefined && Math.abs(atMs - startedMs) <= LIVE_WITHIN_MS ? [startedMs] : []
  })
  return new Set(starts)
}

function poolPhase(pool: ObjectHistory<MachineConfigPoolFacts>, move: PlatformMove, untilMs: number): PhaseDraft {
  const name = `platform.${pool.name}` as const
  const fromMs = move.started?.atMs ?? 0
  const within = statesWithin(pool, { fromMs, toMs: untilMs })
  const start = within.findIndex(({ facts }) => isUpdating(facts))
  if (start === -1) return { name, state: move.state === 'in_progress' ? 'pending' : 'skipped' }
  const before = lastStateBefore(pool, fromMs)
  const end = within.findIndex(({ facts }, i) => i > start && !isUpdating(facts))
  const started = flip(within[start]!, within[start - 1] ?? before, 'True')
  const ended = end === -1 ? undefined : flip(within[end]!, within[end - 1], 'False')
  // Pools continue after the platform's end.
  const state =
    ended === undefined && (move.state === 'succeeded' || move.state === 'in_progress') ? 'in_progress' : move.state
  return phase(name, state, started, ended)
}

/** Each time more machines were updated than before in this upgrade. */
function poolProgress(
  pool: ObjectHistory<MachineConfigPoolFacts>,
  move: PlatformMove,
  untilMs: number,
): readonly number[] {
  let most = Infinity
  return statesWithin(pool, { fromMs: move.started?.atMs ?? 0, toMs: untilMs }).flatMap(({ facts, atMs }) => {
    const isFurther = facts.updated > most
    // The update of a pool starts with none updated.
    most = most === Infinity || facts.updated === 0 ? facts.updated : Math.max(most, facts.updated)
    return isFurther ? [atMs] : []
  })
}

function isUpdating({ machines, updated, conditions }: MachineConfigPoolFacts): boolean {
  return updated < machines || conditionOf(conditions, 'Updating')?.status === 'True'
}

type PoolState = ObjectHistory<MachineConfigPoolFacts>['states'][number]

function flip(state: PoolState, before: PoolState | undefined, status: 'True' | 'False'): Moment {
  const seen = seenMoment(state, before)
  const updating = conditionOf(state.facts.conditions, 'Updating')
  const statusBefore = before === undefined ? undefined : conditionOf(before.facts.conditions, 'Updating')?.status
  if (updating?.status !== status || updating.lastTransitionMs === undefined || statusBefore === status) return seen
  return { ...seen, atMs: updating.lastTransitionMs }
}

function draftOf(
  move: PlatformMove,
  pools: readonly PhaseDraft[],
  lastSeenMs: number,
  channel: string | undefined,
  machinesMs: readonly number[] = [],
): UpgradeDraft {
  const { from, to, state, started, ended, ref } = move
  const moments = [started, ended, ...pools.flatMap((pool) => [pool.started, pool.ended])]
  const endText = state === 'succeeded' ? `OpenShift is at ${to}` : `OpenShift changed to another version`
  return {
    ...{ operator: 'openshift', source: (started ?? ended)?.source ?? 'objects', from, to, isProven: true, state },
    ...{ anchorMs: timeOf(move), sinceMs: timeOf(move), lastSeenMs, started, ended, channel },
    phases: [phase('platform', state, started, ended), ...pools],
    evidence: [
      ...evidence(started, `OpenShift goes from ${from ?? '?'} to ${to}`, ref, 'platform'),
      ...evidence(ended, endText, ref, 'platform'),
    ],
    progressMs: [...knownMs(...moments), ...machinesMs],
    detail: {},
  }
}
