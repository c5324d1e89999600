import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query'
import type { RolloutAnswer, RolloutItems } from '../../contract/fleet-rollouts.ts'
import type { CohortView } from '../lib/rollout-text.ts'
import { useApiAnswer } from './use-api-answer.ts'
import { callAt, useMoment } from './use-moment.ts'

const ROLLOUTS = '/api/fleet/v1/rollouts'
const POLL_MS = 60_000

export function rolloutsCall(operator: string, moment: string | undefined): string {
  return callAt(ROLLOUTS, moment, { operator })
}

/** The verdicts on all versions of an operator that are rolled out. */
export function useRollouts(operator: string): UseQueryResult<RolloutItems> {
  const path = rolloutsCall(operator, useMoment())
  return useApiAnswer<RolloutItems>('rollouts', path, { placeholderData: keepPreviousData, pollMs: POLL_MS })
}

export function rolloutCall(version: string, asked: CohortView, moment: string | undefined): string {
  return callAt(`${ROLLOUTS}/${encodeURIComponent(version)}`, moment, { ...asked })
}

export function useRollout(version: string, asked: CohortView): UseQueryResult<RolloutAnswer> {
  const path = rolloutCall(version, asked, useMoment())
  return useApiAnswer<RolloutAnswer>('rollout', path, { placeholderData: keepPreviousData, pollMs: POLL_MS })
}
