/**
 * How long steps take, from measured upgrades: on the same path, else on paths between the same minors, else on all paths of
 * the operator, as the stuck baseline does. HCO is measured on clusters of the same class of size where enough are known;
 * OpenShift updates nodes one by one, so its runs are scaled to the nodes of the cluster.
 */
import type { StepWindow } from '../../model/plan.ts'
import { SIZE_CLASSES } from '../edges/duration-runs.ts'
import type { EdgeName, EdgeRun } from '../edges/edges.ts'
import { durationsOf } from '../statistics/durations.ts'
import { LEARNED_RUNS_MIN } from '../stuck/stuck-baseline.ts'
import { compareVersions, minorOf } from '../version-order.ts'
import { quantile, quantilesOf, type Quantiles } from './distribution.ts'
import { openshiftMinorText } from '../platform-minor.ts'
import type { Move } from './path.ts'

/** The measured runs of an edge. */
export interface MeasuredEdge {
  readonly name: EdgeName
  readonly runs: Iterable<EdgeRun>
}

export interface TimedStep {
  readonly window: StepWindow
  /** Absent: nothing to count, or unknown. */
  readonly quantiles?: Quantiles
}

export type StepPart = 'control_plane' | 'nodes' | 'all'

export interface StepDurations {
  hco(move: Move, minors: MinorTexts, nodes: number | undefined): TimedStep
  /** `control_plane`: without the nodes of paused pools; `nodes`: these alone. */
  openshift(move: Move | undefined, part: StepPart, nodes: number | undefined): TimedStep
  /** Seconds per round of parallel migrations: of all measured workload updates. */
  migrationRound(parallel: number): TimedStep
}

/** The minors of a move, as its flavour counts. */
export interface MinorTexts {
  readonly from: string
  readonly to: string
}

/** The newest runs of a group are enough. */
const RUNS_MAX = 1000

export function createStepDurations(edges: readonly MeasuredEdge[]): StepDurations {
  const byOperator = new Map<string, readonly Edge[]>()
  for (const operator of new Set(edges.map(({ name }) => name.operator))) {
    const own = edges.filter(({ name }) => name.operator === operator)
    byOperator.set(operator, own.toSorted(newestFirst).map(withRuns))
  }
  const cached = new Map<string, TimedStep>()
  const once = (key: string, measure: () => TimedStep): TimedStep => {
    const known = cached.get(key) ?? measure()
    cached.set(key, known)
    return known
  }
  const of = (operator: string): readonly Edge[] => byOperator.get(operator) ?? []
  return {
    hco: (move, minors, nodes) => {
      const size = nodes === undefined ? undefined : sizeClassOf(nodes)
      const key = JSON.stringify(['hco', move.from, move.to, minors, size])
      return once(key, () => measureHco(of('kubevirt-hyperconverged'), move, minors, size))
    },
    openshift: (move, part, nodes) => {
      const key = JSON.stringify(['openshift', move?.from, move?.to, move?.minor, part, nodes])
      return once(key, () => measureOpenShift(of('openshift'), move, part, nodes))
    },
    migrationRound: (parallel) =>
      once(`round ${parallel}`, () => measureRounds(of('kubevirt-hyperconverged'), parallel)),
  }
}

/** An edge whose runs can be read many times: those of the index can be read once. */
interface Edge {
  readonly name: EdgeName
  readonly runs: () => readonly EdgeRun[]
}

function withRuns({ name, runs }: MeasuredEdge): Edge {
  let known: readonly EdgeRun[] | undefined
  return { name, runs: () => (known ??= [...runs]) }
}

function newestFirst(a: MeasuredEdge, b: MeasuredEdge): number {
  return compareVersions(b.name.to, a.name.to) || compareVersions(b.name.from, a.name.from)
}

interface Group {
  readonly learnedFrom: NonNullable<StepWindow['learnedFrom']>
  readonly edges: readonly Edge[]
  readonly words: string
}

/** The nearest first. */
function groupsOf(all: readonly Edge[], { from, to }: Pick<Move, 'from' | 'to'>, minors: MinorTexts): readonly Group[] {
  const edge = all.filter(({ name }) => name.from === from && name.to === to)
  const minor = all.filter(({ name }) => minorOf(name.from) === minors.from && minorOf(name.to) === minors.to)
  return [
    { learnedFrom: 'edge', edges: edge, words: `from ${from ?? '?'} to ${to ?? '?'}` },
    { learnedFrom: 'minor', edges: minor, words: `from ${minors.from} to ${minors.to}` },
    { learnedFrom: 'fleet', edges: all, words: 'between any versions' },
  ]
}

interface Length {
  readonly seconds: number
  readonly isFinished: boolean
}

function collect(edges: readonly Edge[], lengthOf: (run: EdgeRun) => Length | undefined): readonly Length[] {
  const found: Length[] = []
  for (const { runs } of edges) {
    for (const run of runs()) {
      const length = lengthOf(run)
      if (length !== undefined && found.push(length) === RUNS_MAX) return found
    }
  }
  return found
}

const UNKNOWN: TimedStep = {
  window: { source: 'unknown', runs: 0, censored: 0, basis: `Fewer than ${LEARNED_RUNS_MIN} upgrades were measured.` },
}

function isEnough(lengths: readonly Length[]): boolean {
  return lengths.filter(({ isFinished }) => isFinished).length >= LEARNED_RUNS_MIN
}

