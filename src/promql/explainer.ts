import type { Matcher } from '../model/matcher.ts'
import type { RunSelection } from '../model/queryable.ts'
import { emptyTally, type ReadTally } from '../model/read-tally.ts'
import type { RollupSelection } from '../model/rollup.ts'
import type { RunColumns } from '../model/run-columns.ts'
import { childrenOf, unwrapParens, type Expr, type VectorSelector } from './ast.ts'
import type { Budget } from './budget.ts'
import { isStepInvariant } from './evaluate/step-invariant.ts'
import type { Steps } from './evaluate/steps.ts'
import type { Value } from './evaluate/value.ts'
import type { RangeVector } from './evaluate/range-series.ts'
import type { RowCache, RowGroups } from './evaluate/row-cache.ts'
import type { ExplainedNode, ExplainedRead, ExplainedResult, ExplainedStore } from './explanation.ts'
import { formatExpr } from './format.ts'

/**
 * Records how one query is evaluated. The evaluator has a field for it that is empty without an explanation; each hook
 * then costs one check per node or portion, none per sample.
 */

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

type NodeRecord = Mutable<Pick<ExplainedNode, 'totalMs' | 'result' | 'repeats' | 'groupsKnown' | 'groupsMade'>>

/** An `ExplainedRead` under construction. */
interface ReadRecord extends Mutable<Omit<ExplainedRead, 'store' | 'reasons'>> {
  readonly tally: ReadTally
  readonly reasons: string[]
}

type Selection = RunSelection | RollupSelection

export class Explainer {
  readonly #budget: Budget
  readonly #nodes = new Map<Expr, NodeRecord>()
  /** By the matchers' array, which only one selector of a query has. */
  readonly #reads = new Map<readonly Matcher[], ReadRecord[]>()
  readonly #bySelection = new WeakMap<Selection, ReadRecord>()
  /** Why other ways to read were rejected, until one is used. */
  readonly #reasons = new Map<readonly Matcher[], string[]>()
  /** The nodes being evaluated, innermost last. */
  readonly #open: NodeRecord[] = []

  constructor(budget: Budget) {
    this.#budget = budget
  }

