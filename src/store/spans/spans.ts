import type Database from 'better-sqlite3'
import { groupBy } from '../../base/group-by.ts'
import type { DerivedTrace, RefusedSpan, Span, SpanSink } from '../../model/span.ts'
import { closeDatabase, inTransaction, openDatabase } from '../database.ts'
import type { ChangeLog } from '../shipping/change-log.ts'
import { decodeSpans, encodeSpans, spanBytes } from './span-codec.ts'
import { isUpgradeSpan, tagsOf } from './span-index.ts'
import { linksOf, spanIdsOf } from './span-links.ts'
import { TraceRows, type PartRow, type TraceRow } from './trace-rows.ts'
import { bytesOf, TraceSize } from './trace-size.ts'

/**
 * Spans on the writer's side: received spans wait in memory and are written with the next commit, one part per trace;
 * parts are merged from time to time, so that a trace that arrives span by span is not rewritten with each. No span is
 * in two parts. Which of two spans with the same ids is stored does not depend on the order of arrival.
 */
interface SpanOptions {
  /** Per trace; inclusive. Derived spans are not limited. */
  readonly spansPerTraceMax: number
  /** Per trace, as `TraceSize` counts; inclusive. */
  readonly bytesPerTraceMax: number
}

/** Above it small parts are merged. */
const PARTS_MAX = 8

/** Traces that one step of `removeSome` removes at most. */
const TRACES_PER_STEP = 100

/** Interval of the removal of names without traces. */
const NAMES_EVERY_MS = 10 * 60_000

/** What waits for a commit, of one trace. */
interface Pending {
  /** In order of arrival. */
  readonly changes: Change[]
  /** Ids of spans that were put since the last commit. */
  readonly spanIds: Set<string>
  /** Of all changes. */
  bytes: number
  /** Spans were refused. */
  isCut: boolean
  receivedMs: number
}

type Change =
  | { readonly kind: 'put'; readonly spans: readonly Span[] }
  | { readonly kind: 'replace'; readonly scope: string; readonly spans: readonly Span[] }

interface Room {
  readonly taken: readonly Span[]
  readonly refused: readonly RefusedSpan[]
  /** Of the spans that fit. */
  readonly bytes: number
}

export class Spans implements SpanSink {
  readonly #rows: TraceRows
  readonly #options: SpanOptions
  readonly #changes: ChangeLog | undefined
  readonly #db: Database.Database
  #pending = new Map<string, Pending>()
  #pendingBytes = 0
  #namesFloorMs = -Infinity

  /** @param changes is given what is to be shipped; absent: nothing is */
  constructor(db: Database.Database, options: SpanOptions, changes?: ChangeLog) {
    this.#changes = changes
    this.#db = db
    this.#rows = new TraceRows(db)
    this.#options = options
  }

  get isDurable(): boolean {
    return this.#pending.size === 0
  }

  /** Memory of pending spans. */
  get pendingBytes(): number {
    return this.#pendingBytes
  }

  putSpans(spans: readonly Span[], nowMs: number): readonly RefusedSpan[] {
    const allRefused: RefusedSpan[] = []
    for (const [traceId, ofTrace] of groupBy(spans, (span) => span.traceId)) {
      const row = this.#rows.find(traceId)
      const { taken, refused, bytes } = this.#withRoom(row, this.#pending.get(traceId), ofTrace)
      allRefused.push(...refused)
      const isNewlyCut = refused.length > 0 && row?.isCut !== true
      if (taken.length === 0 && !isNewlyCut) continue
      const pending = this.#pendingOf(traceId, nowMs)
      pending.isCut ||= isNewlyCut
      if (taken.length === 0) continue
      this.#change(pending, { kind: 'put', spans: taken }, bytes)
      for (const { spanId } of taken) pending.spanIds.add(spanId)
    }
    return allRefused
  }

  replaceSpans(traces: readonly DerivedTrace[], nowMs: number): void {
    for (const { traceId, scope, spans } of traces) {
      this.#change(this.#pendingOf(traceId, nowMs), { kind: 'replace', scope, spans }, bytesOf(spans))
    }
  }

