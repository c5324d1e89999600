/**
 * The path of one ClusterServiceVersion through OLM's phases: `status.conditions` has the last 20 steps and never changes
 * one, so a single late state contains the whole path, and earlier states the steps that were dropped since (facts wire 8.3).
 * A step starts when the phase or the reason changes.
 */
import { firstIndexWhere } from '../../base/first-index.ts'
import { groupBy } from '../../base/group-by.ts'
import { remembered } from '../../base/remembered.ts'
import type { CsvFacts } from '../../model/object-facts.ts'
import type { ObjectHistory } from './cluster-history.ts'
import { ownMoment, type Moment } from './moment.ts'

export interface CsvStep {
  readonly phase: string
  readonly reason: string
  readonly message: string
  readonly started: Moment
}

type HistoryEntry = CsvFacts['history'][number]

/** A step that was observed within this time of its start is not reconstructed. */
const LIVE_WITHIN_MS = 60_000

/** Oldest first. The path of one CSV is used in many places. */
export const csvPath = remembered((csv: ObjectHistory<CsvFacts>): readonly CsvStep[] => {
  const entries = entriesOf(csv)
  const seen = new Map(
    [...groupBy(csv.states, ({ facts }) => transitionOf(facts))].map(([transition, states]) => [
      transition,
      states.map(({ atMs }) => atMs).sort((a, b) => a - b),
    ]),
  )
  const steps: CsvStep[] = []
  let phase: string | undefined
  for (const entry of entries) {
    // A new reason does not change the transition time; the update time is that of the reason.
    const atMs = entry.phase === phase ? (entry.lastUpdateMs ?? entry.lastTransitionMs) : entry.lastTransitionMs
    if (atMs === undefined || entry.phase === '') continue
    phase = entry.phase
    const { reason, message } = entry
    const isLive = isAnyNear(seen.get(transitionOf(entry)) ?? [], entry.lastUpdateMs ?? entry.lastTransitionMs ?? 0)
    steps.push({ phase: entry.phase, reason, message, started: ownMoment(atMs, !isLive) })
  }
  return steps
})

/** The steps of all states. Each state has the end of the path, so older states only add earlier steps. */
function entriesOf({ states }: ObjectHistory<CsvFacts>): readonly HistoryEntry[] {
  const parts: (readonly HistoryEntry[])[] = []
  const known = new Set<string>()
  for (const { facts } of states.toReversed()) {
    const history = facts.history.length > 0 ? facts.history : [currentOf(facts)]
    const older = history.filter((entry) => !known.has(keyOf(entry)))
    for (const entry of older) known.add(keyOf(entry))
    parts.push(older)
  }
  return parts.reverse().flat()
}

function currentOf({ phase, reason, message, lastTransitionMs }: CsvFacts): HistoryEntry {
  return { phase, reason, message, ...(lastTransitionMs !== undefined && { lastTransitionMs }) }
}

function keyOf({ phase, reason, lastTransitionMs, lastUpdateMs }: HistoryEntry): string {
  return `${phase}|${reason}|${lastTransitionMs}|${lastUpdateMs}`
}

/** The same in the states and in the steps of a CSV. */
function transitionOf({ phase, lastTransitionMs }: Pick<HistoryEntry, 'phase' | 'lastTransitionMs'>): string {
  return `${phase}|${lastTransitionMs}`
}

/** @param times rising */
function isAnyNear(times: readonly number[], timeMs: number): boolean {
  const first = times[firstIndexWhere(times, (ms) => ms >= timeMs - LIVE_WITHIN_MS)]
  return first !== undefined && first <= timeMs + LIVE_WITHIN_MS
}

/** The order of phases; `undefined`: a phase that is no progress. */
const RANKS: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({ Pending: 1, InstallReady: 2, Installing: 3, Succeeded: 4 }),
)

export interface PhaseTimes {
  readonly started: Moment | undefined
  /** When a later phase was first reached. */
  readonly ended: Moment | undefined
}

/** When a phase was first entered, and first left for a later one. A return from there does not reopen it. */
export function phaseTimes(steps: readonly CsvStep[], phase: 'Pending' | 'InstallReady' | 'Installing'): PhaseTimes {
  const first = steps.findIndex((step) => step.phase === phase)
  const further = steps.find((step, i) => i > first && (RANKS.get(step.phase) ?? 0) > RANKS.get(phase)!)
  return { started: steps[first]?.started, ended: first === -1 ? undefined : further?.started }
}

export function firstSucceeded(steps: readonly CsvStep[]): Moment | undefined {
  return steps.find((step) => step.phase === 'Succeeded')?.started
}

/** Progress: the first entry of each phase. Failed and the phases of an old CSV are none. */
export function csvProgress(steps: readonly CsvStep[]): readonly number[] {
  return [...RANKS.keys()].flatMap((phase) => steps.find((step) => step.phase === phase)?.started.atMs ?? [])
}

/** OLM does not retry after these. */
const FINAL_REASONS = new Set(['InstallComponentFailedNoRetry', 'InvalidInstallStrategy', 'InvalidWebhookDescription'])

export function hasFailedFinally({ phase, reason }: { readonly phase: string; readonly reason: string }): boolean {
  return phase === 'Failed' && FINAL_REASONS.has(reason)
}

/** The phases of a CSV that is replaced by another one. */
export function isBeingReplaced(phase: string): boolean {
  return phase === 'Replacing' || phase === 'Deleting'
}
