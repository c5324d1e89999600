/**
 * Derives the clusters that are pending, the oldest first, merges the result with the stored facts, and writes what
 * changed: traces, then facts together with the position, so that a process killed in between derives the cluster again.
 */
import { changedFromMs } from '../adoption/late-changes.ts'
import type { FiredAlertReader } from '../../model/alert-run.ts'
import type { ClusterFacts, FactsBatch, FactsChange, FleetFactsReader } from '../../model/fleet-facts.ts'
import type { DerivedTrace } from '../../model/span.ts'
import type { AlertTraces } from './alert-traces.ts'
import { changedTraces } from './upgrade-traces.ts'
import { deriveFrom, type Dropped, type EvidenceReader } from '../derive/derive-cluster.ts'
import { factsChangeOf, mergeFacts, removalOf, withFactsOf } from './merge-facts.ts'
import type { ClusterLeases } from './cluster-leases.ts'
import type { LoopCycle } from './loop-cycle.ts'
import type { FleetLoopState } from './loop-state.ts'
import type { PendingDerivation } from './pending-derivations.ts'
import { WriteBehind } from './write-behind.ts'

export interface DerivationStageParts extends EvidenceReader {
  readonly facts: Pick<FleetFactsReader, 'cluster' | 'values'>
  readonly alerts: Pick<FiredAlertReader, 'firedOn'>
  readonly alertTraces: Pick<AlertTraces, 'waiting'>
  readonly writer: {
    readonly fleet: { write(batch: FactsBatch): Promise<unknown> }
    readonly derived: { spans(traces: readonly DerivedTrace[], nowMs: number): Promise<void> }
  }
  readonly leases?: ClusterLeases
  /** Of the entry of `meta` up to where facts are derived. */
  readonly positionKey: string
  /** How long observations are stored: facts that ended before stay as they are. */
  readonly retentionMs: number
}

const BUDGET_MS = 700
const BATCH = 50

interface MergedFacts {
  /** Before; `undefined`: there were none. */
  readonly stored: ClusterFacts | undefined
  readonly facts: ClusterFacts
  readonly change: FactsChange | undefined
  /** Names that are joined into the cluster. */
  readonly members: readonly string[]
  /** Stored facts of these names, which are removed. */
  readonly absorbed: readonly ClusterFacts[]
  readonly dropped: Dropped | undefined
}

interface DerivedCluster extends PendingDerivation, Omit<MergedFacts, 'stored'> {
  readonly traces: readonly DerivedTrace[]
}

/** Of all clusters with more than the limits; `cluster`: one of them. */
export interface DroppedFacts extends Dropped {
  readonly cluster: string
}

interface DerivedCount {
  readonly derived: number
  readonly dropped?: DroppedFacts
}

/**
 * @param index is given the facts of each cluster that was written
 * @returns how many clusters were derived, and what of them is not
 */
export async function derivePending(
  parts: DerivationStageParts,
  state: FleetLoopState,
  index: { put(facts: ClusterFacts): void; remove(cluster: string): void },
  cycle: LoopCycle,
): Promise<DerivedCount> {
  let derived = 0
  let dropped: DroppedFacts | undefined
  const writes = new WriteBehind<DerivedCluster>(BATCH, async (batch) => {
    await writeDerived(parts, state, batch, cycle.nowMs)
    for (const { facts, members } of batch) {
      for (const name of members) index.remove(name)
      index.put(facts)
    }
  })
  const deriveNext = async (): Promise<boolean> => {
    const next = state.pending.take()
    if (next === undefined) return false
    if (parts.leases !== undefined && parts.leases.lease(next.cluster) === undefined) {
      // Another process derives it.
      state.pending.stored([next])
      return true
    }
    let one: DerivedCluster | undefined
    try {
      one = await deriveOne(parts, state, next, cycle.nowMs)
      derived++
    } catch (thrown) {
      cycle.fail(next.cluster, thrown)
      state.pending.fail(next, cycle.nowMs)
    }
    if (one === undefined) return true
    if (one.dropped !== undefined) {
      const { changes = 0, attempts = 0 } = dropped ?? {}
      dropped = {
        cluster: one.cluster,
        changes: changes + one.dropped.changes,
        attempts: attempts + one.dropped.attempts,
      }
    }
    await writes.add(one)
    return true
  }
  try {
    await cycle.within(BUDGET_MS, deriveNext)
    await writes.flush()
  } catch (thrown) {
    for (const one of writes.take()) state.pending.add(one)
    throw thrown
  }
  return { derived, ...(dropped && { dropped }) }
}

