/** How the metrics store is queried, derived from the configuration. Plain data: it crosses to the query worker. */
import type { Config } from './config.ts'
import { metricsStoreOf, type MetricsStore } from './metrics-store.ts'

interface MetricsQuery {
  readonly store: Pick<MetricsStore, 'queryUrl' | 'tenantHeaders' | 'headersFile' | 'ca'>
  readonly timeoutMs: number
  readonly answerBytesMax: number
  readonly samplesMax: number
  readonly concurrencyMax: number
  readonly isExact: boolean
}

/** Without `remote`, queries are answered from this server's own store. Throws FleetError `config_invalid`. */
export function metricsQueryOf(config: Config): { readonly remote?: MetricsQuery } {
  const store = metricsStoreOf(config)
  if (store === undefined) return {}
  const { queryUrl, tenantHeaders, headersFile, ca } = store
  return {
    remote: {
      store: { queryUrl, tenantHeaders, headersFile, ca },
      timeoutMs: config['query.timeout'],
      answerBytesMax: config['store.metrics-answer-bytes-max'],
      samplesMax: config['query.samples-max'],
      concurrencyMax: Math.max(1, config['store.metrics-query-connections']),
      isExact: config['store.metrics-exact'],
    },
  }
}
