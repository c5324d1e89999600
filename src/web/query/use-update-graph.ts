import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query'
import type { UpdateGraphAnswer } from '../../contract/update-graph.ts'
import { useApiAnswer } from './use-api-answer.ts'
import { callAt, useMoment } from './use-moment.ts'

const POLL_MS = 60_000

/** Empty values are omitted. */
export interface UpdateGraphAsked {
  readonly operator: string
  readonly channel: string
  readonly from: string
  readonly to: string
}

export function updateGraphCall(asked: UpdateGraphAsked, moment: string | undefined): string {
  return callAt('/api/fleet/v1/update-graph', moment, { ...asked })
}

export function useUpdateGraph(asked: UpdateGraphAsked, isAsked: boolean): UseQueryResult<UpdateGraphAnswer> {
  const path = updateGraphCall(asked, useMoment())
  return useApiAnswer<UpdateGraphAnswer>('update-graph', path, {
    enabled: isAsked,
    placeholderData: keepPreviousData,
    pollMs: POLL_MS,
  })
}
