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
  /** `from..to` of the one that is looked at, and of the one beside it. */
  readonly first: string
  readonly second: string
  /** How long ago upgrades began at most; empty: all. */
  readonly window: string
}

export function compareCall(asked: ComparedEdges, moment: string | undefined): string {
  return callAt(`${EDGES}/compare`, moment, { ...asked })
}

export function useEdgeComparison(asked: ComparedEdges): UseQueryResult<EdgeComparisonItem> {
  const path = compareCall(asked, useMoment())
  return useApiAnswer<EdgeComparisonItem>('edge-comparison', path, { enabled: asked.second !== '' })
}

/** Which single runs: of an edge, or of all of an operator; empty values are left out. */
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

/** Not polled: points that are looked at do not move. */
export function useRuns(asked: RunsAsked): UseQueryResult<RunItems> {
  const path = runsCall(asked, useMoment())
  return useApiAnswer<RunItems>('runs', path, { placeholderData: keepPreviousData, refetchOnWindowFocus: false })
}

const STRANDED_POLL_MS = 60_000

export function strandedCall(moment: string | undefined): string {
  return callAt('/api/fleet/v1/stranded', moment)
}

/** Versions from which no way out is known to work. */
export function useStranded(isAsked: boolean): UseQueryResult<StrandedItems> {
  const path = strandedCall(useMoment())
  return useApiAnswer<StrandedItems>('stranded', path, {
    enabled: isAsked,
    placeholderData: keepPreviousData,
    pollMs: STRANDED_POLL_MS,
  })
}
