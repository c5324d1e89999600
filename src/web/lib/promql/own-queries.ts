/** A query that the reader ran, stored in the browser. Pure. */
export interface OwnQuery {
  readonly expr: string
  readonly atMs: number
}

export const OWN_QUERIES_MAX = 100
/** Longer queries are not stored. */
const EXPR_LENGTH_MAX = 4000

/** The stored value is not trusted. */
export function readOwnQueries(kept: unknown): readonly OwnQuery[] {
  if (!Array.isArray(kept)) return []
  return kept.filter(isOwnQuery).slice(0, OWN_QUERIES_MAX)
}

function isOwnQuery(one: unknown): one is OwnQuery {
  if (typeof one !== 'object' || one === null) return false
  const { expr, atMs } = one as Record<string, unknown>
  return typeof expr === 'string' && expr !== '' && Number.isFinite(atMs)
}

/** Newest first, without duplicates. */
export function withOwnQuery(queries: readonly OwnQuery[], expr: string, atMs: number): readonly OwnQuery[] {
  if (expr === '' || expr.length > EXPR_LENGTH_MAX) return queries
  return [{ expr, atMs }, ...queries.filter((one) => one.expr !== expr)].slice(0, OWN_QUERIES_MAX)
}

/** Queries with every word of the text, in any case. */
export function findOwnQueries(queries: readonly OwnQuery[], text: string): readonly OwnQuery[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return queries.filter(({ expr }) => words.every((word) => expr.toLowerCase().includes(word)))
}

/** Examples for a page without a query. */
export const EXAMPLE_QUERIES: readonly { readonly says: string; readonly expr: string }[] = [
  {
    says: 'Stuck upgrades with phase and cause',
    expr: 'max by (cluster, operator, from, to, phase, cause) (daytwo_upgrade_stuck)',
  },
  {
    says: 'Share of the clusters on each KubeVirt version',
    expr: `count by (kubeversion) (max by (cluster, kubeversion) (kubevirt_info))
  / on () group_left ()
count(count by (cluster) (kubevirt_info))`,
  },
  {
    says: 'Out-of-band modifications in the last hour, including the first of a series',
    expr: `sum by (cluster, component_name) (increase(kubevirt_hco_out_of_band_modifications_total[1h])) > 0
or
sum by (cluster, component_name) (
  kubevirt_hco_out_of_band_modifications_total
  unless kubevirt_hco_out_of_band_modifications_total offset 1h
) > 0`,
  },
  {
    says: 'Health of HCO by cluster: 0 healthy, 1 warning, 2 error',
    expr: 'max by (cluster) (kubevirt_hco_system_health_status)',
  },
  {
    says: 'Clusters with unsafe patches',
    expr: 'max by (cluster, annotation_name) (kubevirt_hco_unsafe_modifications) > 0',
  },
  {
    says: 'p90 of the upgrade duration, by operator',
    expr: 'histogram_quantile(0.9, sum by (operator, le) (daytwo_upgrade_duration_seconds_bucket))',
  },
]
