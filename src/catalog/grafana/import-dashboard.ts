/**
 * A Grafana dashboard (JSON, schemaVersion 14 to 41) as a Perses dashboard in YAML. What has no like in Perses is told,
 * never dropped in silence: each line names the panel or variable it is about.
 */
import { stringify } from 'yaml'
import { FleetError } from '../../base/errors.ts'
import { parseDuration } from '../../model/duration.ts'
import { pluginOf } from './import-chart.ts'
import type { Out, Tell } from './import-options.ts'
import { variablesOf, withBraces } from './import-variable.ts'
import { isRecord, isTrueAt, listAt, numberAt, recordAt, textAt } from './json-part.ts'
import type { Json } from './json-part.ts'

export interface Imported {
  /** Perses YAML. */
  readonly yaml: string
  /** What could not be carried over, in the order of the dashboard. */
  readonly told: readonly string[]
}

/** Throws FleetError `content_invalid` for what is no dashboard of Grafana. */
export function importGrafana(text: string): Imported {
  const told: string[] = []
  const tell =
    (about: string): Tell =>
    (message) => {
      const line = `${about}: ${message}`
      if (!told.includes(line)) told.push(line)
    }
  const dashboard = readJson(text)
  const ofBoard = tell('dashboard')
  const variables = variablesOf(dashboard, tell)
  const { panels, layouts } = panelsOf(dashboard, tell)
  if (panels.size === 0) ofBoard('no panel could be carried over')
  for (const annotation of listAt(recordAt(dashboard, 'annotations'), 'list')) {
    if (numberAt(annotation, 'builtIn') !== 1) ofBoard(`the annotation ${textAt(annotation, 'name')} is left out`)
  }
  const title = textAt(dashboard, 'title') || 'Imported from Grafana'
  const description = textAt(dashboard, 'description')
  const tags = (Array.isArray(dashboard['tags']) ? dashboard['tags'] : []).filter((tag) => typeof tag === 'string')
  const links = linksOf(dashboard, ofBoard)
  const from = /^now-(\w+)$/.exec(textAt(recordAt(dashboard, 'time'), 'from'))?.[1] ?? ''
  const refresh = textAt(dashboard, 'refresh')
  const document = {
    kind: 'Dashboard',
    metadata: { name: slugOf(title), ...(tags.length === 0 ? {} : { tags }) },
    spec: {
      display: { name: title, ...(description === '' ? {} : { description }) },
      duration: parseDuration(from) === undefined ? '1h' : from,
      ...(parseDuration(refresh) === undefined ? {} : { refreshInterval: refresh }),
      ...(variables.length === 0 ? {} : { variables }),
      panels: Object.fromEntries(panels),
      layouts,
      ...(links.length === 0 ? {} : { links }),
    },
  }
  // Through JSON, which leaves out what is undefined.
  const yaml = stringify(JSON.parse(JSON.stringify(document)), { lineWidth: 0, singleQuote: true })
  return { yaml, told }
}

function readJson(text: string): Json {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (thrown) {
    throw new FleetError('content_invalid', 'the file is not JSON', { cause: thrown })
  }
  // As the API answers it, and as it is exported.
  const dashboard = isRecord(json) && isRecord(json['dashboard']) ? json['dashboard'] : json
  if (isRecord(dashboard) && (Array.isArray(dashboard['panels']) || Array.isArray(dashboard['rows']))) return dashboard
  const hint =
    isRecord(dashboard) && (isRecord(dashboard['spec']) || isRecord(dashboard['elements']))
      ? 'it looks like the second schema of Grafana 12: export it as a classic model'
      : 'export it in Grafana with Share, Export'
  throw new FleetError('content_invalid', 'the file is no Grafana dashboard: it has neither panels nor rows', { hint })
}

function slugOf(title: string): string {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return slug === '' ? 'imported' : slug
}

interface Group {
  readonly title: string
  readonly isClosed: boolean
  readonly canCollapse: boolean
  readonly panels: readonly Placed[]
}

