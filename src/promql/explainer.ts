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
 * Takes notes while one query is evaluated. The evaluator has a place for it that is empty unless somebody wants an
 * explanation; each hook is then one look at that place, per node or portion and never per sample.
 */

interface NodeNotes {
  totalMs: number
  result: ExplainedResult | undefined
  repeats: number
  groupsKnown: number
  groupsMade: number
}

/** As `ExplainedRead`, while it grows. */
interface ReadNotes {
  source: ExplainedRead['source']
  kernel: ExplainedRead['kernel']
  readonly fromMs: number
  readonly toMs: number
  seriesMatched: number
  seriesRead: number
  samples: number
  runs: number
  buckets: number
  widthMs: number | undefined
  portions: number
  readMs: number
  readonly tally: ReadTally
  readonly reasons: string[]
}

type Selection = RunSelection | RollupSelection

export class Explainer {
  readonly #budget: Budget
  readonly #nodes = new Map<Expr, NodeNotes>()
  /** By the matchers' array, which only one selector of a query has. */
  readonly #reads = new Map<readonly Matcher[], ReadNotes[]>()
  readonly #bySelection = new WeakMap<Selection, ReadNotes>()
  /** Why other ways were left, until a way is taken. */
  readonly #reasons = new Map<readonly Matcher[], string[]>()
  /** The node that is evaluated now, innermost last. */
  readonly #open: NodeNotes[] = []

  constructor(budget: Budget) {
    this.#budget = budget
  }

  get #nowMs(): number {
    return this.#budget.busyMs
  }

  /** Evaluates a part and notes how long that took and what came out. */
  async measure<T extends Value | RangeVector>(expr: Expr, steps: Steps, work: () => Promise<T>): Promise<T> {
    const notes = this.#notesOf(expr)
    const startedMs = this.#nowMs
    this.#open.push(notes)
    try {
      const value = await work()
      const before = this.#nowMs
      notes.totalMs += before - startedMs
      notes.result = 'type' in value ? sizeOf(value, steps) : rangeSizeOf(value, steps)
      // Counting is nobody's time: it would not have been without the explanation.
      this.#budget.forgetMs(this.#nowMs - before)
      return value
    } finally {
      this.#open.pop()
    }
  }

  /** An equal part had been evaluated, and its answer is taken. */
  noteRepeat(expr: Expr): void {
    this.#notesOf(expr).repeats++
  }

  /** The same cache, its lookups noted. */
  noting(cache: RowCache): RowGroups {
    return {
      groups: (rows, grouping) => {
        const notes = this.#open.at(-1)
        if (notes !== undefined) {
          if (cache.knows(rows, grouping)) notes.groupsKnown++
          else notes.groupsMade++
        }
        return cache.groups(rows, grouping)
      },
      translation: (from, to) => cache.translation(from, to),
    }
  }

  /** A cheaper way to read this selector was not taken. */
  leave(matchers: readonly Matcher[], reason: string): void {
    const reasons = this.#reasons.get(matchers)
    if (reasons === undefined) this.#reasons.set(matchers, [reason])
    else if (!reasons.includes(reason)) reasons.push(reason)
  }

  /** Before a selection is made; the request takes the tally. It counts when something was read of it. */
  beginRead(matchers: readonly Matcher[], source: ExplainedRead['source'], fromMs: number, toMs: number): ReadNotes {
    const notes: ReadNotes = {
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
    this.#reasons.set(matchers, notes.reasons)
    const reads = this.#reads.get(matchers)
    if (reads === undefined) this.#reads.set(matchers, [notes])
    else reads.push(notes)
    return notes
  }

  /** The selection that a read is made of; several may be of one. */
  attach(selection: Selection, notes: ReadNotes | undefined): void {
    if (notes === undefined) return
    notes.seriesMatched = Math.max(notes.seriesMatched, selection.rows.length)
    if ('widthMs' in selection) notes.widthMs = selection.widthMs
    this.#bySelection.set(selection, notes)
  }

  notesOf(selection: Selection): ReadNotes | undefined {
    return this.#bySelection.get(selection)
  }

  /** Samples have to be made of runs first. */
  expand(selection: RunSelection, func: string): void {
    const notes = this.#bySelection.get(selection)
    if (notes === undefined) return
    notes.kernel = 'samples'
    notes.reasons.push(`${func} is computed of samples: it has no way over runs`)
  }

  /** The time to give to `notePortion`. */
  beginPortion(): number {
    return this.#nowMs
  }

  notePortion(selection: RunSelection, series: number, runs: RunColumns, startedMs: number): void {
    const notes = this.#bySelection.get(selection)
    if (notes === undefined) return
    notes.readMs += this.#nowMs - startedMs
    notes.portions++
    notes.seriesRead += series
    notes.runs += runs.count
    for (let run = 0; run < runs.count; run++) notes.samples += runs.counts[run]!
  }

  noteNewest(selection: RunSelection, samples: number, startedMs: number): void {
    const notes = this.#bySelection.get(selection)
    if (notes === undefined) return
    notes.source = 'newest'
    notes.kernel = 'samples'
    notes.readMs += this.#nowMs - startedMs
    notes.portions++
    notes.seriesRead += samples
    notes.samples += samples
  }

  noteBuckets(selection: RollupSelection, series: number, buckets: number): void {
    const notes = this.#bySelection.get(selection)
    if (notes === undefined) return
    notes.portions++
    notes.seriesRead += series
    notes.buckets += buckets
  }

  noteSamples(notes: ReadNotes, series: number, samples: number, startedMs: number): void {
    notes.readMs += this.#nowMs - startedMs
    notes.portions++
    notes.seriesMatched += series
    notes.seriesRead += series
    notes.samples += samples
  }

  /** The tree of what was noted. */
  treeOf(root: Expr): ExplainedNode {
    return this.#node(root)
  }

  #node(outer: Expr): ExplainedNode {
    const expr = unwrapParens(outer)
    // Of parentheses only the outermost are evaluated by themselves.
    const notes = this.#nodes.get(outer) ?? this.#nodes.get(expr)
    const children = childrenOf(expr).map((child) => this.#node(child))
    const reads = expr.kind === 'vector' ? this.#readsOf(expr) : []
    const belowMs = children.reduce((sum, child) => sum + child.totalMs, 0)
    const readMs = reads.reduce((sum, read) => sum + read.readMs, 0)
    const totalMs = notes?.totalMs ?? belowMs + readMs
    return {
      kind: expr.kind,
      text: formatExpr(expr),
      from: expr.from,
      to: expr.to,
      result: notes?.result,
      totalMs,
      ownMs: totalMs - belowMs,
      isStepInvariant: isStepInvariant(expr),
      repeats: notes?.repeats ?? 0,
      groupsKnown: notes?.groupsKnown ?? 0,
      groupsMade: notes?.groupsMade ?? 0,
      reads,
      children,
    }
  }

  #readsOf({ matchers }: VectorSelector): readonly ExplainedRead[] {
    const notes = this.#reads.get(matchers) ?? []
    return notes
      .filter(({ portions }) => portions > 0)
      .map(({ tally, ...read }) => ({
        ...read,
        store: storeOf(tally),
      }))
  }

  #notesOf(expr: Expr): NodeNotes {
    let notes = this.#nodes.get(expr)
    if (notes === undefined) {
      notes = { totalMs: 0, result: undefined, repeats: 0, groupsKnown: 0, groupsMade: 0 }
      this.#nodes.set(expr, notes)
    }
    return notes
  }
}

/** Undefined for a store that does not count. */
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