  /** Call in the transaction of a commit; then call `written` after the commit, or `failed`. */
  write(): void {
    for (const [traceId, pending] of this.#pending) {
      if (pending.changes.length > 0) this.#writeTrace(traceId, pending)
      if (pending.isCut) this.#rows.markCut(traceId)
      this.#changes?.note({ kind: 'trace', traceId })
    }
  }

  written(): void {
    if (this.isDurable) return
    this.#pending = new Map()
    this.#pendingBytes = 0
  }

  failed(): void {
    this.#rows.forget()
  }

  /** Removes some traces that ended before; true when there may be more. The connection must be free. */
  removeSome(floorMs: number): boolean {
    const old = this.#rows.olderThan(floorMs, TRACES_PER_STEP)
    if (old.length === 0) return false
    const areNamesDue = old.length < TRACES_PER_STEP && floorMs >= this.#namesFloorMs + NAMES_EVERY_MS
    inTransaction(this.#db, () => {
      for (const trace of old) this.#rows.remove(trace)
      if (areNamesDue) this.#rows.removeUnusedNames()
    })
    if (areNamesDue) this.#namesFloorMs = floorMs
    return old.length === TRACES_PER_STEP
  }

  /**
   * Removes spans of the traces of some parts after one (0: from the first), with their index. Returns the last of these
   * parts; `undefined`: there are no more. The connection must be free, and nothing may wait for a commit.
   */
  eraseSome(
    after: number,
    isErased: (span: Span) => boolean,
  ): { readonly last: number; readonly erased: number } | undefined {
    const { last, traces } = this.#rows.tracesOfParts(after, TRACES_PER_STEP)
    if (last === undefined) return undefined
    let erased = 0
    const inStep = (work: () => void): void => {
      if (this.#changes === undefined) inTransaction(this.#db, work)
      else this.#changes.inTransaction(work)
    }
    inStep(() => {
      for (const trace of traces) {
        const { traceId, ...known } = trace
        const parts = this.#rows.parts(trace.id)
        const spans = parts.flatMap(({ id }) => decodeSpans(traceId, this.#rows.part(id).payload))
        const left = spans.filter((span) => !isErased(span))
        if (left.length === spans.length) continue
        erased += spans.length - left.length
        this.#changes?.note({ kind: 'trace', traceId })
        if (left.length === 0) {
          this.#rows.remove(trace.id)
          continue
        }
        for (const { id } of parts) this.#rows.removePart(id)
        this.#rows.removeIndex(trace.id)
        this.#putRow(traceId, known, left, { ...extentOf(left, trace.retainedFromMs), isWhole: true })
        this.#putPart(trace.id, left)
      }
    })
    return { last, erased }
  }

  /** Names that no trace has. */
  removeUnusedNames(): void {
    this.#rows.removeUnusedNames()
  }

  #pendingOf(traceId: string, nowMs: number): Pending {
    let pending = this.#pending.get(traceId)
    if (pending === undefined) {
      pending = { changes: [], spanIds: new Set(), bytes: 0, isCut: false, receivedMs: nowMs }
      this.#pending.set(traceId, pending)
    }
    pending.receivedMs = Math.max(pending.receivedMs, nowMs)
    return pending
  }

  #change(pending: Pending, change: Change, bytes: number): void {
    pending.changes.push(change)
    pending.bytes += bytes
    this.#pendingBytes += bytes
  }

  /** The spans that fit into their trace, and the others. A repeat counts again; bytes are exact once it is written. */
  #withRoom(row: TraceRow | undefined, pending: Pending | undefined, spans: readonly Span[]): Room {
    const { spansPerTraceMax, bytesPerTraceMax } = this.#options
    const parts = row === undefined ? [] : this.#rows.parts(row.id)
    const before = (pending?.bytes ?? 0) + parts.reduce((sum, { bytes }) => sum + bytes, 0)
    const bytes = bytesOf(spans)
    // Some may be stored already: only when the limit may be exceeded is it worth checking.
    const atMost = countOf(parts) + (pending?.spanIds.size ?? 0) + spans.length
    if (atMost <= spansPerTraceMax && before + bytes <= bytesPerTraceMax) return { taken: spans, refused: [], bytes }
    const ids = new Set(pending?.spanIds)
    for (const { id } of parts) for (const spanId of spanIdsOf(this.#rows.part(id).links)) ids.add(spanId)
    const [taken, refused, size]: [Span[], RefusedSpan[], TraceSize] = [[], [], new TraceSize()]
    for (const span of spans) {
      if (!ids.has(span.spanId) && ids.size >= spansPerTraceMax) refused.push({ span, reason: 'trace_span_limit' })
      else if (before + size.bytes + size.of(span) > bytesPerTraceMax)
        refused.push({ span, reason: 'trace_byte_limit' })
      else {
        size.add(span)
        ids.add(span.spanId)
        taken.push(span)
      }
    }
    return { taken, refused, bytes: size.bytes }
  }

  #hasAny(parts: readonly PartRow[], spanIds: ReadonlySet<string>): boolean {
    for (const { id } of parts) {
      for (const spanId of spanIdsOf(this.#rows.part(id).links)) if (spanIds.has(spanId)) return true
    }
    return false
  }

  #writeTrace(traceId: string, pending: Pending): void {
    const known = this.#rows.find(traceId)
    const parts = known === undefined ? [] : this.#rows.parts(known.id)
    // A replaced span may have defined the trace's start or its index entries.
    const isReplaced = pending.changes.some(({ kind }) => kind === 'replace') || this.#hasAny(parts, pending.spanIds)
    if (isReplaced) this.#rewrite(traceId, known, parts, pending)
    else this.#append(traceId, known, parts, pending)
  }

  /** Writes pending spans as one more part: none of them was stored before. */
  #append(
    traceId: string,
    known: TraceRow | undefined,
    parts: readonly PartRow[],
    { changes, receivedMs }: Pending,
  ): void {
    const spans = merged(changes.flatMap((change) => change.spans))
    const row = this.#putRow(traceId, known, spans, { ...extentOf(spans, receivedMs), isWhole: false })
    const small = parts.length < PARTS_MAX ? [] : smallParts(parts, spans.length)
    this.#putPart(row.id, [...small.flatMap((part) => this.#take(traceId, part)), ...spans])
    for (const cluster of upgradeClustersOf(spans)) this.#rows.putUpgrade(cluster, row.id)
  }

  /** Rewrites the whole trace. */
  #rewrite(
    traceId: string,
    known: TraceRow | undefined,
    parts: readonly PartRow[],
    { changes, receivedMs }: Pending,
  ): void {
    let spans = parts.flatMap((part) => this.#take(traceId, part))
    const put: Span[] = []
    for (const change of changes) {
      if (change.kind === 'put') {
        put.push(...change.spans)
        spans = merged([...spans, ...change.spans])
      } else {
        const replaced = new Set(change.spans.map(({ spanId }) => spanId))
        const unchanged = spans.filter((span) => span.scope.name !== change.scope && !replaced.has(span.spanId))
        spans = [...unchanged, ...change.spans]
      }
    }
    if (spans.length === 0) {
      if (known !== undefined) this.#rows.remove(known.id)
      return
    }
    if (known !== undefined) this.#rows.removeIndex(known.id)
    const extent = extentOf(spans, receivedMs)
    // The retention of a derived trace starts with its derivation, however old the upgrade is.
    const retainedFromMs = changes.some(({ kind }) => kind === 'replace') ? receivedMs : extent.retainedFromMs
    const row = this.#putRow(traceId, known, spans, { ...extent, retainedFromMs, isWhole: true })
    this.#putPart(row.id, spans)
    for (const cluster of upgradeClustersOf(put)) this.#rows.putUpgrade(cluster, row.id)
  }

  /** Writes the trace's row and its index. @param isWhole `spans` are the complete trace */
  #putRow(
    traceId: string,
    known: TraceRow | undefined,
    spans: readonly Span[],
    { startNs, lastStartNs, retainedFromMs, isWhole }: Extent & { readonly isWhole: boolean },
  ): TraceRow {
    const { tags, isCut: areTagsCut } = tagsOf(spans)
    let row: TraceRow
    if (known === undefined) {
      const added = { startNs, lastStartNs, retainedFromMs, areTagsCut, isCut: false }
      row = { id: this.#rows.add(traceId, added), ...added }
    } else {
      row = {
        id: known.id,
        startNs: isWhole || startNs < known.startNs ? startNs : known.startNs,
        lastStartNs: isWhole || lastStartNs > known.lastStartNs ? lastStartNs : known.lastStartNs,
        retainedFromMs: Math.max(retainedFromMs, known.retainedFromMs),
        areTagsCut: (!isWhole && known.areTagsCut) || areTagsCut,
        isCut: known.isCut,
      }
      this.#rows.change(row)
    }
    this.#rows.putNames(row.id, row.startNs, spans)
    this.#rows.addTags(row.id, tags)
    return row
  }

  #putPart(trace: number, spans: readonly Span[]): void {
    const links = linksOf(spans, (service) => this.#rows.serviceOf(service))
    this.#rows.addPart(trace, { spanCount: spans.length, bytes: bytesOf(spans) }, links, encodeSpans(spans))
  }

  /** The spans of a part that is about to be rewritten. */
  #take(traceId: string, { id }: PartRow): readonly Span[] {
    const spans = decodeSpans(traceId, this.#rows.part(id).payload)
    this.#rows.removePart(id)
    return spans
  }
}

