import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { BoundRunbook, RunbookList, RunbookSource, RunbookUnknown } from '../../contract/runbooks.ts'
import { withSearch } from '../lib/address.ts'
import { fetchJson, type ApiFailure } from './fetch-json.ts'
import { useApiAnswer } from './use-api-answer.ts'
import { usePollMs } from './live.ts'

const RUNBOOK_POLL_MS = 15_000

/** The API path of a runbook, bound to an alert if given. */
export function runbookCall(name: string, instance: string | undefined): string {
  const search = instance === undefined ? '' : new URLSearchParams({ instance }).toString()
  return withSearch(`/api/runbooks/v1/pages/${encodeURIComponent(name)}`, search)
}

/** A runbook, bound to `instance` if given. */
export function useRunbook(name: string, instance: string | undefined): UseQueryResult<BoundRunbook> {
  return useQuery({
    queryKey: ['runbook', name, instance],
    queryFn: ({ signal }) => fetchJson<BoundRunbook>(runbookCall(name, instance), signal),
    // Polled: the page also shows whether the alert still fires.
    refetchInterval: usePollMs('runbook', RUNBOOK_POLL_MS),
    placeholderData: (previous, query) => (query?.queryKey[1] === name ? keepPreviousData(previous) : undefined),
  })
}

/** The stored file of a runbook. Not refetched while somebody edits it. */
export function useRunbookSource(name: string): UseQueryResult<RunbookSource> {
  return useApiAnswer<RunbookSource>('runbook-source', `${runbookCall(name, undefined)}/source`, {
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  })
}

/** The nearest names, when no runbook has the requested name. */
export function nearestNames(failure: ApiFailure): readonly string[] | undefined {
  if (failure.status !== 404) return undefined
  const { nearest } = (failure.body ?? {}) as Partial<RunbookUnknown>
  return Array.isArray(nearest) ? nearest.filter((name) => typeof name === 'string') : []
}

export function useRunbookList(isWanted: boolean): UseQueryResult<RunbookList> {
  return useApiAnswer<RunbookList>('runbooks', '/api/runbooks/v1/pages', { enabled: isWanted, staleTime: 60_000 })
}
