import type { GraphEdgeItem, GraphVersionItem, UpdateGraphAnswer } from '../../contract/update-graph.ts'
import { compareVersions } from './version-order.ts'

/** The drawing of the update graph: a column for each minor, its versions below each other. Pure and deterministic. */

export interface DrawnVersion {
  readonly item: GraphVersionItem
  readonly x: number
  readonly y: number
  readonly isOnPath: boolean
}

export interface DrawnUpdate {
  readonly edge: GraphEdgeItem
  readonly path: string
  readonly isOnPath: boolean
}

export interface UpdateDrawing {
  readonly width: number
  readonly height: number
  readonly versions: readonly DrawnVersion[]
  readonly updates: readonly DrawnUpdate[]
}

export const NODE = { width: 84, height: 34 } as const
const GAP = { x: 40, y: 14 } as const
const MARGIN = 8

type Shown = Pick<UpdateGraphAnswer, 'versions' | 'edges' | 'path'>

/** Newest versions are at the right, and at the bottom of their minor. */
export function drawingOf({ versions, edges, path }: Shown): UpdateDrawing {
  const steps = new Set(path?.steps?.map(({ from, to }) => `${from} ${to}`))
  const onPath = new Set([...(path?.steps ?? [])].flatMap(({ from, to }) => [from, to]))
  // compareVersions has the newest first.
  const inOrder = [...versions].sort((a, b) => compareVersions(b.version, a.version))
  const minors = [...new Set(inOrder.map(({ version }) => minorOf(version)))]
  const rows = new Map<string, number>()
  const drawn = inOrder.map((item): DrawnVersion => {
    const minor = minorOf(item.version)
    const row = rows.get(minor) ?? 0
    rows.set(minor, row + 1)
    const x = MARGIN + minors.indexOf(minor) * (NODE.width + GAP.x)
    return { item, x, y: MARGIN + row * (NODE.height + GAP.y), isOnPath: onPath.has(item.version) }
  })
  const place = new Map(drawn.map((one) => [one.item.version, one]))
  const updates = drawnEdges(edges, steps).flatMap((edge): DrawnUpdate[] => {
    const [from, to] = [place.get(edge.from), place.get(edge.to)]
    if (from === undefined || to === undefined) return []
    return [{ edge, path: curve(from, to), isOnPath: steps.has(`${edge.from} ${edge.to}`) }]
  })
  return {
    // Updates within the last minor bend out to its right.
    width: 2 * MARGIN + Math.max(1, minors.length) * (NODE.width + GAP.x),
    height: 2 * MARGIN + Math.max(1, ...rows.values()) * (NODE.height + GAP.y) - GAP.y,
    versions: drawn,
    // The path is above the others.
    updates: updates.sort((a, b) => Number(a.isOnPath) - Number(b.isOnPath)),
  }
}

/**
 * Of thousands of updates the ones that lead on: from each version to the newest of its own minor and to the newest of the next
 * minor that it can reach, and those of the path. The table has all.
 */
function drawnEdges(edges: readonly GraphEdgeItem[], steps: ReadonlySet<string>): readonly GraphEdgeItem[] {
  const byOrigin = new Map<string, GraphEdgeItem[]>()
  for (const edge of edges) {
    const known = byOrigin.get(edge.from)
    if (known === undefined) byOrigin.set(edge.from, [edge])
    else known.push(edge)
  }
  const drawn = [...byOrigin.values()].flatMap((own) => {
    const newestFirst = [...own].sort((a, b) => compareVersions(a.to, b.to))
    const isSame = ({ from, to }: GraphEdgeItem): boolean => minorOf(from) === minorOf(to)
    const next = newestFirst.filter((edge) => !isSame(edge) && compareVersions(edge.to, edge.from) < 0).at(-1)
    const isNext = ({ to }: GraphEdgeItem): boolean => next !== undefined && minorOf(to) === minorOf(next.to)
    const leading = [newestFirst.find(isSame), newestFirst.find(isNext)]
    return own.filter((edge) => leading.includes(edge) || steps.has(`${edge.from} ${edge.to}`))
  })
  return drawn.sort((a, b) => compareVersions(b.from, a.from) || compareVersions(b.to, a.to))
}

/** From the right side to the left side; within a column around its right side. */
function curve(from: DrawnVersion, to: DrawnVersion): string {
  const [x1, y1] = [from.x + NODE.width, from.y + NODE.height / 2]
  const y2 = to.y + NODE.height / 2
  if (from.x === to.x) {
    const bend = x1 + GAP.x / 2
    return `M ${x1} ${y1} C ${bend} ${y1} ${bend} ${y2} ${x1} ${y2}`
  }
  const x2 = to.x
  const half = (x1 + x2) / 2
  return `M ${x1} ${y1} C ${half} ${y1} ${half} ${y2} ${x2} ${y2}`
}

function minorOf(version: string): string {
  return /^v?\d+\.\d+/.exec(version)?.[0] ?? version
}

/** Updates by origin, the newest target first. */
export function updatesFrom(edges: readonly GraphEdgeItem[]): ReadonlyMap<string, readonly GraphEdgeItem[]> {
  const found = new Map<string, GraphEdgeItem[]>()
  for (const edge of [...edges].sort((a, b) => compareVersions(a.to, b.to))) {
    const known = found.get(edge.from)
    if (known === undefined) found.set(edge.from, [edge])
    else known.push(edge)
  }
  return found
}

/** What a version needs attention for, as short words. */
export function versionMarks({
  deprecated,
  deadEnd,
  stranded,
  inGraph,
  channels,
  verdict,
}: GraphVersionItem): readonly string[] {
  return [
    ...(verdict === null ? [] : [VERDICT_TEXTS[verdict]]),
    ...(deprecated === null ? [] : ['deprecated']),
    ...(deadEnd ? ['no update'] : []),
    ...(stranded === null ? [] : ['stranded']),
    ...(!inGraph ? ['not in the graph'] : channels.length === 0 ? ['in no channel'] : []),
  ]
}

/** The verdict on the rollout of a version; the first letter is its sign in the drawing. */
export const VERDICT_TEXTS: Readonly<Record<NonNullable<GraphVersionItem['verdict']>, string>> = {
  proceed: '✓ verdict: proceed',
  hold: '✕ verdict: hold',
  insufficient: '… verdict: insufficient',
  not_comparable: '… verdict: not comparable',
}

/** One sentence about the requested path. */
export function pathSentence(path: NonNullable<UpdateGraphAnswer['path']>): string {
  const { from, to, steps, recommended, inChannel, channel } = path
  if (steps === null) return `No update path leads from ${from} to ${to}.`
  if (steps.length === 0) return `${from} is the target.`
  const words = steps.length === 1 ? '1 update' : `${steps.length} updates`
  const where = channel === null ? '' : inChannel ? `, all in channel ${channel}` : `, not all in channel ${channel}`
  return `${words} from ${from} to ${to}${where}${recommended ? '' : '; a conditional risk may apply'}.`
}
