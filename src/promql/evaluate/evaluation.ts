import type { Steps } from './steps.ts'
import type { Value } from './value.ts'
import type { Queryable } from '../../model/queryable.ts'
import type { SeriesColumns } from '../../model/series.ts'
import type { Annotations } from '../annotations.ts'
import type { Expr, VectorSelector } from '../ast.ts'
import type { Budget } from '../budget.ts'
import type { Explainer } from '../explainer.ts'
import type { RowGroups } from './row-cache.ts'

/** What one query needs while it is evaluated. */
export interface Evaluation {
  readonly queryable: Queryable
  readonly budget: Budget
  readonly annotations: Annotations
  readonly lookbackMs: number
  readonly subqueryStepMs: number
  /** See `EngineOptions`. */
  readonly rollupRunsMin: number
  /** The query's own range: what `@ start()` and `@ end()` mean, inside subqueries too. */
  readonly queryStartMs: number
  readonly queryEndMs: number
  /** 0 in an instant query. */
  readonly queryStepMs: number
  /** What the store answered, by request: a selector that stands twice in a query is read once. */
  readonly selections: Map<string, readonly SeriesColumns[]>
  /** Parts that stand in the query more than once, with their text. */
  readonly repeats: ReadonlyMap<Expr, string>
  /** What such parts are at some steps. */
  readonly answers: Map<string, Value>
  /** How many selectors the whole query has. */
  readonly selectorCount: number
  /** Of whose histograms only count and sum are used; see reset-hints.ts. */
  readonly countingSelectors: ReadonlySet<VectorSelector>
  /** Groups and matches of rows; outlives the query. */
  readonly rowCache: RowGroups
  /** Present when somebody wants to know how the query is answered. */
  readonly explainer?: Explainer
  /** Evaluates a part of the expression. Here, so that the families of functions need not import each other. */
  readonly evaluate: Evaluate
}

type Evaluate = (expr: Expr, steps: Steps, evaluation: Evaluation) => Promise<Value>
