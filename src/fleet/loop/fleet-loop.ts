/**
 * Facts, kept up with what is observed: at each beat, before the rules, metrics become observations, every cluster with
 * something new is derived again, and what follows from that is written: facts, traces, series of this server's own, the
 * counts of the day. Runs on the query worker, next to the data; the ingest worker writes.
 *
 * Work is bounded: what does not fit into a beat is done in the next ones, the oldest first, and queries are let through
 * between any two clusters. What fails for one cluster is told and does not stop the others. How far facts are derived
 * stands beside them, so a restart goes on there; doing a cluster twice changes nothing.
 */
import { messageOf } from '../../base/errors.ts'
import { createAlertTraces } from './alert-traces.ts'
import { createFleetChangeWatch, type ChangedFacts } from './change-watch.ts'
import { changedTraces, deriveFrom, type EvidenceReader } from './derivation.ts'
import { countDays } from '../adoption/count-days.ts'
import type { CountingPorts } from '../adoption/count-days.ts'
import { changedFromMs } from '../adoption/late-change.ts'
import { LateChanges } from '../adoption/late-changes.ts'
import type { ClusterTraits } from '../clusters/cluster-traits.ts'
import type { ReturnedCluster } from '../clusters/decommissions.ts'
import type { FleetCoverage } from '../clusters/fleet-coverage.ts'
import type { Gone } from '../clusters/gone.ts'
import { DERIVED_EVERY_MS } from '../series/derived-series.ts'
import type { WrittenSeries } from '../series/derived-series.ts'
import type { RunChange, SignalWatch } from '../signals/signal-watch.ts'
import type { Heard } from '../stuck/stuck.ts'
import type { FiredAlertReader } from '../../model/alert-run.ts'
import type { AppendDerived, DerivedSample } from '../../model/appender.ts'
import type { ClusterFacts, FactsChange, FleetFactsReader, ObservationReader } from '../../model/fleet-facts.ts'
import type { DerivedTrace } from '../../model/span.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import { PendingDerivations, type PendingDerivation } from './pending-derivations.ts'
import { factsChangeOf } from './facts-change.ts'
import { mergeFacts } from './merge-facts.ts'

/** Clusters with something new after a position. */
type ChangedSince = ObservationReader['changedSince']

/** What the loop tells of clusters to whoever answers questions about them. */
export interface FleetLoopBook {
  put(facts: ClusterFacts): void
  hear(cluster: string, heard: Heard): void
  describe(traits: ReadonlyMap<string, ClusterTraits>): void
  verdicts(nowMs: number): readonly StuckVerdict[]
  coverage(nowMs: number): FleetCoverage
  gone(nowMs: number): ReadonlyMap<string, Gone>
  /** Those of which it was said that they are gone and that were heard again. */
  returned(): readonly ReturnedCluster[]
  readonly insight: {
    readonly edges: { estimateNext(): boolean }
    restoreSeries(written: readonly WrittenSeries[]): void
    series(verdicts: readonly StuckVerdict[], gone: ReadonlyMap<string, Gone>, nowMs: number): readonly DerivedSample[]
  }
}

export interface FleetWriter {
  putRuns(changes: readonly RunChange[]): Promise<void>
  /** Together with how far facts are derived, in one transaction. */
  putFacts(changes: readonly FactsChange[], position: string | undefined): Promise<void>
  replaceSpans(traces: readonly DerivedTrace[], nowMs: number): Promise<void>
}

export interface FleetLoopParts extends EvidenceReader {
  readonly signals: SignalWatch
  readonly observations: ObservationReader
  readonly spans: EvidenceReader['spans'] & { readonly changedSince: ChangedSince }
  readonly facts: Pick<FleetFactsReader, 'cluster'>
  /** What fired on clusters: their upgrades' traces tell of it. */
  readonly alerts: FiredAlertReader
  /** How far facts were derived before, as `putFacts` was told. */
  readonly position: () => Promise<string | undefined>
  readonly writer: FleetWriter
  readonly counting: CountingPorts
  readonly traitsAt: (timeMs: number) => Promise<ReadonlyMap<string, ClusterTraits>>
  /** Resolves when it knows all that is kept. */
  readonly book: Promise<FleetLoopBook>
  /** The series that were written before the start. */
  readonly writtenSeries: (nowMs: number) => readonly WrittenSeries[]
  readonly appendDerived: AppendDerived
  /** How long observations are kept: facts that ended before stay as they are. */
  readonly keptMs: number
  /** Milliseconds that only rise. */
  readonly stopwatchMs: () => number
}

