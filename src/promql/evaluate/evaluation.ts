import type { StepSamples } from './step-samples.ts'
import type { Steps } from './steps.ts'
import type { Value } from './value.ts'
import type { Queryable } from '../../model/queryable.ts'
import type { SeriesColumns } from '../../model/series.ts'
import type { Annotations } from '../annotations.ts'
import type { Expr, VectorSelector } from '../ast.ts'
import type { Budget } from '../budget.ts'
import type { Explainer } from '../explainer.ts'
import type { RowGroups } from './row-cache.ts'

/** The state of one query during its evaluation. */
export interface Evaluation {
  readonly queryable: Queryable
  readonly budget: Budget
  readonly annotations: Annotations
  readonly lookbackMs: number
  readonly subqueryStepMs: number
  /** See `EngineOptions`. */
  readonly rollupRunsMin: number
  /** The query's own range, the values of `@ start()` and `@ end()`, also inside subqueries. */
  readonly queryStartMs: number
  readonly queryEndMs: number
  /** 0 in an instant query. */
  readonly queryStepMs: number
  /** Selections of the store by request: a selector that occurs twice in a query is read once. */
  readonly selections: Map<string, readonly SeriesColumns[]>
  /** Parts that occur more than once in the query, with their text. */
  readonly repeats: ReadonlyMap<Expr, string>
  /** Results of such parts by text and steps. */
  readonly answers: Map<string, Value>
  /** The number of selectors of the whole query. */
  readonly selectorCount: number
  /** Selectors of which only count and sum of histograms are used; see reset-hints.ts. */
  readonly countingSelectors: ReadonlySet<VectorSelector>
  /** Groups and matches of rows; outlives the query. */
  readonly rowCache: RowGroups
  /** Present when the samples of each step are requested. */
  readonly stepSamples?: StepSamples
  /** Present when the query is explained. */
  readonly explainer?: Explainer
  /** Evaluates a part of the expression. A field, so that the families of functions do not import each other. */
  readonly evaluate: Evaluate
}

/** The evaluation of a part whose samples are counted by `stepSamples`, or not at all. */
export function countingInto(stepSamples: StepSamples | undefined, evaluation: Evaluation): Evaluation {
  const part: { -readonly [K in keyof Evaluation]: Evaluation[K] } = { ...evaluation }
  if (stepSamples === undefined) delete part.stepSamples
  else part.stepSamples = stepSamples
  return part
}

type Evaluate = (expr: Expr, steps: Steps, evaluation: Evaluation) => Promise<Value>
