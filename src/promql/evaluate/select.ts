import type { Lens } from './range-series.ts'
import { LabelList } from '../../model/label-rows.ts'
import { keyOfMatchers } from '../../model/matcher.ts'
import type { RunSelection } from '../../model/queryable.ts'
import type { SeriesColumns } from '../../model/series.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { bitsOf, isStaleAt } from '../../model/sample.ts'
import type { AtTime, VectorSelector } from '../ast.ts'
import type { Evaluation } from './evaluation.ts'
import { histogramSamples } from './step-samples.ts'
import { stepTimeMs, type Steps } from './steps.ts'
import type { Grid } from './grid.ts'
import { CellWriter } from './histogram-cells.ts'
import { withResetHints } from './reset-hints.ts'
import { steppedOverRollups } from './select-rollups.ts'
import { newestGrid, steppedGrid, type Wants } from './select-runs.ts'

export function lensOf(modifiers: { readonly at?: AtTime; readonly offsetMs: number }, evaluation: Evaluation): Lens {
  const { at, offsetMs } = modifiers
  if (at === undefined) return { fixedMs: undefined, offsetMs }
  if (at.kind === 'time') return { fixedMs: at.timeMs, offsetMs }
  return { fixedMs: at.kind === 'start' ? evaluation.queryStartMs : evaluation.queryEndMs, offsetMs }
}

/** The time at which a selector is evaluated for one step, after `offset` and `@`. */
export function selectorTimeMs(lens: Lens, steps: Steps, step: number): number {
  return (lens.fixedMs ?? stepTimeMs(steps, step)) - lens.offsetMs
}

/** The times that a selector reads: `(first time - windowMs, last time]`. */
export function readRange(lens: Lens, steps: Steps, windowMs: number): TimeRange {
  const fromMs = selectorTimeMs(lens, steps, 0) - windowMs + 1
  return { fromMs, toMs: selectorTimeMs(lens, steps, steps.count - 1) }
}

/** Series with a sample in `(first time - windowMs, last time]`, read once per query. */
export function selectSeries(
  selector: VectorSelector,
  lens: Lens,
  steps: Steps,
  windowMs: number,
  hint: { readonly func?: string; readonly rangeMs: number; readonly isNewestOnly?: boolean },
  evaluation: Evaluation,
): readonly SeriesColumns[] {
  const { fromMs, toMs } = readRange(lens, steps, windowMs)
  const { func = '', rangeMs, isNewestOnly = false } = hint
  const key = `${fromMs} ${toMs} ${steps.stepMs} ${func} ${rangeMs} ${isNewestOnly} ${keyOfMatchers(selector.matchers)}`
  const known = evaluation.selections.get(key)
  if (known !== undefined) return known
  const { budget, explainer } = evaluation
  budget.check()
  const notes = explainer?.beginRead(selector.matchers, 'samples', fromMs, toMs)
  const startedMs = explainer?.beginPortion() ?? 0
  const series = evaluation.queryable.select({
    matchers: selector.matchers,
    fromMs,
    toMs,
    maxSamples: budget.samplesLeft,
    work: budget.regexWork,
    missing: evaluation.annotations.missingIn(selector),
    hint: { ...hint, stepMs: steps.stepMs },
    ...(notes === undefined ? {} : { tally: notes.tally }),
  })
  let samples = 0
  for (const columns of series) samples += columns.count + addedByHistograms(columns)
  if (notes !== undefined) explainer?.recordSamples(notes, series.length, samples, startedMs)
  budget.takeSamples(series.length, samples)
  budget.holdBytes(samples * SAMPLE_BYTES)
  evaluation.selections.set(key, series)
  return series
}

/** A time and a value. */
const SAMPLE_BYTES = 16

/** Samples beyond one for each histogram, so that the limit on samples bounds memory. */
function addedByHistograms({ histograms }: SeriesColumns): number {
  let samples = 0
  for (const histogram of histograms ?? []) if (histogram !== undefined) samples += histogramSamples(histogram) - 1
  return samples
}

/** Like `selectSeries`, for a store with runs: the result is read portion by portion. */
export function selectRuns(
  selector: VectorSelector,
  lens: Lens,
  steps: Steps,
  windowMs: number,
  { queryable, budget, annotations, explainer }: Evaluation,
): RunSelection | undefined {
  budget.check()
  const { matchers } = selector
  const { fromMs, toMs } = readRange(lens, steps, windowMs)
  const missing = annotations.missingIn(selector)
  const request = { matchers, fromMs, toMs, maxSamples: budget.samplesLeft, work: budget.regexWork, missing }
  const notes = explainer?.beginRead(matchers, 'runs', fromMs, toMs)
  const selection = queryable.selectRuns?.(notes === undefined ? request : { ...request, tally: notes.tally })
  if (selection !== undefined) explainer?.attach(selection, notes)
  if (selection?.resolutionMs !== undefined) annotations.inform('coarseSamples', selector, selection.resolutionMs)
  return selection
}

