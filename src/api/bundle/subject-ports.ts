import type { LinkedCatalog } from '../../catalog/metric-uses.ts'
import type { FleetView } from '../../fleet/fleet-view.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import type { ParseOptions } from '../../promql/parse-options.ts'
import type { AlertContext } from '../fleet/alert-detail.ts'
import type { ApiPeople } from '../fleet/people.ts'
import type { ReadInventory, RunbookCatalog } from '../fleet/runbooks.ts'
import type { RuleReader } from '../prometheus/rules.ts'

/** What subjects are composed from, of the clusters of the request alone. */
export interface SubjectPorts {
  readonly fleet: FleetViews
  readonly people: ApiPeople
  readonly rules: RuleReader
  readonly inventory: ReadInventory
  readonly context: Pick<AlertContext, 'deliveries'>
}

export interface SubjectDeps {
  readonly catalog: RunbookCatalog & LinkedCatalog
  readonly language: ParseOptions
  /** Without a slash at the end. */
  readonly externalUrl: string
  readonly nowMs: number
}

/** Around a subject: what led to it, and what followed. */
export const MARGIN_MS = 30 * 60_000

/** The name of a cluster and the other names that its data may have. */
export async function clusterNames(view: FleetView, cluster: string): Promise<readonly string[]> {
  if (cluster === '') return []
  const found = await view.cluster(cluster)
  return [...new Set([found?.view.record.cluster ?? cluster, cluster, ...(found?.view.record.aliases ?? [])])]
}
