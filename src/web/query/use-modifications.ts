import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query'
import type { ModificationItems } from '../../contract/fleet-modifications.ts'
import { callAt, useMoment } from './use-moment.ts'
import { useApiAnswer } from './use-api-answer.ts'

export const MODIFICATIONS_MAX = 1000
const POLL_MS = 30_000

export type ModificationsAsked = Readonly<Record<string, string>>

export function modificationsCall(asked: ModificationsAsked, moment: string | undefined): string {
  return callAt('/api/fleet/v1/modifications', moment, { ...asked, limit: String(MODIFICATIONS_MAX) })
}

/** The newest of them. */
export function useModifications(asked: ModificationsAsked): UseQueryResult<ModificationItems> {
  const path = modificationsCall(asked, useMoment())
  return useApiAnswer<ModificationItems>('modifications', path, { placeholderData: keepPreviousData, pollMs: POLL_MS })
}