interface Placed {
  readonly panel: Json
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

function panelsOf(
  dashboard: Json,
  tell: (about: string) => Tell,
): { readonly panels: ReadonlyMap<string, Out>; readonly layouts: readonly Out[] } {
  const panels = new Map<string, Out>()
  const layouts = groupsOf(dashboard).flatMap((group) => {
    const items = group.panels.flatMap(({ panel, x, y, width, height }) => {
      const title = textAt(panel, 'title')
      const about = tell(
        `panel ${JSON.stringify(title || `${textAt(panel, 'type')} ${numberAt(panel, 'id') ?? ''}`.trim())}`,
      )
      const made = panelOf(panel, about)
      if (made === undefined) return []
      const id = freeName(slugOf(title || textAt(panel, 'type')).replaceAll('-', '_'), panels)
      panels.set(id, made)
      return [{ x, y, width, height, content: { $ref: `#/spec/panels/${id}` } }]
    })
    if (items.length === 0) return []
    const top = Math.min(...items.map(({ y }) => y))
    const collapse = group.canCollapse ? { collapse: { open: !group.isClosed } } : {}
    const display = group.title === '' ? {} : { display: { title: group.title, ...collapse } }
    return [{ kind: 'Grid', spec: { ...display, items: items.map((item) => ({ ...item, y: item.y - top })) } }]
  })
  return { panels, layouts }
}

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name
  for (let i = 2; taken.has(free); i++) free = `${name}_${i}`
  return free
}

const COLUMNS = 24
/** Of the older layout, which had twelve columns and heights in pixels. */
const OLD_COLUMNS = 12
const ROW_PX = 38
const HEIGHT = 8

function groupsOf(dashboard: Json): readonly Group[] {
  const rows = listAt(dashboard, 'rows')
  if (rows.length > 0 && listAt(dashboard, 'panels').length === 0) return rows.map(oldRow)
  const groups: { title: string; isClosed: boolean; canCollapse: boolean; panels: Placed[] }[] = []
  const sorted = [...listAt(dashboard, 'panels')].map(placed).sort((a, b) => a.y - b.y || a.x - b.x)
  for (const one of sorted) {
    const { panel } = one
    if (textAt(panel, 'type') === 'row') {
      const isClosed = isTrueAt(panel, 'collapsed')
      groups.push({
        title: textAt(panel, 'title'),
        isClosed,
        canCollapse: true,
        panels: listAt(panel, 'panels').map(placed),
      })
    } else if (groups.length === 0) groups.push({ title: '', isClosed: false, canCollapse: false, panels: [one] })
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
  return { title, isClosed: isTrueAt(row, 'collapse'), canCollapse: isTrueAt(row, 'collapse') && title !== '', panels }
}

function panelOf(panel: Json, tell: Tell): Out | undefined {
  if (isRecord(panel['libraryPanel'])) tell('it is a library panel: only what the file has of it is carried over')
  const plugin = pluginOf(panel, tell)
  if (plugin === undefined) return undefined
  if (textAt(panel, 'repeat') !== '') tell(`it is not repeated for each ${textAt(panel, 'repeat')}`)
  if (isRecord(panel['alert'])) tell('its alert is left out: write a rule')
  if (textAt(panel, 'timeFrom') !== '' || textAt(panel, 'timeShift') !== '') tell('its own time is left out')
  const queries = listAt(panel, 'targets').flatMap((target) => queryOf(target, tell))
  const description = textAt(panel, 'description')
  const links = linksOf(panel, tell)
  return {
    kind: 'Panel',
    spec: {
      display: { name: withBraces(textAt(panel, 'title')), ...(description === '' ? {} : { description }) },
      plugin,
      ...(queries.length === 0 ? {} : { queries }),
      ...(links.length === 0 ? {} : { links }),
    },
  }
}

function queryOf(target: Json, tell: Tell): Out[] {
  const ref = textAt(target, 'refId') || '?'
  const expr = textAt(target, 'expr')
  if (expr === '') {
    tell(`query ${ref} is not one of Prometheus: left out`)
    return []
  }
  if (isTrueAt(target, 'hide')) {
    tell(`query ${ref} is hidden: left out`)
    return []
  }
  const legend = textAt(target, 'legendFormat')
  const step = textAt(target, 'interval')
  const isStep = parseDuration(step) !== undefined
  if (step !== '' && !isStep) tell(`the least step ${step} of query ${ref} is left out`)
  const spec = {
    query: withBraces(expr),
    ...(legend === '' || legend === '__auto' ? {} : { seriesNameFormat: legend }),
    ...(isStep ? { minStep: step } : {}),
  }
  return [{ kind: 'TimeSeriesQuery', spec: { plugin: { kind: 'PrometheusTimeSeriesQuery', spec } } }]
}

function linksOf(json: Json, tell: Tell): readonly Out[] {
  return listAt(json, 'links').flatMap((link) => {
    const [url, name] = [textAt(link, 'url'), textAt(link, 'title')]
    if (textAt(link, 'type') === 'dashboards' || url === '') {
      tell(`the link ${name || 'to other dashboards'} is left out`)
      return []
    }
    return [
      { name: name || url, url: withBraces(url), renderVariables: true, targetBlank: isTrueAt(link, 'targetBlank') },
    ]
  })
}
