import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { UseMutationResult } from '@tanstack/react-query'
import type { DecommissionItems, DecommissionRequest } from '../../contract/decommissions.ts'
import { sendJson } from './fetch-json.ts'
import type { ApiFailure } from './fetch-json.ts'

/** What people say of clusters that were switched off for good. After each, everything that counts clusters is asked again. */

export const DECOMMISSIONS_PATH = '/api/fleet/v1/decommissions'

const COUNTED_BY = [
  ...[
    'now',
    'clusters',
    'cluster-counts',
    'cluster',
    'stuck',
    'upgrades',
    'upgrades-at-once',
    'upgrade',
    'menu-upgrades',
  ],
  ...['gates', 'stranded', 'edges', 'adoption'],
]

function useDeed<T, R>(run: (input: T) => Promise<R>): UseMutationResult<R, ApiFailure, T> {
  const client = useQueryClient()
  return useMutation<R, ApiFailure, T>({
    mutationFn: run,
    networkMode: 'always',
    onSettled: () => Promise.all(COUNTED_BY.map((key) => client.invalidateQueries({ queryKey: [key] }))),
  })
}

/** All of them or none. */
export function useDecommission(): UseMutationResult<DecommissionItems, ApiFailure, DecommissionRequest> {
  return useDeed(async (request) => (await sendJson('POST', DECOMMISSIONS_PATH, request)) as DecommissionItems)
}

/** By the ids of what was said, one after the other. */
export function useWithdraw(): UseMutationResult<undefined, ApiFailure, readonly string[]> {
  return useDeed(async (ids) => {
    for (const id of ids) await sendJson('DELETE', `${DECOMMISSIONS_PATH}/${encodeURIComponent(id)}`)
    return undefined
  })
}