/** An instant selector at every step: the newest sample within the lookback, unless it is a stale marker. */
export async function evaluateSelector(
  selector: VectorSelector,
  steps: Steps,
  evaluation: Evaluation,
  wants: Wants = 'values',
): Promise<Grid> {
  const grid = await newestOf(selector, steps, evaluation, wants)
  evaluation.stepSamples?.addSelected(grid)
  return grid
}

async function newestOf(selector: VectorSelector, steps: Steps, evaluation: Evaluation, wants: Wants): Promise<Grid> {
  const lens = lensOf(selector, evaluation)
  const isNewestOnly = steps.count === 1 || lens.fixedMs !== undefined
  if (!isNewestOnly) {
    const firstMs = selectorTimeMs(lens, steps, 0)
    const rolled = await steppedOverRollups(selector, firstMs, steps, hasOneName(selector), wants, evaluation)
    if (rolled !== undefined) return rolled
  }
  const runs = selectRuns(selector, lens, steps, evaluation.lookbackMs, evaluation)
  if (runs !== undefined && runs.hasHistograms !== true) {
    return isNewestOnly
      ? newestGrid(runs, steps.count, hasOneName(selector), wants, evaluation)
      : await steppedGrid(runs, selectorTimeMs(lens, steps, 0), steps, hasOneName(selector), wants, evaluation)
  }
  if (runs !== undefined) evaluation.explainer?.leave(selector.matchers, 'runs cannot represent native histograms')
  return gridOfSamples(selector, lens, steps, isNewestOnly, evaluation, wants)
}

function gridOfSamples(
  selector: VectorSelector,
  lens: Lens,
  steps: Steps,
  isNewestOnly: boolean,
  evaluation: Evaluation,
  wants: Wants,
): Grid {
  const isCounting = evaluation.countingSelectors.has(selector)
  const hint = { rangeMs: 0, isNewestOnly: isNewestOnly && !isCounting }
  // The hint of a sample depends on the one before, which may be older than the lookback.
  const windowMs = isCounting ? evaluation.lookbackMs * 2 : evaluation.lookbackMs
  const found = selectSeries(selector, lens, steps, windowMs, hint, evaluation)
  const series = isCounting ? found.map(withResetHints) : found
  evaluation.budget.takeCells(series.length, steps.count)
  const cells = new CellWriter(series.length * steps.count)
  for (let row = 0; row < series.length; row++) {
    fillRow(series[row]!, row * steps.count, lens, steps, evaluation.lookbackMs, wants, cells)
  }
  const labels = new LabelList(series.map((columns) => columns.labels))
  return { steps: steps.count, labels, isNameless: false, isOneName: hasOneName(selector), ...cells.columns() }
}

/** Whether all series a selector can find have one metric name. */
export function hasOneName(selector: VectorSelector): boolean {
  return selector.matchers.some((matcher) => matcher.name === '__name__' && matcher.op === '=')
}

// HOT: once per series and step. Checks for a stale marker only where the value is NaN.
function fillRow(
  { timesMs, values: samples, count, histograms }: SeriesColumns,
  cell: number,
  lens: Lens,
  steps: Steps,
  lookbackMs: number,
  wants: Wants,
  cells: CellWriter,
): void {
  const { values, present } = cells
  let bits: Uint32Array | undefined
  let i = -1
  for (let s = 0; s < steps.count; s++) {
    const atMs = selectorTimeMs(lens, steps, s)
    while (i + 1 < count && timesMs[i + 1]! <= atMs) i++
    if (i < 0 || timesMs[i]! <= atMs - lookbackMs) continue
    const histogram = histograms === undefined ? undefined : histograms[i]
    const value = samples[i]!
    if (value !== value && histogram === undefined) {
      bits ??= bitsOf(samples)
      if (isStaleAt(bits, i)) continue
    }
    present[cell + s] = 1
    if (wants === 'timestamps') values[cell + s] = timesMs[i]! / 1000
    else if (histogram === undefined) values[cell + s] = value
    else cells.write(cell + s, histogram)
  }
}
