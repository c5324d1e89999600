import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ModificationItems } from '../../contract/fleet-modifications.ts'
import { fetchJson } from './fetch-json.ts'
import { askedAt } from './moment-param.ts'
import { useMoment } from './use-moment.ts'
import { usePollMs } from './use-poll.ts'

export const MODIFICATIONS_MAX = 1000
const POLL_MS = 30_000

export type ModificationsAsked = Readonly<Record<string, string>>

export function modificationsCall(asked: ModificationsAsked, moment: string | undefined): string {
  return askedAt('/api/fleet/v1/modifications', moment, { ...asked, limit: String(MODIFICATIONS_MAX) })
}

/** The newest of them. */
export function useModifications(asked: ModificationsAsked): UseQueryResult<ModificationItems> {
  const moment = useMoment()
  const path = modificationsCall(asked, moment)
  return useQuery({
    queryKey: ['modifications', path],
    queryFn: ({ signal }) => fetchJson<ModificationItems>(path, signal),
    placeholderData: keepPreviousData,
    refetchInterval: usePollMs('modifications', POLL_MS),
  })
}
