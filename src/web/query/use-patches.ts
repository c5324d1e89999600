import {
  keepPreviousData,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import type { PatchDetailItem, PatchItems } from '../../contract/fleet-patches.ts'
import { useApiAnswer, useApiPages } from './use-api-answer.ts'
import { callAt, useMoment } from './use-moment.ts'

const PATCHES = '/api/fleet/v1/patches'
const POLL_MS = 60_000
/** Distinct patches; a fleet has few. */
const PATCHES_MAX = '1000'
const MEMBERS_PAGE = '200'

/** As the API takes them; empty values are left out. */
export type PatchesAsked = Readonly<Record<'to' | 'class' | 'component' | 'cluster' | 'breaking', string>>

export function patchesCall(asked: PatchesAsked, moment: string | undefined): string {
  return callAt(PATCHES, moment, { ...asked, limit: PATCHES_MAX })
}

export function usePatches(asked: PatchesAsked): UseQueryResult<PatchItems> {
  const path = patchesCall(asked, useMoment())
  return useApiAnswer<PatchItems>('patches', path, { placeholderData: keepPreviousData, pollMs: POLL_MS })
}

export function patchCall(key: string, to: string, moment: string | undefined): string {
  return callAt(`${PATCHES}/${encodeURIComponent(key)}`, moment, { to, limit: MEMBERS_PAGE })
}

/** One patch with its clusters, page by page. Not polled: rows do not move while they are read. */
export function usePatch(key: string, to: string): UseInfiniteQueryResult<InfiniteData<PatchDetailItem>> {
  return useApiPages<PatchDetailItem>('patch', patchCall(key, to, useMoment()))
}
