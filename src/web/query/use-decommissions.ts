import type { DecommissionItems, DecommissionRequest } from '../../contract/decommissions.ts'
import { sendJson } from './fetch-json.ts'
import { useApiAction, type ApiAction } from './use-api-action.ts'

/** Clusters declared as decommissioned. After each action, every answer that counts clusters is refetched. */

export const DECOMMISSIONS_PATH = '/api/fleet/v1/decommissions'

const COUNTED_KEYS = [
  ...['now', 'clusters', 'cluster-counts', 'cluster', 'gates', 'stranded', 'edges', 'adoption'],
  ...['stuck', 'upgrades', 'upgrades-at-once', 'upgrade', 'menu-upgrades'],
]

/** All of them or none. */
export function useDecommission(): ApiAction<DecommissionRequest, DecommissionItems> {
  return useApiAction(
    async (request) => (await sendJson('POST', DECOMMISSIONS_PATH, request)) as DecommissionItems,
    COUNTED_KEYS,
  )
}

/** By the ids of the declarations, one after the other. */
export function useWithdraw(): ApiAction<readonly string[], undefined> {
  return useApiAction(async (ids) => {
    for (const id of ids) await sendJson('DELETE', `${DECOMMISSIONS_PATH}/${encodeURIComponent(id)}`)
    return undefined
  }, COUNTED_KEYS)
}