/** The writer of derived traces for short commands; a server may be running on the same data. */
interface DerivedTraceWriter {
  /** In one transaction; durable when it returns. */
  replaceSpans(traces: readonly DerivedTrace[], nowMs: number): void
  close(): void
}

/** Opens what a writer made. Throws FleetError. */
export function openDerivedTraces(dir: string): DerivedTraceWriter {
  const db = openDatabase(dir)
  return {
    replaceSpans: (traces, nowMs) => {
      // A new instance each time: its cached names may be outdated after a commit of the server.
      const spans = new Spans(db, { spansPerTraceMax: Infinity, bytesPerTraceMax: Infinity })
      spans.replaceSpans(traces, nowMs)
      inTransaction(db, () => {
        spans.write()
      })
    },
    close: () => {
      closeDatabase(db, dir, 'PASSIVE')
    },
  }
}

/** Each span once: of two with the same ids, the one that `isBetter`. In the order in which the ids first arrived. */
export function merged(spans: readonly Span[]): Span[] {
  const byId = new Map<string, Span>()
  for (const span of spans) {
    const known = byId.get(span.spanId)
    if (known === undefined || isBetter(span, known)) byId.set(span.spanId, span)
  }
  return [...byId.values()]
}

/** The later end; ties by greater bytes, which is arbitrary but independent of the order of arrival. */
function isBetter(one: Span, other: Span): boolean {
  if (one.endNs !== other.endNs) return one.endNs > other.endNs
  return Buffer.compare(spanBytes([one]), spanBytes([other])) > 0
}