/** The facts of a cluster that evidence and stored facts show, and what of the stored ones changes. */
export async function deriveMerged(
  parts: EvidenceReader & { readonly facts: Pick<FleetFactsReader, 'cluster' | 'values'> },
  cluster: string,
  evidenceFromMs: number,
): Promise<MergedFacts> {
  const found = await parts.facts.cluster(cluster)
  const stored = found && { ...found, values: (await parts.facts.values([cluster])).get(cluster) ?? [] }
  const { members = [], dropped, ...derived } = await deriveFrom(parts, cluster)
  const absorbed: ClusterFacts[] = []
  for (const name of members) {
    const facts = await parts.facts.cluster(name)
    if (facts !== undefined) absorbed.push(facts)
  }
  const before = absorbed.reduce((sum: ClusterFacts | undefined, one) => withFactsOf(sum, one, cluster), stored)
  const facts = mergeFacts(before, derived, evidenceFromMs)
  return { stored, facts, change: factsChangeOf(stored, facts), members, absorbed, dropped }
}

async function deriveOne(
  parts: DerivationStageParts,
  { lateChanges, changedFacts }: FleetLoopState,
  pending: PendingDerivation,
  nowMs: number,
): Promise<DerivedCluster> {
  const { stored, facts, change, members, absorbed, dropped } = await deriveMerged(
    parts,
    pending.cluster,
    nowMs - parts.retentionMs,
  )
  const traces = change === undefined ? [] : await changedTraces(stored, facts, change, parts.alerts)
  const changedMs = [changedFromMs(stored, facts), ...absorbed.map(({ cluster }) => cluster.firstSeenMs)]
  const fromMs = Math.min(...changedMs.map((ms) => ms ?? Infinity))
  if (fromMs < Infinity) lateChanges.note(fromMs, nowMs)
  changedFacts.derived(stored, facts)
  return { ...pending, facts, change, traces, members, absorbed, dropped }
}

/** Also of nothing: the position may be reached without a derivation. */
async function writeDerived(
  { writer, positionKey, alertTraces, leases }: DerivationStageParts,
  state: FleetLoopState,
  derived: readonly DerivedCluster[],
  nowMs: number,
): Promise<void> {
  const changes = derived.flatMap(({ change, absorbed }) => {
    return [...absorbed.map(removalOf), ...(change === undefined ? [] : [change])]
  })
  const traces = derived.flatMap((one) => one.traces)
  // It may be before some of what is derived, and then that is done twice.
  const reached = alertTraces.waiting === 0 ? state.pending.reachedWith(derived) : undefined
  const position = reached === undefined ? state.storedPosition : JSON.stringify(reached)
  const isAhead = position !== state.storedPosition
  try {
    if (traces.length > 0) await writer.derived.spans(traces, nowMs)
    const meta = isAhead && position !== undefined ? [[positionKey, position] as const] : []
    const under = leases === undefined ? undefined : derived.map(({ cluster }) => leases.heldOrLost(cluster))
    if (changes.length > 0 || isAhead) await writer.fleet.write({ changes, meta, ...(under && { under }) })
  } catch (thrown) {
    for (const one of derived) state.pending.add(one)
    throw thrown
  }
  state.storedPosition = position
  state.pending.stored(derived)
}
