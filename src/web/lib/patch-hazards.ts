import type { ModificationItem } from '../../contract/fleet-modifications.ts'

/** What makes a JSON patch unsafe, by its shape alone: no schema of any version is asked here. Pure. */

export const PATCH_HAZARDS = ['unreadable', 'dangerous', 'gate', 'fragile', 'plain'] as const
export type PatchHazard = (typeof PATCH_HAZARDS)[number]

export const PATCH_HAZARD_WORDS: Readonly<Record<PatchHazard, { readonly name: string; readonly meaning: string }>> = {
  unreadable: {
    name: 'Not readable',
    meaning: 'The annotation is no valid patch, or only its size is told: nobody can say what it does.',
  },
  dangerous: {
    name: 'Patches pods of the operator',
    meaning: 'customizeComponents rewrites what the operator deploys: the next version may deploy something else.',
  },
  gate: {
    name: 'Feature gates',
    meaning: 'A gate may be on by default, deprecated or gone in the next version.',
  },
  fragile: {
    name: 'By place in a list',
    meaning: 'An index names whatever stands there: after an upgrade that may be something else.',
  },
  plain: { name: 'Other fields', meaning: 'The path may be gone, or HyperConverged may have a field for it by now.' },
}

/** The worst of what its operations are. */
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

export interface PatchGroup {
  readonly hazard: PatchHazard
  /** What is patched: a component and a path, the most clusters first. */
  readonly targets: readonly PatchTarget[]
  readonly clusters: number
}

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
    const targets = new Map<string, PatchTarget & { readonly patches: ModificationItem[] }>()
    for (const patch of own) {
      for (const path of pathsOf(patch, hazard)) {
        const key = `${patch.component} ${path}`
        const known = targets.get(key)
        if (known === undefined) targets.set(key, { component: patch.component, path, patches: [patch] })
        else known.patches.push(patch)
      }
    }
    return [
      {
        hazard,
        targets: [...targets.values()].sort(
          (a, b) =>
            b.patches.length - a.patches.length || (`${a.component} ${a.path}` < `${b.component} ${b.path}` ? -1 : 1),
        ),
        clusters: new Set(own.map(({ cluster }) => cluster)).size,
      },
    ]
  })
}

/** Of a patch only the paths that make it what it is. */
function pathsOf({ operations }: ModificationItem, hazard: PatchHazard): readonly string[] {
  if (operations === null) return ['']
  return [...new Set(operations.map(({ path }) => path).filter((path) => hazardOfPath(path) === hazard))]
}

/** Those on clusters that stand, and those on clusters that are gone, each in the order given. */
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

/** As many as `groupEdits` counts of them. */
export function editsIn(edits: readonly ModificationItem[]): number {
  return edits.reduce((sum, edit) => sum + (isByHand(edit) ? edit.count : 0), 0)
}

/** Those of an upgrade are the operator's own. */
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
  /** Over the time from the first to now, at least a day. */
  readonly perDay: number
  /** Edits by hour of the day, in the zone asked for. */
  readonly hours: readonly number[]
}

const DAY_MS = 86_400_000

/** Edits past the operator by component and cluster, the most first. */
export function groupEdits(
  edits: readonly ModificationItem[],
  nowMs: number,
  hourOf: (ms: number) => number,
): readonly EditGroup[] {
  const groups = new Map<string, ModificationItem[]>()
  for (const edit of edits) {
    if (!isByHand(edit)) continue
    const key = `${edit.component} ${edit.cluster}`
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [edit])
    else known.push(edit)
  }
  return [...groups.values()]
    .map((own): EditGroup => {
      const spans = own.map(
        ({ startedAt, endedAt }) => [Date.parse(startedAt!), Date.parse(endedAt ?? startedAt!)] as const,
      )
      const hours = Array.from({ length: 24 }, () => 0)
      own.forEach(({ count }, i) => {
        const [firstMs, lastMs] = spans[i]!
        // Of a burst the first and the last are known, and how many: the others are taken to be as far apart.
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
