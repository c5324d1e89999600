import { groupBy } from './group-by.ts'
import type { ModificationItem } from '../../contract/fleet-modifications.ts'

/** Hazards of JSON patches, by their paths alone: no schema of a version is read. Pure. */

const PATCH_HAZARDS = ['unreadable', 'dangerous', 'gate', 'fragile', 'plain'] as const
type PatchHazard = (typeof PATCH_HAZARDS)[number]

export const PATCH_HAZARD_WORDS: Readonly<Record<PatchHazard, { readonly name: string; readonly meaning: string }>> = {
  unreadable: {
    name: 'Not readable',
    meaning: 'The annotation is not a valid patch, or only its size is reported: its effect is not known.',
  },
  dangerous: {
    name: 'Patches pods of the operator',
    meaning:
      'customizeComponents modifies the objects that the operator deploys, and the next version may deploy different objects.',
  },
  gate: {
    name: 'Feature gates',
    meaning: 'A gate may be on by default, deprecated or removed in the next version.',
  },
  fragile: {
    name: 'By list index',
    meaning: 'After an upgrade, the index may refer to a different list item.',
  },
  plain: {
    name: 'Other fields',
    meaning: 'The path may have been removed, or HyperConverged may have a field for it.',
  },
}

/** The worst hazard of its operations. */
export function hazardOfPatch({ operations }: ModificationItem): PatchHazard {
  if (operations === null) return 'unreadable'
  const hazards = operations.map(({ path }) => hazardOfPath(path))
  return PATCH_HAZARDS.find((hazard) => hazards.includes(hazard)) ?? 'plain'
}

function hazardOfPath(path: string): PatchHazard {
  if (path.includes('/customizeComponents')) return 'dangerous'
  if (/\/featureGates(?:\/|$)/.test(path)) return 'gate'
  return /\/\d+(?:\/|$)/.test(path) ? 'fragile' : 'plain'
}

interface PatchGroup {
  readonly hazard: PatchHazard
  /** Most clusters first. */
  readonly targets: readonly PatchTarget[]
  readonly clusters: number
}

/** What is patched. */
export interface PatchTarget {
  readonly component: string
  /** Empty: not readable. */
  readonly path: string
  readonly patches: readonly ModificationItem[]
}

export function groupPatches(patches: readonly ModificationItem[]): readonly PatchGroup[] {
  return PATCH_HAZARDS.flatMap((hazard): PatchGroup[] => {
    const own = patches.filter((patch) => hazardOfPatch(patch) === hazard)
    if (own.length === 0) return []
    const places = own.flatMap((patch) => pathsOf(patch, hazard).map((path) => ({ patch, path })))
    const targets = [...groupBy(places, ({ patch, path }) => `${patch.component} ${path}`)]
      .sort(([a, first], [b, second]) => second.length - first.length || (a < b ? -1 : 1))
      .map(([, same]): PatchTarget => {
        const [{ patch, path }] = same as [(typeof same)[number]]
        return { component: patch.component, path, patches: same.map((one) => one.patch) }
      })
    return [{ hazard, targets, clusters: new Set(own.map(({ cluster }) => cluster)).size }]
  })
}

/** The paths that have the hazard. */
function pathsOf({ operations }: ModificationItem, hazard: PatchHazard): readonly string[] {
  if (operations === null) return ['']
  return [...new Set(operations.map(({ path }) => path).filter((path) => hazardOfPath(path) === hazard))]
}

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
