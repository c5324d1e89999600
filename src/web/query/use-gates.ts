import {
  keepPreviousData,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import type { GateDetail, GateItems } from '../../contract/fleet-gates.ts'
import { callAt, useMoment } from './use-moment.ts'
import { useApiAnswer, useApiPages } from './use-api-answer.ts'

const GATES = '/api/fleet/v1/gates'
const POLL_MS = 60_000
const PAGE = '200'

export function gatesCall(moment: string | undefined): string {
  return callAt(GATES, moment)
}

/** All feature gates that are set. */
export function useGates(): UseQueryResult<GateItems> {
  const path = gatesCall(useMoment())
  return useApiAnswer<GateItems>('gates', path, { placeholderData: keepPreviousData, pollMs: POLL_MS })
}

/** `source` and `on` as the API takes them; empty values are left out. */
export interface GateAsked {
  readonly gate: string
  readonly source: string
  readonly on: string
}

export function gateCall({ gate, source, on }: GateAsked, moment: string | undefined): string {
  return callAt(`${GATES}/${encodeURIComponent(gate)}`, moment, { source, on, limit: PAGE })
}

/** The clusters that set a gate, page by page. Not polled: rows do not move while they are read. */
export function useGate(asked: GateAsked): UseInfiniteQueryResult<InfiniteData<GateDetail>> {
  return useApiPages<GateDetail>('gate', gateCall(asked, useMoment()))
}
