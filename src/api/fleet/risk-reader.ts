import type { RiskReader } from '../../fleet/graph/risks.ts'
import { CLUSTER_LABEL } from '../../model/cluster-identity.ts'
import { forEach, forOne } from '../../promql/by-label.ts'
import { formatExpr } from '../../promql/format.ts'
import { parseExpr } from '../../promql/parse.ts'
import type { QueryEngine } from '../../promql/query-engine.ts'

/** Of one expression: those in public graphs take milliseconds. */
const TIMEOUT_MS = 10_000

/** Adapts a query engine to the port through which `fleet` evaluates the risks of updates. */
export function riskReaderOf(query: Pick<QueryEngine, 'instant'>): RiskReader {
  return {
    ofAll: async (promql, timeMs) => {
      const grouped = forEach(parseExpr(promql), CLUSTER_LABEL)
      if (grouped === undefined) return undefined
      const { value } = await query.instant({ expr: formatExpr(grouped), timeMs, timeoutMs: TIMEOUT_MS })
      // A number is of no cluster.
      if (value.type !== 'vector') return undefined
      const found = new Map<string, number[]>()
      for (const { labels, value: result } of value.samples) {
        const cluster = labels.get(CLUSTER_LABEL)
        const known = found.get(cluster)
        if (known === undefined) found.set(cluster, [result])
        else known.push(result)
      }
      return found
    },
    ofOne: async (promql, cluster, timeMs) => {
      const expr = formatExpr(forOne(parseExpr(promql), CLUSTER_LABEL, cluster))
      const { value } = await query.instant({ expr, timeMs, timeoutMs: TIMEOUT_MS })
      return value.type === 'vector' ? value.samples.map(({ value: result }) => result) : []
    },
  }
}
