import { useQueries } from '@tanstack/react-query'
import type { UpgradeItem, UpgradeItems } from '../../contract/fleet-upgrades.ts'
import { fetchJson } from './fetch-json.ts'
import { useMoment } from './use-moment.ts'
import { usePollMs } from './use-poll.ts'
import { upgradesCall } from './use-upgrades.ts'

const POLL_MS = 30_000
/** Of one cluster: a graph of years has fewer. */
const UPGRADES_MAX = 200

export interface UpgradesOfClusters {
  readonly upgrades: readonly UpgradeItem[]
  /** Of these it is known when they upgraded; of those that are asked for nothing is said yet. */
  readonly told: readonly string[]
  /** Of these nobody could say when they upgraded. */
  readonly untold: readonly string[]
}

/** The upgrades of a few clusters, newest first; of none while nobody wants them. */
export function useUpgradesOf(clusters: readonly string[], isWanted: boolean): UpgradesOfClusters {
  const moment = useMoment()
  const refetchInterval = usePollMs('upgrades-of', POLL_MS)
  return useQueries({
    queries: (isWanted ? clusters : []).map((cluster) => {
      const path = upgradesCall({ cluster, sort: 'started', order: 'desc' }, moment, UPGRADES_MAX)
      return {
        queryKey: ['upgrades-of', path],
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => fetchJson<UpgradeItems>(path, signal),
        refetchInterval,
      }
    }),
    combine: (answers) => ({
      upgrades: answers.flatMap(({ data }) => data?.upgrades ?? []),
      told: clusters.filter((_cluster, i) => answers[i]?.data !== undefined),
      untold: clusters.filter((_cluster, i) => answers[i]?.isError === true && answers[i].data === undefined),
    }),
  })
}
