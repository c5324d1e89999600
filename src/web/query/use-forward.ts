import type { UseQueryResult } from '@tanstack/react-query'
import type { DebugForward } from '../../contract/debug-forward.ts'
import { useApiAnswer } from './use-api-answer.ts'

export const FORWARD_PATH = '/debug/forward'
const POLL_MS = 15_000

/** How far samples are forwarded to the metrics store. */
export function useForward(): UseQueryResult<DebugForward> {
  return useApiAnswer<DebugForward>('forward', FORWARD_PATH, { pollMs: POLL_MS, asOfMs: ({ asOfMs }) => asOfMs })
}
