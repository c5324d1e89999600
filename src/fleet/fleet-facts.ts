import type { Alert } from '../model/alert.ts'
import type { FleetReader } from './fleet-reader.ts'
import { readInventory } from './inventory.ts'
import type { ClusterInventory } from './inventory.ts'
import { deriveNow } from './now.ts'
import type { FleetNow } from './now.ts'
import type { FleetOptions } from './options.ts'

/** The fleet's facts for whoever asks, as often as they ask: deriving them costs some forty queries. */
export interface FleetFacts {
  now(nowMs: number): Promise<FleetNow>
  inventory(cluster: string, nowMs: number): Promise<ClusterInventory | undefined>
}

/** An answer this old is given again: pages ask every five seconds, and there may be many pages. */
const REUSE_MS = 2000

export function createFleetFacts(
  reader: FleetReader,
  alerts: () => Promise<readonly Alert[]>,
  options: FleetOptions,
): FleetFacts {
  let latest: { readonly atMs: number; readonly answer: Promise<FleetNow> } | undefined
  return {
    now(nowMs) {
      if (latest !== undefined && Math.abs(nowMs - latest.atMs) < REUSE_MS) return latest.answer
      const answer = alerts().then((all) => deriveNow(reader, all, nowMs, options))
      const asked = { atMs: nowMs, answer }
      latest = asked
      // A failure is told to those who waited for it, and not kept.
      answer.catch(() => {
        if (latest === asked) latest = undefined
      })
      return answer
    },
    inventory: (cluster, nowMs) => readInventory(reader, cluster, nowMs),
  }
}
