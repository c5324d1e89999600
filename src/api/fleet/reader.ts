import { CLUSTER_LABEL } from '../../model/cluster-identity.ts'
import type { FleetReader } from '../../fleet/fleet-reader.ts'
import type { QueryEngine } from '../../promql/query-engine.ts'

/** Adapts a query engine to the port through which `fleet` reads series. */
export function fleetReaderOf(query: Pick<QueryEngine, 'instant' | 'range' | 'labelValues'>): FleetReader {
  return {
    instant: async (expr, timeMs) => {
      const { value } = await query.instant({ expr, timeMs })
      return value.type === 'vector' ? value.samples : []
    },
    range: async (expr, startMs, endMs, stepMs) => {
      const { value } = await query.range({ expr, startMs, endMs, stepMs })
      return value.type === 'matrix' ? value.series : []
    },
    clusters: (matchers, range) => query.labelValues(CLUSTER_LABEL, [matchers], range),
  }
}