/** What one beat did. */
export interface FleetReport {
  /** Clusters whose metrics were read, and those that were derived. */
  readonly read: number
  readonly derived: number
  /** Clusters that wait for the next beat. */
  readonly waiting: number
  /** What failed, with the cluster or the part of the work it failed for; at most `FAILURES_TOLD`. */
  readonly failures: readonly { readonly subject: string; readonly error: string }[]
  readonly tookMs: number
  /** Clusters that were said to be gone and were heard again. */
  readonly returned: readonly ReturnedCluster[]
  /** What pages show otherwise now. */
  readonly changed: readonly ChangedFacts[]
}

/** How far what was received is derived. */
export interface FleetProgress {
  /** All that was received until then is; absent: not yet since the start. */
  readonly caughtUpMs?: number
  /** Clusters that sent something that is not. */
  readonly waiting: number
  /** Days of adoption that are still to be counted, or anew. */
  readonly daysLeft: number
}

export interface FleetLoop {
  beat(nowMs: number): Promise<FleetReport>
  progress(): FleetProgress
  /** Who was gone from a time on is known otherwise: days from then are counted again. */
  recount(fromMs: number, nowMs: number): void
}

/** Of reading and of deriving each, a beat. */
const BUDGET_MS = 700
/** Of telling alerts in traces. */
const ALERTS_BUDGET_MS = 200
/** Of estimating edges that changed. */
const EDGES_BUDGET_MS = 300
/** Without a look at what else waits. */
const SLICE_MS = 15
/** Clusters of one write. */
const BATCH = 50
const FAILURES_TOLD = 10
const HEAR_EVERY_MS = 10_000
/** Longer than any way of sending may rest. */
const HEARD_WITHIN_MS = 2 * 60 * 60_000
const TRAITS_EVERY_MS = 5 * 60_000
const COUNT_EVERY_MS = 60_000
/** While days are left that could not all be counted at once. */
const COUNT_AGAIN_MS = 5_000
/** Counted again after a start. */
const RECOUNTED_MS = 2 * 24 * 60 * 60_000

interface Position {
  readonly observations: number
  readonly spans: number
  readonly alerts: number
}

