/** What the metrics store is and can do, as the probe found it. */
export interface StoreTraits {
  readonly product: Product
  /** As the store reports it; empty: unknown. */
  readonly version: string
  /** Functions, aggregations and parts of the language (`LANGUAGE_PARTS`) that it does not have. */
  readonly lacks: ReadonlySet<string>
  /** VictoriaMetrics' dialect. */
  readonly isMetricsQl: boolean
  /** Ranges exclude their old end, as in Prometheus 3. */
  readonly isLeftOpen: boolean
  /** The parameter with the lookback of one query. */
  readonly lookbackParam: 'lookback_delta' | 'max_lookback' | undefined
  /** How raw samples are fetched; `ranges`: by range selectors, which have no stale markers. */
  readonly samplesFrom: 'read' | 'export' | 'ranges'
  /** The longest text of a query in bytes. */
  readonly queryBytesMax: number
}

export type Product = 'Prometheus' | 'VictoriaMetrics' | 'Mimir' | 'Thanos'

/** The product with its version. */
export function nameOf({ product, version }: Pick<StoreTraits, 'product' | 'version'>): string {
  return version === '' ? product : `${product} ${version}`
}
