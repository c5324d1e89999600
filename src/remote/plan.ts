/** How a query is answered: sent to the store as it is, sent in another form, or evaluated here over fetched series. Pure. */
import { positionOf } from '../model/diagnostic.ts'
import type { Matcher } from '../model/matcher.ts'
import { childrenOf, selectorsOf, type Expr, type VectorSelector } from '../promql/ast.ts'
import { formatExpr } from '../promql/format.ts'
import { differencesOf, lackedBy, type Difference } from './differences.ts'
import { canAddScope, maySelect, rewritten } from './rewrite.ts'
import { nameOf, type StoreTraits } from './traits.ts'

export type LocalReason =
  | 'recorded'
  | 'server'
  | 'histograms'
  | 'constant'
  | 'rejected'
  | 'refused'
  | 'split'
  | 'facts'
  | 'scope'
  | 'lacks'
  | 'differs'
  | 'lookback'
  | 'length'

export interface PushedPlan {
  readonly way: 'pushed' | 'rewritten'
  /** For the store. */
  readonly text: string
  /** One sentence without a full stop. */
  readonly sentence: string
  /** Differences that affect the answer. */
  readonly notes: readonly string[]
}

export interface LocalPlan {
  readonly way: 'local'
  readonly reason: LocalReason
  readonly sentence: string
  /** Differences of what is stored. */
  readonly notes: readonly string[]
}

export type Plan = PushedPlan | LocalPlan

export interface PlannedQuery {
  readonly query: string
  /** Parsed, with all durations resolved. */
  readonly expr: Expr
  readonly startMs: number
  readonly endMs: number
  /** 0: an instant query. */
  readonly stepMs: number
  readonly lookbackMs: number
  /** A range query of a type that has none. */
  readonly isRefused: boolean
  /** It has more steps than one request may have, so `@ end()` would be the end of a part. */
  readonly isSplit: boolean
}

export interface PlanContext {
  /** `undefined`: not needed, because the query reads no series. */
  readonly traits: StoreTraits | undefined
  readonly differences: readonly Difference[]
  /** Names of series that only this server has. */
  readonly ownNames: readonly string[]
  /** Names of series that rules record, for queries of rules: the result of a rule before is in no other store yet. */
  readonly recordedNames: readonly string[]
  readonly scope: Matcher | undefined
  readonly subqueryStepMs: number
  readonly isExact: boolean
  /** Whether a selector selects native histograms. */
  readonly hasHistograms: (selector: VectorSelector) => boolean
}

/** The default of every store. */
export const STORE_LOOKBACK_MS = 300_000

export function planOf(planned: PlannedQuery, context: PlanContext): Plan {
  const { query, expr, startMs, endMs, stepMs, lookbackMs, isSplit } = planned
  const { traits, scope, ownNames, subqueryStepMs } = context
  let notes: readonly string[] = []
  const local = (reason: LocalReason, sentence: string): Plan => ({ way: 'local', reason, sentence, notes })
  const selectors = selectorsOf(expr)
  if (selectors.length === 0 || traits === undefined) return local('constant', 'the query reads no series')
  if (planned.isRefused) return local('refused', 'a range query cannot have this type')
  const found = differencesOf(query, expr, stepMs > 0, traits, context.differences)
  const histograms = selectors.filter(context.hasHistograms)
  notes = [
    ...found.filter(({ difference }) => difference.isOfStorage === true).map(({ sentence }) => sentence),
    ...histograms.slice(0, 1).map((one) => histogramNote(query, one, traits)),
  ]
  const own = selectors.find((one) => maySelect(one, ownNames))
  if (own !== undefined) {
    return local(
      'facts',
      `${own.metric ?? 'a selector without a metric name'} may select series that are computed from facts`,
    )
  }
  const recorded = selectors.find((one) => maySelect(one, context.recordedNames))
  if (recorded !== undefined) {
    return local(
      'recorded',
      `${recorded.metric ?? 'a selector without a metric name'} may select series that rules record here`,
    )
  }
  if (scope !== undefined && !canAddScope(expr, scope)) {
    return local('scope', 'the clusters of the user cannot be added to the query without another change of the answer')
  }
  if (isSplit && selectorsHaveEnds(expr)) {
    return local('split', 'the query has too many steps for one request, and @ start() or @ end()')
  }
  if (lookbackMs !== STORE_LOOKBACK_MS && traits.lookbackParam === undefined) {
    return local('lookback', `${nameOf(traits)} has no lookback of a single query`)
  }
  if (histograms.length > 0 && !traits.isMetricsQl && !traits.isLeftOpen) {
    return local('histograms', `${nameOf(traits)} computes native histograms differently`)
  }
  const changed = rewritten(expr, {
    ...{ startMs, endMs, stepMs, subqueryStepMs, scope },
    closesRanges: !traits.isLeftOpen,
    hasPlainNumbers: traits.lacks.has('a duration as a number'),
    ...(traits.isMetricsQl && { metricsQl: { hasChangesPrometheus: !traits.lacks.has('changes_prometheus') } }),
  })
  const lacked = lackedBy(changed, traits)
  if (lacked.length > 0) return local('lacks', `${nameOf(traits)} does not have ${lacked.join(', ')}`)
  const deciding = found.filter(({ difference }) => context.isExact || difference.effect === 'values')
  if (deciding.length > 0) return local('differs', deciding.map(({ sentence }) => sentence).join('; '))
  const isSame = changed === expr
  const text = formatExpr(changed)
  if (Buffer.byteLength(text) > traits.queryBytesMax) {
    return local('length', `the query has more than ${traits.queryBytesMax} bytes, the limit of ${nameOf(traits)}`)
  }
  notes = [...new Set([...notes, ...found.map(({ sentence }) => sentence)])]
  return isSame
    ? { way: 'pushed', text, notes, sentence: 'the query is sent as it is' }
    : { way: 'rewritten', text, notes, sentence: 'the query is sent in another form with the same result' }
}

/** Whether a part is fixed at an end of the query's own range. */
function selectorsHaveEnds(expr: Expr): boolean {
  const isFixed =
    (expr.kind === 'vector' || expr.kind === 'subquery') && expr.at !== undefined && expr.at.kind !== 'time'
  return isFixed || childrenOf(expr).some(selectorsHaveEnds)
}

function histogramNote(query: string, { from }: VectorSelector, traits: StoreTraits): string {
  const { line, column } = positionOf(query, from)
  const what = traits.isMetricsQl
    ? 'does not store native histograms, which some of the selected series have'
    : 'computes native histograms differently, and returns them without the hints of counter resets'
  return `${nameOf(traits)} ${what} (${line}:${column})`
}
