import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { Explained } from '../../contract/explain.ts'
import { fetchJson } from './fetch-json.ts'

/** The same question, asked how it is answered: takes the address of a query or of a range of it. */
export function explainPath(queryPath: string): string {
  return queryPath.replace(/^\/api\/v1\/query(?:_range)?\?/, '/api/v1/explain?').replace(/&limit=\d+/, '')
}

/** Evaluates the query, so it is asked only when it is wanted. */
export function useExplain(path: string, isWanted: boolean): UseQueryResult<Explained> {
  return useQuery({
    queryKey: ['explain', path],
    queryFn: async ({ signal }) => (await fetchJson<{ readonly data: Explained }>(path, signal)).data,
    enabled: isWanted,
    staleTime: 60_000,
  })
}
