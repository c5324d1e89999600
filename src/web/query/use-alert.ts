import { searchOf, withSearch } from '../lib/address.ts'
import { useApiAnswer } from './use-api-answer.ts'
import { useQueries, type UseQueryResult } from '@tanstack/react-query'
import type { AlertStrips } from '../../contract/alert-history.ts'
import type { AlertDetail } from '../../contract/alerts.ts'
import { fetchJson } from './fetch-json.ts'
import { usePollMs } from './live.ts'

const DETAIL_POLL_MS = 10_000
const STRIP_POLL_MS = 60_000
/** Fingerprints per request: proxies limit the length of an address. */
const STRIP_CHUNK = 100
/** Rows beyond this number have no strip. */
const STRIPS_MAX = 500

/** One alert with its context; no request without an open alert. */
export function useAlertDetail(fingerprint: string | undefined): UseQueryResult<AlertDetail> {
  return useApiAnswer<AlertDetail>('alert', `/api/fleet/v1/alerts/${encodeURIComponent(fingerprint ?? '')}`, {
    enabled: fingerprint !== undefined,
    pollMs: DETAIL_POLL_MS,
    asOfMs: ({ asOfMs }) => asOfMs,
  })
}

/** The last 24 hours of each alert, by fingerprint; absent while unknown. */
export function useStrips(fingerprints: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const pollMs = usePollMs('strips', STRIP_POLL_MS)
  const chunks: string[][] = []
  for (let at = 0; at < Math.min(fingerprints.length, STRIPS_MAX); at += STRIP_CHUNK) {
    chunks.push(fingerprints.slice(at, at + STRIP_CHUNK))
  }
  return useQueries({
    queries: chunks.map((chunk) => ({
      queryKey: ['strips', chunk],
      queryFn: ({ signal }: { signal: AbortSignal }) => {
        const search = searchOf({ fingerprint: chunk, hours: '24', blocks: '24' })
        return fetchJson<AlertStrips>(withSearch('/api/fleet/v1/alerts/strip', search), signal)
      },
      refetchInterval: pollMs,
      staleTime: STRIP_POLL_MS / 2,
    })),
    combine: (results) => new Map(results.flatMap(({ data }) => Object.entries(data?.strips ?? {}))),
  })
}
