import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query'
import type { EdgeComparisonItem, EdgeItems, RunItems } from '../../contract/fleet-edges.ts'
import { callAt, useMoment } from './use-moment.ts'
import { useApiAnswer } from './use-api-answer.ts'
import type { StrandedItems } from '../../contract/fleet-stranded.ts'

const EDGES = '/api/fleet/v1/edges'
const EDGES_MAX = '1000'
const POLL_MS = 30_000

export type EdgesAsked = Readonly<Record<string, string>>

export function edgesCall(asked: EdgesAsked, moment: string | undefined): string {
  return callAt(EDGES, moment, { ...asked, limit: EDGES_MAX })
}

/** Edges of the upgrade graph; there are some hundreds at most. */
export function useEdges(asked: EdgesAsked = {}): UseQueryResult<EdgeItems> {
  const path = edgesCall(asked, useMoment())
  return useApiAnswer<EdgeItems>('edges', path, { placeholderData: keepPreviousData, pollMs: POLL_MS })
}

export interface ComparedEdges {
  readonly operator: string
  /** `from..to` of both edges. */
  readonly first: string
  readonly second: string
  /** The greatest age of an upgrade's start; empty: all. */
  readonly window: string
}

export function compareCall(asked: ComparedEdges, moment: string | undefined): string {
  return callAt(`${EDGES}/compare`, moment, { ...asked })
}

export function useEdgeComparison(asked: ComparedEdges): UseQueryResult<EdgeComparisonItem> {
  const path = compareCall(asked, useMoment())
  return useApiAnswer<EdgeComparisonItem>('edge-comparison', path, { enabled: asked.second !== '' })
}

/** Runs of an edge, or of all edges of an operator; empty values are omitted. */
export interface RunsAsked {
  readonly operator: string
  readonly from: string
  readonly to: string
  readonly phase: string
  readonly window: string
}

export function runsCall(asked: RunsAsked, moment: string | undefined): string {
  return callAt(`${EDGES}/runs`, moment, { ...asked })
}

/** Not polled: points do not move while they are read. */
export function useRuns(asked: RunsAsked): UseQueryResult<RunItems> {
  const path = runsCall(asked, useMoment())
  return useApiAnswer<RunItems>('runs', path, { placeholderData: keepPreviousData, refetchOnWindowFocus: false })
}

const STRANDED_POLL_MS = 60_000

export function strandedCall(moment: string | undefined): string {
  return callAt('/api/fleet/v1/stranded', moment)
}

/** Versions without a working upgrade path. */
export function useStranded(isAsked: boolean): UseQueryResult<StrandedItems> {
  const path = strandedCall(useMoment())
  return useApiAnswer<StrandedItems>('stranded', path, {
    enabled: isAsked,
    placeholderData: keepPreviousData,
    pollMs: STRANDED_POLL_MS,
  })
}