  get #nowMs(): number {
    return this.#budget.busyMs
  }

  /** Evaluates a part and records its duration and result. */
  async measure<T extends Value | RangeVector>(expr: Expr, steps: Steps, work: () => Promise<T>): Promise<T> {
    const record = this.#recordOf(expr)
    const startedMs = this.#nowMs
    this.#open.push(record)
    try {
      const value = await work()
      const before = this.#nowMs
      record.totalMs += before - startedMs
      record.result = 'type' in value ? sizeOf(value, steps) : rangeSizeOf(value, steps)
      // Excludes counting, which only the explanation needs.
      this.#budget.excludeMs(this.#nowMs - before)
      return value
    } finally {
      this.#open.pop()
    }
  }

  /** An equal part was evaluated before, and its result is reused. */
  recordRepeat(expr: Expr): void {
    this.#recordOf(expr).repeats++
  }

  /** The same cache with its lookups recorded. */
  recording(cache: RowCache): RowGroups {
    return {
      groups: (rows, grouping) => {
        const record = this.#open.at(-1)
        if (record !== undefined) {
          if (cache.knows(rows, grouping)) record.groupsKnown++
          else record.groupsMade++
        }
        return cache.groups(rows, grouping)
      },
      translation: (from, to) => cache.translation(from, to),
    }
  }

  /** Records why a cheaper way to read this selector was not used. */
  leave(matchers: readonly Matcher[], reason: string): void {
    const reasons = this.#reasons.get(matchers)
    if (reasons === undefined) this.#reasons.set(matchers, [reason])
    else if (!reasons.includes(reason)) reasons.push(reason)
  }

  /** Call before a selection is made; the request gets the tally. It counts only when something is read. */
  beginRead(matchers: readonly Matcher[], source: ExplainedRead['source'], fromMs: number, toMs: number): ReadRecord {
    const record: ReadRecord = {
      source,
      kernel: source === 'rollups' ? 'buckets' : source === 'runs' ? 'runs' : 'samples',
      fromMs,
      toMs,
      seriesMatched: 0,
      seriesRead: 0,
      samples: 0,
      runs: 0,
      buckets: 0,
      widthMs: undefined,
      portions: 0,
      readMs: 0,
      tally: emptyTally(),
      reasons: this.#reasons.get(matchers) ?? [],
    }
    this.#reasons.set(matchers, record.reasons)
    const reads = this.#reads.get(matchers)
    if (reads === undefined) this.#reads.set(matchers, [record])
    else reads.push(record)
    return record
  }

  /** Links a selection to its record; several selections may share one. */
  attach(selection: Selection, record: ReadRecord | undefined): void {
    if (record === undefined) return
    record.seriesMatched = Math.max(record.seriesMatched, selection.rows.length)
    if ('widthMs' in selection) record.widthMs = selection.widthMs
    this.#bySelection.set(selection, record)
  }

  recordOf(selection: Selection): ReadRecord | undefined {
    return this.#bySelection.get(selection)
  }

  /** Records that runs have to be expanded to samples. */
  expand(selection: RunSelection, func: string): void {
    const record = this.#bySelection.get(selection)
    if (record === undefined) return
    record.kernel = 'samples'
    record.reasons.push(`${func} is computed from samples: it does not support runs`)
  }

  /** The start time for `recordPortion`. */
  beginPortion(): number {
    return this.#nowMs
  }

  recordPortion(selection: RunSelection, series: number, runs: RunColumns, startedMs: number): void {
    const record = this.#bySelection.get(selection)
    if (record === undefined) return
    let samples = 0
    for (let run = 0; run < runs.count; run++) samples += runs.counts[run]!
    record.runs += runs.count
    this.#addPortion(record, series, samples, startedMs)
  }

  recordNewest(selection: RunSelection, samples: number, startedMs: number): void {
    const record = this.#bySelection.get(selection)
    if (record === undefined) return
    record.source = 'newest'
    record.kernel = 'samples'
    this.#addPortion(record, samples, samples, startedMs)
  }

  recordBuckets(selection: RollupSelection, series: number, buckets: number): void {
    const record = this.#bySelection.get(selection)
    if (record === undefined) return
    record.buckets += buckets
    this.#addPortion(record, series, 0)
  }

  recordSamples(record: ReadRecord, series: number, samples: number, startedMs: number): void {
    record.seriesMatched += series
    this.#addPortion(record, series, samples, startedMs)
  }

  #addPortion(record: ReadRecord, series: number, samples: number, startedMs?: number): void {
    if (startedMs !== undefined) record.readMs += this.#nowMs - startedMs
    record.portions++
    record.seriesRead += series
    record.samples += samples
  }

  /** The tree of the records. */
  treeOf(outer: Expr): ExplainedNode {
    const expr = unwrapParens(outer)
    // Of nested parentheses only the outermost are evaluated.
    const record = this.#nodes.get(outer) ?? this.#nodes.get(expr)
    const children = childrenOf(expr).map((child) => this.treeOf(child))
    const reads = expr.kind === 'vector' ? this.#readsOf(expr) : []
    const belowMs = children.reduce((sum, child) => sum + child.totalMs, 0)
    const readMs = reads.reduce((sum, read) => sum + read.readMs, 0)
    const totalMs = record?.totalMs ?? belowMs + readMs
    const { kind, from, to } = expr
    const part = { kind, text: formatExpr(expr), from, to, isStepInvariant: isStepInvariant(expr) }
    return { ...part, ...NOT_EVALUATED, ...record, totalMs, ownMs: totalMs - belowMs, reads, children }
  }

  #readsOf({ matchers }: VectorSelector): readonly ExplainedRead[] {
    const records = this.#reads.get(matchers) ?? []
    return records
      .filter(({ portions }) => portions > 0)
      .map(({ tally, ...read }) => ({ ...read, store: storeOf(tally) }))
  }

  #recordOf(expr: Expr): NodeRecord {
    let record = this.#nodes.get(expr)
    if (record === undefined) this.#nodes.set(expr, (record = { ...NOT_EVALUATED }))
    return record
  }
}

const NOT_EVALUATED: NodeRecord = { totalMs: 0, result: undefined, repeats: 0, groupsKnown: 0, groupsMade: 0 }

/** Undefined for a store without counters. */
function storeOf({ isMatchKnown, buckets, ...counts }: ReadTally): ExplainedStore | undefined {
  if (isMatchKnown === undefined) return undefined
  return { isMatchKnown, ...counts, buckets: Array.from(buckets, ([widthMs, count]) => ({ widthMs, count })) }
}

function sizeOf(value: Value, steps: Steps): ExplainedResult {
  const { count } = steps
  if (value.type !== 'vector') return { type: value.type, series: 1, samples: count, steps: count }
  const { grid } = value
  let series = 0
  let samples = 0
  for (let row = 0; row < grid.labels.length; row++) {
    const before = samples
    for (let cell = row * grid.steps; cell < (row + 1) * grid.steps; cell++) samples += grid.present[cell]!
    if (samples > before) series++
  }
  return { type: 'vector', series, samples, steps: count }
}

function rangeSizeOf({ series }: RangeVector, { count }: Steps): ExplainedResult {
  const samples = series.reduce((sum, one) => sum + one.count, 0)
  return { type: 'matrix', series: series.length, samples, steps: count }
}
