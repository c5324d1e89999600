/**
 * Groups of panels of a Grafana dashboard, each of which becomes a grid: the panels of a row, those above the first
 * row, and each repeated panel, because Perses repeats only grids.
 */
import type { Report } from './import-options.ts'
import { isTrueAt, listAt, numberAt, recordAt, textAt, type Json } from './json-part.ts'

export interface Group {
  readonly title: string
  readonly isClosed: boolean
  readonly canCollapse: boolean
  /** The variable for whose values the group is repeated; empty: not repeated. */
  readonly repeat: string
  readonly panels: readonly Placed[]
}

export interface Placed {
  readonly panel: Json
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const COLUMNS = 24
/** The older layout had twelve columns and heights in pixels. */
const OLD_COLUMNS = 12
const ROW_PX = 38
const HEIGHT = 8

export function groupsOf(dashboard: Json): readonly Group[] {
  const rows = listAt(dashboard, 'rows')
  if (rows.length > 0 && listAt(dashboard, 'panels').length === 0) return rows.map(oldRow)
  const groups: { title: string; isClosed: boolean; canCollapse: boolean; repeat: string; panels: Placed[] }[] = []
  const sorted = [...listAt(dashboard, 'panels')].map(placed).sort((a, b) => a.y - b.y || a.x - b.x)
  for (const one of sorted) {
    const { panel } = one
    if (textAt(panel, 'type') === 'row') {
      const isClosed = isTrueAt(panel, 'collapsed')
      groups.push({
        title: textAt(panel, 'title'),
        isClosed,
        canCollapse: true,
        repeat: textAt(panel, 'repeat'),
        panels: listAt(panel, 'panels').map(placed),
      })
    } else if (groups.length === 0)
      groups.push({ title: '', isClosed: false, canCollapse: false, repeat: '', panels: [one] })
    else groups.at(-1)!.panels.push(one)
  }
  return groups
}

function placed(panel: Json): Placed {
  const at = recordAt(panel, 'gridPos')
  const width = Math.min(COLUMNS, Math.max(1, numberAt(at, 'w') ?? OLD_COLUMNS))
  const x = Math.min(COLUMNS - width, Math.max(0, numberAt(at, 'x') ?? 0))
  return { panel, x, y: numberAt(at, 'y') ?? 0, width, height: Math.max(1, numberAt(at, 'h') ?? HEIGHT) }
}

function oldRow(row: Json): Group {
  const px = numberAt({ height: textAt(row, 'height').replace('px', '') || row['height'] }, 'height')
  const height = px === undefined ? HEIGHT : Math.max(3, Math.round(px / ROW_PX))
  let [x, y] = [0, 0]
  const panels = listAt(row, 'panels').map((panel): Placed => {
    const width = Math.min(
      COLUMNS,
      Math.max(1, Math.round(((numberAt(panel, 'span') ?? OLD_COLUMNS) / OLD_COLUMNS) * COLUMNS)),
    )
    if (x + width > COLUMNS) [x, y] = [0, y + height]
    const at = { panel, x, y, width, height }
    x += width
    return at
  })
  const title = row['showTitle'] === false ? '' : textAt(row, 'title')
  const isClosed = isTrueAt(row, 'collapse')
  return { title, isClosed, canCollapse: isClosed && title !== '', repeat: textAt(row, 'repeat'), panels }
}

/** Gives each repeated panel a group of its own, between the panels before and after it. */
export function withRepeats(
  groups: readonly Group[],
  variables: ReadonlySet<string>,
  reportFor: (panel: Json) => Report,
): readonly Group[] {
  return groups.flatMap((group) => {
    const parts: Group[] = [{ ...group, panels: [] }]
    const inOrder = group.panels.toSorted((a, b) => a.y - b.y || a.x - b.x)
    for (const one of inOrder) {
      const last = parts.at(-1)!
      if (isRepeated(one.panel, group, variables, reportFor)) parts.push(repeatedAlone(one, reportFor))
      else if (last.repeat === group.repeat) parts[parts.length - 1] = { ...last, panels: [...last.panels, one] }
      else parts.push({ ...UNTITLED, panels: [one] })
    }
    const filled = parts.filter(({ panels }) => panels.length > 0)
    // When a row starts with a repeated panel, that group gets the row's title.
    return filled.map((part, i) => (i === 0 ? { ...part, title: group.title } : part))
  })
}

const UNTITLED = { title: '', isClosed: false, canCollapse: false, repeat: '' } as const

function isRepeated(
  panel: Json,
  group: Group,
  variables: ReadonlySet<string>,
  reportFor: (panel: Json) => Report,
): boolean {
  const variable = textAt(panel, 'repeat')
  if (variable === '') return false
  const why =
    group.repeat !== ''
      ? 'its row is repeated, and a repeated row cannot contain repeated panels'
      : group.isClosed
        ? 'its row is closed, and a repeated panel is not in a row'
        : variables.has(variable)
          ? undefined
          : 'the dashboard has no such variable'
  if (why === undefined) return true
  reportFor(panel)(`it is not repeated for each ${variable}: ${why}`)
  return false
}

/** Width by the number of repetitions per row; a full-width panel gets a quarter of the page. */
const USUAL_WIDTH = 6

function repeatedAlone({ panel, width, height }: Placed, reportFor: (panel: Json) => Report): Group {
  const most = numberAt(panel, 'maxPerRow')
  const own = width * 2 <= COLUMNS ? width : USUAL_WIDTH
  const narrow = most === undefined || most < 1 ? own : Math.max(1, Math.floor(COLUMNS / most))
  const isBelow = textAt(panel, 'repeatDirection') === 'v'
  if (isBelow) reportFor(panel)('its repetitions are beside each other, in Grafana below each other')
  return { ...UNTITLED, repeat: textAt(panel, 'repeat'), panels: [{ panel, x: 0, y: 0, width: narrow, height }] }
}