/**
 * The last parts, as long as the later parts together are as large as the one before: little is rewritten, and the
 * number of parts grows with the logarithm of the trace's size.
 */
function smallParts(parts: readonly PartRow[], newSpans: number): readonly PartRow[] {
  let from = parts.length
  let size = newSpans
  while (from > 0 && parts[from - 1]!.spanCount <= size) size += parts[--from]!.spanCount
  return parts.slice(from)
}

/** Clusters whose operators report upgrades. */
function upgradeClustersOf(spans: readonly Span[]): ReadonlySet<string> {
  return new Set(spans.filter(isUpgradeSpan).map(({ resource }) => resource.cluster))
}

function countOf(parts: readonly PartRow[]): number {
  return parts.reduce((sum, { spanCount }) => sum + spanCount, 0)
}

type Extent = Pick<TraceRow, 'startNs' | 'lastStartNs' | 'retainedFromMs'>

function extentOf(spans: readonly Span[], receivedMs: number): Extent {
  let startNs = spans[0]!.startNs
  let lastStartNs = startNs
  let endNs = 0n
  for (const span of spans) {
    if (span.startNs < startNs) startNs = span.startNs
    if (span.startNs > lastStartNs) lastStartNs = span.startNs
    if (span.endNs > endNs) endNs = span.endNs
  }
  return { startNs, lastStartNs, retainedFromMs: Math.min(receivedMs, Number(endNs / 1_000_000n)) }
}
