import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query'
import type { StrandedItems } from '../../contract/fleet-stranded.ts'
import { callAt } from './moment-param.ts'
import { useApiAnswer } from './use-api-answer.ts'
import { useMoment } from './use-moment.ts'

const POLL_MS = 60_000

export function strandedCall(moment: string | undefined): string {
  return callAt('/api/fleet/v1/stranded', moment)
}

/** Versions from which no way out is known to work. */
export function useStranded(isAsked: boolean): UseQueryResult<StrandedItems> {
  const path = strandedCall(useMoment())
  return useApiAnswer<StrandedItems>('stranded', path, {
    enabled: isAsked,
    placeholderData: keepPreviousData,
    pollMs: POLL_MS,
  })
}
