import { useQueries, type InfiniteData, type UseInfiniteQueryResult, type UseQueryResult } from '@tanstack/react-query'
import type { StuckItems, UpgradeDetailItem, UpgradeItem, UpgradeItems } from '../../contract/fleet-upgrades.ts'
import { fetchJson } from './fetch-json.ts'
import { callAt, useMoment } from './use-moment.ts'
import { useApiAnswer, useApiPages } from './use-api-answer.ts'
import { usePollMs } from './live.ts'

const UPGRADES = '/api/fleet/v1/upgrades'
const STUCK = '/api/fleet/v1/stuck'
const RUNNING_POLL_MS = 10_000
const LIST_STALE_MS = 15_000
const NEWEST_POLL_MS = 30_000
const PAGE_UPGRADES = 200
const NEWEST_UPGRADES = 50
/** More upgrades of one cluster, or more that run at once, are not drawn. */
export const UPGRADES_MAX = 1000

export type UpgradesAsked = Readonly<Record<string, string | readonly string[]>>

export function upgradesCall(asked: UpgradesAsked, moment: string | undefined, limit = PAGE_UPGRADES): string {
  return callAt(UPGRADES, moment, { ...asked, limit: String(limit) })
}

/** All upgrades, page by page. Not polled: rows do not move while they are read. */
export function useUpgradeHistory(asked: UpgradesAsked): UseInfiniteQueryResult<InfiniteData<UpgradeItems>> {
  const path = upgradesCall(asked, useMoment())
  return useApiPages<UpgradeItems>('upgrades', path, LIST_STALE_MS)
}

/** The newest upgrades of a history, polled. */
export function useNewestUpgrades(asked: UpgradesAsked): UseQueryResult<UpgradeItems> {
  const moment = useMoment()
  const path = upgradesCall({ ...asked, sort: 'started', order: 'desc' }, moment, NEWEST_UPGRADES)
  return useApiAnswer<UpgradeItems>('newest-upgrades', path, { enabled: moment === undefined, pollMs: NEWEST_POLL_MS })
}

/** Up to `UPGRADES_MAX` in one answer. */
export function useUpgrades(asked: UpgradesAsked): UseQueryResult<UpgradeItems> {
  const path = upgradesCall(asked, useMoment(), UPGRADES_MAX)
  return useApiAnswer<UpgradeItems>('upgrades-at-once', path, { pollMs: RUNNING_POLL_MS })
}

export function useStuck(): UseQueryResult<StuckItems> {
  return useApiAnswer<StuckItems>('stuck', callAt(STUCK, useMoment()), { pollMs: RUNNING_POLL_MS })
}

export function upgradeCall(id: string, moment: string | undefined): string {
  return callAt(`${UPGRADES}/${encodeURIComponent(id)}/detail`, moment)
}

export function useUpgrade(id: string): UseQueryResult<UpgradeDetailItem> {
  const path = upgradeCall(id, useMoment())
  return useApiAnswer<UpgradeDetailItem>('upgrade', path, { pollMs: RUNNING_POLL_MS })
}

/** Upgrades by id. */
export function useUpgradesById(ids: readonly string[]): readonly UseQueryResult<UpgradeItem>[] {
  const moment = useMoment()
  return useQueries({
    queries: ids.map((id) => {
      const path = callAt(`${UPGRADES}/${encodeURIComponent(id)}`, moment)
      return {
        queryKey: ['upgrade-record', path],
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => fetchJson<UpgradeItem>(path, signal),
      }
    }),
  })
}

/** Of one cluster: a graph of years has fewer. */
const BAND_UPGRADES_MAX = 200

export interface UpgradesOfClusters {
  readonly upgrades: readonly UpgradeItem[]
  /** Clusters with an answer. */
  readonly loaded: readonly string[]
  /** Clusters whose request failed. */
  readonly failed: readonly string[]
}

/** The upgrades of a few clusters, newest first. */
export function useUpgradesOf(clusters: readonly string[], isWanted: boolean): UpgradesOfClusters {
  const moment = useMoment()
  const refetchInterval = usePollMs('upgrades-of', NEWEST_POLL_MS)
  return useQueries({
    queries: (isWanted ? clusters : []).map((cluster) => {
      const path = upgradesCall({ cluster, sort: 'started', order: 'desc' }, moment, BAND_UPGRADES_MAX)
      return {
        queryKey: ['upgrades-of', path],
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => fetchJson<UpgradeItems>(path, signal),
        refetchInterval,
      }
    }),
    combine: (answers) => ({
      upgrades: answers.flatMap(({ data }) => data?.upgrades ?? []),
      loaded: clusters.filter((_cluster, i) => answers[i]?.data !== undefined),
      failed: clusters.filter((_cluster, i) => answers[i]?.isError === true && answers[i].data === undefined),
    }),
  })
}
