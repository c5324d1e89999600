import type { RunSelection, SelectRequest } from '../../model/queryable.ts'
import { childrenOf, type Expr } from '../ast.ts'
import { EDGES } from './bucket-window.ts'
import type { Evaluation } from './evaluation.ts'
import { lastStepMs, stepTimeMs, type Steps } from './steps.ts'
import { runsPerMsOf } from './rollup-worth.ts'
import { countRuns } from './run-blocks.ts'
import { lensOf, readRange, selectorTimeMs } from './select.ts'
import { selectRollup } from './select-rollups.ts'
import { subquerySteps } from './subquery-steps.ts'

/**
 * Refuses a query whose selectors stay within the limit one by one but not together, before any of them is read: twenty
 * selectors of forty million samples each would otherwise be computed until one exceeds the limit. An estimate from a
 * few series of each raises the suspicion; the store's lower bound decides.
 */

/** A shorter range is never refused early, so a rule with a range of ten minutes does not select its series twice. */
const SPAN_MS_MIN = 3_600_000
/** The shortest assumed scrape interval, for the estimate without reading samples. */
const SCRAPE_MS_MIN = 5000

interface Read {
  readonly request: SelectRequest
  readonly selection: RunSelection
}

export async function refuseEarly(expr: Expr, steps: Steps, evaluation: Evaluation): Promise<void> {
  if (evaluation.selectorCount < 2) return
  const { budget } = evaluation
  const all: Read[] = []
  collect(expr, steps, silent(evaluation), new Set(), all)
  if (all.length < 2) return
  const spanMs = ({ request }: Read): number => request.toMs - request.fromMs
  if (sum(all, (read) => (read.selection.rows.length * spanMs(read)) / SCRAPE_MS_MIN) <= budget.samplesLeft) return
  const guess = (read: Read): number =>
    read.selection.rows.length * spanMs(read) * runsPerMsOf(read.selection, read.request)
  if (sum(all, guess) <= budget.samplesLeft) return
  let runs = 0
  for (const { selection } of all) {
    if (selection.runsAtLeast === undefined) return
    runs = await countRuns(selection, 0, runs, budget)
  }
}

/**
 * The selectors that will be read as runs. Selectors that rollups or the newest sample may serve are not counted; a
 * repeated part is counted once.
 */
function collect(expr: Expr, steps: Steps, evaluation: Evaluation, seen: Set<string>, into: Read[]): void {
  const text = evaluation.repeats.get(expr)
  if (text !== undefined) {
    const key = `${steps.startMs} ${steps.stepMs} ${steps.count} ${text}`
    if (seen.has(key)) return
    seen.add(key)
  }
  if (expr.kind === 'vector') {
    const isNewestOnly = steps.count === 1 || expr.at !== undefined
    if (!isNewestOnly) read(expr, undefined, steps, evaluation, into)
    return
  }
  if (expr.kind === 'matrix') {
    read(expr.selector, expr.rangeMs, steps, evaluation, into)
    return
  }
  if (expr.kind === 'subquery') {
    const inner = subquerySteps(expr, steps, evaluation)
    if (inner !== undefined) collect(expr.expr, inner, evaluation, seen, into)
    return
  }
  for (const child of childrenOf(expr)) collect(child, steps, evaluation, seen, into)
}

function read(
  selector: Parameters<typeof lensOf>[0] & Parameters<typeof selectRollup>[0],
  rangeMs: number | undefined,
  steps: Steps,
  evaluation: Evaluation,
  into: Read[],
): void {
  const { queryable, budget, lookbackMs } = evaluation
  const { matchers } = selector
  const lens = lensOf(selector, evaluation)
  const firstMs = selectorTimeMs(lens, steps, 0)
  const { regexWork: work, samplesLeft: maxSamples } = budget
  const request = { matchers, ...readRange(lens, steps, rangeMs ?? lookbackMs), maxSamples, work }
  if (request.toMs - request.fromMs < SPAN_MS_MIN) return
  const looks = { firstMs, steps: lens.fixedMs === undefined ? steps : oneStep(steps), rangeMs, parts: EDGES }
  if (selectRollup(selector, looks, evaluation) !== undefined) return
  const selection = queryable.selectRuns?.(request)
  if (selection === undefined || selection.hasHistograms === true || selection.rows.length === 0) return
  into.push({ request, selection })
}

/** The explanation covers reads, and nothing is read here. */
function silent(evaluation: Evaluation): Evaluation {
  const copy: { -readonly [K in keyof Evaluation]: Evaluation[K] } = { ...evaluation }
  delete copy.explainer
  return copy
}

function oneStep(steps: Steps): Steps {
  return { startMs: stepTimeMs(steps, 0), stepMs: lastStepMs(steps) - steps.startMs + 1, count: 1 }
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
