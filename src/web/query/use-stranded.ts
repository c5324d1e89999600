import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import type { StrandedItems } from '../../contract/fleet-stranded.ts'
import { fetchJson } from './fetch-json.ts'
import { askedAt } from './moment-param.ts'
import { useMoment } from './use-moment.ts'
import { usePollMs } from './use-poll.ts'

const POLL_MS = 60_000

export function strandedCall(moment: string | undefined): string {
  return askedAt('/api/fleet/v1/stranded', moment)
}

/** Versions from which no way out is known to work. */
export function useStranded(isAsked: boolean): UseQueryResult<StrandedItems> {
  const path = strandedCall(useMoment())
  return useQuery({
    queryKey: ['stranded', path],
    queryFn: ({ signal }) => fetchJson<StrandedItems>(path, signal),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    refetchInterval: usePollMs('stranded', POLL_MS),
  })
}
