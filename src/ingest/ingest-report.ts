import type { ClusterActivity } from './cluster-activity.ts'
import type { HaPairReport } from './ha-tracker.ts'
import type { ReasonReport } from './refusal-journal.ts'
import type { LimitReport } from './series-limits.ts'

/** Outcomes of all requests since the start, in any format: the response of `/debug/ingest`. */
export interface IngestReport {
  readonly refusals: readonly ReasonReport[]
  readonly clusters: {
    /** Clusters seen. */
    readonly count: number
    readonly bySamples: readonly ClusterActivity[]
    readonly byRefused: readonly ClusterActivity[]
  }
  readonly limits: readonly LimitReport[]
  readonly replicas: { readonly pairs: number; readonly elections: readonly HaPairReport[] }
}