function timed(
  lengths: readonly Length[],
  source: 'upgrades' | 'workload_updates',
  learnedFrom: NonNullable<StepWindow['learnedFrom']>,
  basis: string,
): TimedStep {
  const column = (isFinished: boolean): number[] =>
    lengths.flatMap((length) => (length.isFinished === isFinished ? [length.seconds] : []))
  const [finished, censored] = [column(true), column(false)]
  const quantiles = quantilesOf(durationsOf(finished, censored))
  return {
    quantiles,
    window: windowOf(quantiles, { source, learnedFrom, runs: lengths.length, censored: censored.length, basis }),
  }
}

/** The window of a distribution. */
export function windowOf(quantiles: Quantiles, facts: Omit<StepWindow, 'p50Seconds' | 'p90Seconds'>): StepWindow {
  const [p50Seconds, p90Seconds] = [quantile(quantiles, 0.5), quantile(quantiles, 0.9)]
  return {
    ...facts,
    ...(p50Seconds === undefined ? {} : { p50Seconds }),
    ...(p90Seconds === undefined ? {} : { p90Seconds }),
  }
}

function measureHco(all: readonly Edge[], move: Move, minors: MinorTexts, size: number | undefined): TimedStep {
  for (const { learnedFrom, edges, words } of groupsOf(all, move, minors)) {
    const sized =
      size === undefined
        ? []
        : collect(edges, ({ whole, nodes }) => (nodes !== undefined && sizeClassOf(nodes) === size ? whole : undefined))
    if (isEnough(sized)) {
      return timed(
        sized,
        'upgrades',
        learnedFrom,
        `${sized.length} upgrades ${words} on clusters of ${sizeText(size!)}.`,
      )
    }
    const lengths = collect(edges, ({ whole }) => whole)
    if (isEnough(lengths)) return timed(lengths, 'upgrades', learnedFrom, `${lengths.length} upgrades ${words}.`)
  }
  return UNKNOWN
}

function sizeClassOf(nodes: number): number {
  const found = SIZE_CLASSES.findIndex((most) => nodes <= most)
  return found === -1 ? SIZE_CLASSES.length : found
}

function sizeText(size: number): string {
  const [before, most] = [SIZE_CLASSES[size - 1] ?? 0, SIZE_CLASSES[size]]
  return most === undefined ? `more than ${before} nodes` : `${before + 1} to ${most} nodes`
}

function measureOpenShift(
  all: readonly Edge[],
  move: Move | undefined,
  part: StepPart,
  nodes: number | undefined,
): TimedStep {
  const to = move?.minor ?? 0
  const minors = { from: openshiftMinorText(move?.isMinor === true ? to - 1 : to), to: openshiftMinorText(to) }
  for (const { learnedFrom, edges, words } of groupsOf(all, move ?? {}, minors)) {
    const lengths = collect(edges, (run) => platformLength(run, part, nodes))
    if (!isEnough(lengths)) continue
    const what = { control_plane: 'without worker nodes', nodes: 'worker nodes alone', all: 'with all nodes' }[part]
    const scaled = nodes === undefined || part === 'control_plane' ? '' : `, scaled to ${nodes} nodes`
    return timed(lengths, 'upgrades', learnedFrom, `${lengths.length} upgrades ${words}, ${what}${scaled}.`)
  }
  return UNKNOWN
}

const CONTROL_PLANE_PHASE = 'platform.master'

/** Node pools are updated after the control plane, or beside it; one that fits in the rest of the run was part of it. */
function platformLength(
  { whole, phases, phaseSeconds, nodes: runNodes }: EdgeRun,
  part: StepPart,
  nodes: number | undefined,
): Length | undefined {
  if (whole === undefined) return undefined
  let [workers, master] = [0, 0]
  let areFinished = true
  phases.names.forEach((name, i) => {
    if (!name.startsWith('platform.')) return
    if (name === CONTROL_PLANE_PHASE) master = phaseSeconds[i]!
    else {
      workers = Math.max(workers, phaseSeconds[i]!)
      areFinished &&= phases.areFinished[i]!
    }
  })
  const factor = nodes === undefined || runNodes === undefined || runNodes === 0 ? 1 : nodes / runNodes
  const isInside = workers + master <= whole.seconds
  const rest = isInside ? whole.seconds - workers : whole.seconds
  if (part === 'control_plane') return { seconds: rest, isFinished: whole.isFinished }
  if (part === 'nodes') return workers === 0 ? undefined : { seconds: workers * factor, isFinished: areFinished }
  const seconds = isInside ? rest + workers * factor : Math.max(whole.seconds, workers * factor)
  return { seconds, isFinished: whole.isFinished && areFinished }
}

/** KubeVirt's default, with which measured updates ran as far as known. */
export const DEFAULT_PARALLEL = 5

function measureRounds(all: readonly Edge[], parallel: number): TimedStep {
  const lengths = collect(all, ({ vms, phases, phaseSeconds }) => {
    const i = phases.names.indexOf('workloads')
    if (vms === undefined || i === -1) return undefined
    const rounds = Math.ceil(vms / DEFAULT_PARALLEL)
    return { seconds: phaseSeconds[i]! / rounds, isFinished: phases.areFinished[i]! }
  })
  if (!isEnough(lengths)) return UNKNOWN
  const basis = `${lengths.length} workload updates, ${parallel} migrations at a time.`
  return timed(lengths, 'workload_updates', 'fleet', basis)
}
