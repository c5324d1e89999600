/** Deletes the series of an erased cluster in the metrics store, where that has an address for it. */
import { METRIC_NAME } from '../model/labels.ts'
import { messageOf } from '../base/errors.ts'
import type { MetricsStoreErasure } from '../model/erasure.ts'
import { readHeadersFile, type MetricsStore } from '../config/metrics-store.ts'

const ANSWER_WITHIN_MS = 60_000
const ANSWER_CHARS_MAX = 200

/** What is left to a person, by kind. */
const BY_HAND: Readonly<Partial<Record<MetricsStore['kind'], string>>> = {
  mimir: 'Mimir deletes no single series: they end with its retention of the tenant',
  thanos: 'Thanos deletes series with `thanos tools bucket rewrite --rewrite.to-delete-config`',
}

export type EraseMetrics = (names: readonly string[], nowMs: number) => Promise<MetricsStoreErasure>

/** @param labels that name the cluster of a series. @param send for tests. Never rejects */
export function createEraseMetrics(store: MetricsStore, labels: readonly string[], send = fetch): EraseMetrics {
  const { kind, queryUrl, tenantHeaders, headersFile } = store
  const byHand = BY_HAND[kind]
  const base = kind === 'victoriametrics-cluster' ? queryUrl.replace('/select/', '/delete/') : queryUrl
  return async (names, atMs) => {
    if (byHand !== undefined) return { state: 'unsupported', text: byHand, atMs }
    const body = new URLSearchParams()
    for (const label of labels) body.append('match[]', selectorOf(label, names))
    try {
      const answer = await send(`${base}/api/v1/admin/tsdb/delete_series`, {
        method: 'POST',
        body,
        headers: { ...tenantHeaders, ...(headersFile === undefined ? {} : readHeadersFile(headersFile)) },
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      })
      const text = (await answer.text()).trim().slice(0, ANSWER_CHARS_MAX)
      if (answer.ok) return { state: 'deleted', text: '', atMs }
      const why = `the metrics store answered ${answer.status}${text === '' ? '' : `: ${text}`}`
      // Prometheus answers so without --web.enable-admin-api, which may still be set.
      return { state: 'failed', text: `${why}; Prometheus needs --web.enable-admin-api`, atMs }
    } catch (thrown) {
      return { state: 'failed', text: messageOf(thrown), atMs }
    }
  }
}

/** Of all metrics: Prometheus needs a matcher that does not match the empty text, which the names are. */
function selectorOf(label: string, names: readonly string[]): string {
  const pattern = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  return `{${label}=~${JSON.stringify(pattern)},${METRIC_NAME}!=""}`
}
