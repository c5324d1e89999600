/**
 * The query engine of the query worker and its answers, counted, timed and traced. A query is canceled when its client
 * disconnects.
 */
import type { QueryAnswers } from '../api/prometheus/query-answers.ts'
import type { Cancellation } from '../base/cancellation.ts'
import { FleetError } from '../base/errors.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { Tracing } from '../base/tracing.ts'
import type { ScopeAddress } from '../model/cluster-scope.ts'
import type { QueryEngine, QueryExplainer } from '../promql/query-engine.ts'
import type { QueryServices } from '../threads/query-worker.ts'
import type { Remote } from '../threads/rpc.ts'

/** The longest expression in a trace. */
const EXPR_CHARS_MAX = 1000

export type MeasuredQuery = Pick<QueryEngine, 'instant' | 'range' | 'labelValues'> &
  QueryExplainer & { readonly answers: QueryAnswers }

/** Of all clusters, or of a scope. */
export type MeasuredQueries = (scope: ScopeAddress) => MeasuredQuery

export function measuredQueries(
  remote: Pick<Remote<QueryServices>, 'promql' | 'answers'>,
  metrics: OwnMetrics,
  tracing: Tracing,
): MeasuredQueries {
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
  const queryOf: MeasuredQueries = (scope) => {
    const [promql, answers] = [remote.promql(scope), remote.answers(scope)]
    return {
      instant: (query, signal) => measure('instant', signal, () => promql.instant(query, signal), query.expr),
      range: (query, signal) => measure('range', signal, () => promql.range(query, signal), query.expr),
      explain: (query, signal) => measure('explain', signal, () => promql.explain(query, signal), query.expr),
      labelValues: (name, selectors, range, left) =>
        measure('labels', left, () => promql.labelValues(name, selectors, range, left)),
      answers: {
        instant: (query, request, left) =>
          measure('instant', left, () => answers.instant(query, request, left), query.expr),
        range: (query, request, left) => measure('range', left, () => answers.range(query, request, left), query.expr),
        series: (...args) => measure('series', args[3], () => answers.series(...args)),
        labelNames: (...args) => measure('labels', args[3], () => answers.labelNames(...args)),
        labelValues: (...args) => measure('labels', args[4], () => answers.labelValues(...args)),
        exemplars: (...args) => measure('exemplars', args[2], () => answers.exemplars(...args)),
        metadata: (...args) => measure('metadata', args[2], () => answers.metadata(...args)),
      },
    }
  }
  return queryOf
}

function clip(expr: string): string {
  return expr.length <= EXPR_CHARS_MAX ? expr : `${expr.slice(0, EXPR_CHARS_MAX)}…`
}
