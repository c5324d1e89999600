import { groupBy } from './group-by.ts'
import type { ModificationItem } from '../../contract/fleet-modifications.ts'

/** Lists of modifications: those of decommissioned clusters, and out-of-band ones by component and cluster. Pure. */

/** Separates the modifications on decommissioned clusters. */
export function splitByGone(
  modifications: readonly ModificationItem[],
  goneClusters: readonly string[],
): { readonly here: readonly ModificationItem[]; readonly gone: readonly ModificationItem[] } {
  const names = new Set(goneClusters)
  return {
    here: modifications.filter(({ cluster }) => !names.has(cluster)),
    gone: modifications.filter(({ cluster }) => names.has(cluster)),
  }
}

/** The number of edits that `groupEdits` counts. */
export function editsIn(edits: readonly ModificationItem[]): number {
  return edits.reduce((sum, edit) => sum + (isByHand(edit) ? edit.count : 0), 0)
}

/** Edits during an upgrade are the operator's own. */
function isByHand({ startedAt, upgradeMode }: ModificationItem): boolean {
  return startedAt !== null && !upgradeMode
}

export interface EditGroup {
  readonly component: string
  readonly cluster: string
  readonly edits: number
  /** Bursts: edits less than ten minutes apart are one. */
  readonly bursts: number
  readonly lastMs: number
  /** From the first edit to now, at least one day. */
  readonly perDay: number
  /** By hour of the day, of the zone of `hourOf`. */
  readonly hours: readonly number[]
}

const DAY_MS = 86_400_000

/** Out-of-band modifications by component and cluster, most first. */
export function groupEdits(
  edits: readonly ModificationItem[],
  nowMs: number,
  hourOf: (ms: number) => number,
): readonly EditGroup[] {
  const groups = groupBy(edits.filter(isByHand), ({ component, cluster }) => `${component} ${cluster}`)
  return [...groups.values()]
    .map((own): EditGroup => {
      const spans = own.map(
        ({ startedAt, endedAt }) => [Date.parse(startedAt!), Date.parse(endedAt ?? startedAt!)] as const,
      )
      const hours = Array.from({ length: 24 }, () => 0)
      own.forEach(({ count }, i) => {
        const [firstMs, lastMs] = spans[i]!
        // A burst reports its first and last edit and their number: the others are assumed to be evenly spread.
        for (let at = 0; at < count; at++)
          hours[hourOf(firstMs + ((lastMs - firstMs) * at) / Math.max(1, count - 1))]!++
      })
      const count = own.reduce((sum, edit) => sum + edit.count, 0)
      return {
        component: own[0]!.component,
        cluster: own[0]!.cluster,
        edits: count,
        bursts: own.length,
        lastMs: Math.max(...spans.map(([, lastMs]) => lastMs)),
        perDay: count / Math.max(1, (nowMs - Math.min(...spans.map(([firstMs]) => firstMs))) / DAY_MS),
        hours,
      }
    })
    .sort((a, b) => b.edits - a.edits || b.lastMs - a.lastMs)
}