export function createFleetLoop(parts: FleetLoopParts): FleetLoop {
  const { signals, observations, spans, facts, writer, stopwatchMs } = parts
  const pending = new PendingDerivations<Position>()
  const alertTraces = createAlertTraces(parts)
  const changes = createFleetChangeWatch()
  let fetched: Position | undefined
  let saved: string | undefined
  /** Changes that came until then were taken. */
  let takenMs = -Infinity
  /** Clusters whose metrics were read since, and up to when what they sent was worked in before. */
  const readSinceMs = new Map<string, number>()
  let failures: { subject: string; error: string }[] = []
  const due = { hear: -Infinity, series: -Infinity, traits: -Infinity, count: -Infinity }
  let isRestored = false
  /** What was counted in days that are past, and is known otherwise since. */
  const late = new LateChanges()
  let hasCounted = false
  let daysLeft = 0
  let caughtUpMs: number | undefined

  /** Clusters with something that is not read or not derived: each once, or a page would tell of more than there are. */
  const waitingCount = (): number => {
    const underived = new Set(pending.clusters())
    return signals.waiting + [...underived].filter((cluster) => !signals.isWaiting(cluster)).length
  }

  /** All that was received until then is in the facts; -Infinity: not yet all that was there at the start. */
  const derivedUntilMs = (): number => Math.min(takenMs, signals.readUntilMs, pending.oldestMs)

  const tell = (subject: string, thrown: unknown): void => {
    if (failures.length < FAILURES_TOLD) failures.push({ subject, error: messageOf(thrown) })
  }
  const isDue = (what: keyof typeof due, everyMs: number, nowMs: number): boolean => {
    // A clock that was set back begins anew.
    if (Math.abs(nowMs - due[what]) < everyMs) return false
    due[what] = nowMs
    return true
  }
  /** Runs `step` until it answers false or the time is up; queries are let through. */
  const within = async (budgetMs: number, step: () => Promise<boolean>): Promise<void> => {
    const startedMs = stopwatchMs()
    let sliceMs = startedMs
    while (await step()) {
      const timeMs = stopwatchMs()
      if (timeMs - startedMs >= budgetMs) return
      if (timeMs - sliceMs < SLICE_MS) continue
      await nextTurn()
      sliceMs = stopwatchMs()
    }
  }

  const readSignals = async (nowMs: number): Promise<number> => {
    signals.look(nowMs)
    let changes: (RunChange & PendingDerivation)[] = []
    let read = 0
    const write = async (): Promise<void> => {
      const batch = changes
      changes = []
      if (batch.length === 0) return
      try {
        await writer.putRuns(batch.map(({ cluster, fromMs, runs }) => ({ cluster, fromMs, runs })))
      } catch (thrown) {
        for (const { cluster, sinceMs } of batch) signals.again(cluster, sinceMs)
        throw thrown
      }
      for (const { cluster, sinceMs } of batch) {
        readSinceMs.set(cluster, Math.min(sinceMs, readSinceMs.get(cluster) ?? Infinity))
      }
    }
    let left = signals.waiting
    await within(BUDGET_MS, async () => {
      const cluster = left-- > 0 ? signals.next() : undefined
      if (cluster === undefined) return false
      try {
        const sinceMs = signals.sinceMs(cluster)
        const change = signals.read(cluster, await observations.runs(cluster), nowMs)
        read++
        if (change !== undefined) changes.push({ ...change, sinceMs })
      } catch (thrown) {
        tell(cluster, thrown)
      }
      if (changes.length >= BATCH) await write()
      return true
    })
    await write()
    return read
  }

  const takeChanged = async (nowMs: number): Promise<void> => {
    fetched ??= positionOf((saved = await parts.position()))
    const [observed, told, alerts] = [
      await observations.changedSince(fetched.observations),
      await spans.changedSince(fetched.spans),
      await alertTraces.take(fetched.alerts),
    ]
    for (const cluster of [...observed.clusters, ...told.clusters]) {
      pending.add({ cluster, sinceMs: Math.min(takenMs, readSinceMs.get(cluster) ?? Infinity) })
    }
    pending.retry(nowMs)
    fetched = { observations: observed.position, spans: told.position, alerts }
    pending.addedUpTo(fetched)
    takenMs = nowMs
    readSinceMs.clear()
  }

  const tellAlerts = (nowMs: number): Promise<void> =>
    within(ALERTS_BUDGET_MS, async () => {
      try {
        return await alertTraces.next(nowMs)
      } catch (thrown) {
        tell('alerts in traces', thrown)
        return true
      }
    })

  const derivePending = async (nowMs: number, book: FleetLoopBook): Promise<number> => {
    let batch: (PendingDerivation & { readonly facts: ClusterFacts; readonly change: FactsChange | undefined })[] = []
    let traces: DerivedTrace[] = []
    let derived = 0
    const write = async (): Promise<void> => {
      const [done, ended] = [batch, traces]
      const put = done.flatMap(({ change }) => change ?? [])
      batch = []
      traces = []
      // It may be of less than is derived, and then some is done twice.
      const reached = alertTraces.waiting === 0 ? pending.reachedWith(done) : undefined
      const position = reached === undefined ? undefined : JSON.stringify(reached)
      const isAhead = position !== undefined && position !== saved
      try {
        // Facts last: whoever is killed before them derives, and writes, all of it again.
        if (ended.length > 0) await writer.replaceSpans(ended, nowMs)
        if (put.length > 0 || isAhead) await writer.putFacts(put, isAhead ? position : undefined)
        if (isAhead) saved = position
      } catch (thrown) {
        for (const one of done) pending.add(one)
        throw thrown
      }
      pending.kept(done)
      for (const one of done) book.put(one.facts)
    }
    await within(BUDGET_MS, async () => {
      const next = pending.take()
      if (next === undefined) return false
      const { cluster } = next
      try {
        const before = await facts.cluster(cluster)
        const after = mergeFacts(before, await deriveFrom(parts, cluster), nowMs - parts.keptMs)
        const change = factsChangeOf(before, after)
        if (change !== undefined) traces.push(...(await changedTraces(before, after, change, parts.alerts)))
        const fromMs = changedFromMs(before, after)
        if (fromMs !== undefined) late.note(fromMs, nowMs)
        batch.push({ ...next, facts: after, change })
        changes.derived(before, after)
        derived++
      } catch (thrown) {
        tell(cluster, thrown)
        pending.fail(next, nowMs)
      }
      if (batch.length >= BATCH) await write()
      return true
    })
    await write()
    return derived
  }

  /** What was heard of clusters that say the same as before changes no fact, and still tells silence from rest. */
  const hear = async (nowMs: number, book: FleetLoopBook): Promise<void> => {
    signals.eachHeard((cluster, metricsMs) => {
      book.hear(cluster, { metricsMs })
    })
    const lately = await observations.heardSince(nowMs - HEARD_WITHIN_MS)
    for (const { cluster, objectsMs } of lately) book.hear(cluster, { objectsMs })
    changes.stands(book.coverage(nowMs), book.verdicts(nowMs))
  }

  const writeSeries = async (nowMs: number, book: FleetLoopBook): Promise<void> => {
    if (!isRestored) book.insight.restoreSeries(parts.writtenSeries(nowMs))
    isRestored = true
    if (!isDue('series', DERIVED_EVERY_MS, nowMs)) return
    const samples = book.insight.series(book.verdicts(nowMs), book.gone(nowMs), nowMs)
    if (samples.length > 0) await parts.appendDerived(samples)
  }

  /** Not before all that is stored was read once: a fleet of which a part is known is no denominator. */
  const count = async (nowMs: number): Promise<void> => {
    if (!hasCounted && (signals.hasUntried || pending.hasUntried)) return
    if (!isDue('count', daysLeft > 0 ? COUNT_AGAIN_MS : COUNT_EVERY_MS, nowMs)) return
    // What was written and not yet counted when the process ended is among the last days.
    if (!hasCounted) late.note(nowMs - RECOUNTED_MS, nowMs)
    hasCounted = true
    daysLeft = await countDays(parts.counting, nowMs, late.changes)
  }

  return {
    beat: async (nowMs) => {
      const startedMs = stopwatchMs()
      failures = []
      const attempt = async <T>(subject: string, work: () => Promise<T>): Promise<T | undefined> => {
        try {
          return await work()
        } catch (thrown) {
          tell(subject, thrown)
          return undefined
        }
      }
      const book = await parts.book
      const read = await attempt('metrics', () => readSignals(nowMs))
      const derived = await attempt('facts', async () => {
        await takeChanged(nowMs)
        await tellAlerts(nowMs)
        return derivePending(nowMs, book)
      })
      if (isDue('hear', HEAR_EVERY_MS, nowMs)) await attempt('signs of life', () => hear(nowMs, book))
      await attempt('edges', () => within(EDGES_BUDGET_MS, () => Promise.resolve(book.insight.edges.estimateNext())))
      await attempt('traits', async () => {
        if (isDue('traits', TRAITS_EVERY_MS, nowMs)) book.describe(await parts.traitsAt(nowMs))
      })
      await attempt('series', () => writeSeries(nowMs, book))
      await attempt('counts of the day', () => count(nowMs))
      if (read !== undefined && derived !== undefined && derivedUntilMs() > -Infinity) caughtUpMs = derivedUntilMs()
      changes.waits(waitingCount())
      return {
        read: read ?? 0,
        derived: derived ?? 0,
        waiting: waitingCount() + alertTraces.waiting,
        failures,
        tookMs: stopwatchMs() - startedMs,
        returned: book.returned(),
        changed: changes.take(),
      }
    },
    progress: () => ({ ...(caughtUpMs === undefined ? {} : { caughtUpMs }), waiting: waitingCount(), daysLeft }),
    recount: (fromMs, nowMs) => {
      late.note(fromMs, nowMs)
      // Whoever said it looks.
      due.count = -Infinity
    },
  }
}

/** Absent, or of a form that is not ours: from the beginning. */
function positionOf(text: string | undefined): Position {
  const nothing = { observations: 0, spans: 0, alerts: 0 }
  if (text === undefined) return nothing
  try {
    const { observations, spans, alerts = 0 } = JSON.parse(text) as Partial<Position>
    return typeof observations === 'number' && typeof spans === 'number' ? { observations, spans, alerts } : nothing
  } catch {
    return nothing
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
