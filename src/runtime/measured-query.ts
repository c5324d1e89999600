/** The query engine of the query worker, counted, timed and traced. A query is canceled when its client disconnects. */
import type { QueryAnswers } from '../api/prometheus/query-answers.ts'
import type { Cancellation } from '../base/cancellation.ts'
import { FleetError } from '../base/errors.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { Tracing } from '../base/tracing.ts'
import type { QueryEngine, QueryExplainer } from '../promql/query-engine.ts'
import type { QueryServices } from '../threads/query-worker.ts'
import type { Remote } from '../threads/rpc.ts'

/** The longest expression in a trace. */
const EXPR_CHARS_MAX = 1000

export type MeasuredQuery = QueryEngine & QueryExplainer & { readonly answers: QueryAnswers }

export function measuredQuery(
  remote: Pick<Remote<QueryServices>, 'promql' | 'answers'>,
  metrics: OwnMetrics,
  tracing: Tracing,
): MeasuredQuery {
  const measure = async <T>(
    kind: string,
    signal: Cancellation | undefined,
    send: () => Promise<T>,
    expr?: string,
  ): Promise<T> => {
    if (signal?.aborted === true) {
      metrics.queries.inc({ outcome: 'query_canceled' })
      throw new FleetError('query_canceled', 'the client left before the query started')
    }
    const stop = metrics.querySeconds.startTimer({ kind })
    try {
      const attributes = { 'db.operation.name': kind, ...(expr !== undefined && { 'db.query.text': clip(expr) }) }
      const answer = tracing.isOn ? await tracing.span(`query ${kind}`, attributes, send) : await send()
      metrics.queries.inc({ outcome: 'ok' })
      return answer
    } catch (thrown) {
      metrics.queries.inc({ outcome: thrown instanceof FleetError ? thrown.code : 'bug' })
      throw thrown
    } finally {
      stop()
    }
  }
  return {
    instant: (query, signal) => measure('instant', signal, () => remote.promql.instant(query, signal), query.expr),
    range: (query, signal) => measure('range', signal, () => remote.promql.range(query, signal), query.expr),
    explain: (query, signal) => measure('explain', signal, () => remote.promql.explain(query, signal), query.expr),
    answers: {
      instant: (query, limit, left) =>
        measure('instant', left, () => remote.answers.instant(query, limit, left), query.expr),
      range: (query, limit, left) => measure('range', left, () => remote.answers.range(query, limit, left), query.expr),
    },
    series: (selectors, range) => measure('series', undefined, () => remote.promql.series(selectors, range)),
    labelNames: (selectors, range) => measure('labels', undefined, () => remote.promql.labelNames(selectors, range)),
    labelValues: (name, selectors, range) =>
      measure('labels', undefined, () => remote.promql.labelValues(name, selectors, range)),
    exemplars: (selectors, range) => measure('exemplars', undefined, () => remote.promql.exemplars(selectors, range)),
    metadata: (name) => measure('metadata', undefined, () => remote.promql.metadata(name)),
  }
}

function clip(expr: string): string {
  return expr.length <= EXPR_CHARS_MAX ? expr : `${expr.slice(0, EXPR_CHARS_MAX)}…`
}
