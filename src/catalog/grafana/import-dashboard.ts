/**
 * Converts a Grafana dashboard (JSON, schemaVersion 14 to 41) to a Perses dashboard in YAML. Features without an
 * equivalent in Perses are reported, one line per feature with its panel or variable, never dropped silently.
 */
import { stringify } from 'yaml'
import { FleetError } from '../../base/errors.ts'
import { parseDuration } from '../../model/duration.ts'
import { pluginOf } from './import-chart.ts'
import type { Out, Report } from './import-options.ts'
import { variablesOf, withBraces } from './import-variable.ts'
import { isRecord, isTrueAt, listAt, numberAt, recordAt, textAt, type Json } from './json-part.ts'
import { groupsOf, withRepeats } from './panel-groups.ts'

interface Imported {
  /** Perses YAML. */
  readonly yaml: string
  /** Features that were not converted, in the order of the dashboard. */
  readonly notConverted: readonly string[]
}

/** Throws FleetError `content_invalid` for text that is not a Grafana dashboard. */
export function importGrafana(text: string): Imported {
  const notConverted: string[] = []
  const report =
    (about: string): Report =>
    (message) => {
      const line = `${about}: ${message}`
      if (!notConverted.includes(line)) notConverted.push(line)
    }
  const dashboard = readJson(text)
  const ofBoard = report('dashboard')
  const variables = variablesOf(dashboard, report)
  const names = new Set(variables.map((variable) => textAt(variable['spec'], 'name')))
  const { panels, layouts } = panelsOf(dashboard, names, report)
  if (panels.size === 0) ofBoard('no panel could be converted')
  for (const annotation of listAt(recordAt(dashboard, 'annotations'), 'list')) {
    if (numberAt(annotation, 'builtIn') !== 1) ofBoard(`the annotation ${textAt(annotation, 'name')} is left out`)
  }
  const title = textAt(dashboard, 'title') || 'Imported from Grafana'
  const description = textAt(dashboard, 'description')
  const tags = (Array.isArray(dashboard['tags']) ? dashboard['tags'] : []).filter((tag) => typeof tag === 'string')
  const links = linksOf(dashboard, ofBoard)
  const refresh = textAt(dashboard, 'refresh')
  const document = {
    kind: 'Dashboard',
    metadata: { name: slugOf(title), ...(tags.length === 0 ? {} : { tags }) },
    spec: {
      display: { name: title, ...(description === '' ? {} : { description }) },
      duration: durationOf(recordAt(dashboard, 'time'), ofBoard),
      ...(parseDuration(refresh) === undefined ? {} : { refreshInterval: refresh }),
      ...(variables.length === 0 ? {} : { variables }),
      panels: Object.fromEntries(panels),
      layouts,
      ...(links.length === 0 ? {} : { links }),
    },
  }
  // JSON omits undefined values.
  const yaml = stringify(JSON.parse(JSON.stringify(document)), { lineWidth: 0, singleQuote: true })
  return { yaml, notConverted }
}

/** Only durations until now are supported; ranges that end at a day's or a week's end have no equivalent. */
function durationOf(time: Json, report: Report): string {
  const [from, to] = [textAt(time, 'from'), textAt(time, 'to')]
  const length = /^now-(\w+)/.exec(from)?.[1] ?? ''
  const duration = parseDuration(length) === undefined ? '1h' : length
  if (from !== '' && (from !== `now-${duration}` || (to !== '' && to !== 'now'))) {
    report(`its time from ${from} to ${to || 'now'} is the last ${duration}`)
  }
  return duration
}

function readJson(text: string): Json {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (thrown) {
    throw new FleetError('content_invalid', 'the file is not JSON', { cause: thrown })
  }
  // Both the API's response and the exported file.
  const dashboard = isRecord(json) && isRecord(json['dashboard']) ? json['dashboard'] : json
  if (isRecord(dashboard) && (Array.isArray(dashboard['panels']) || Array.isArray(dashboard['rows']))) return dashboard
  const hint =
    isRecord(dashboard) && (isRecord(dashboard['spec']) || isRecord(dashboard['elements']))
      ? 'it looks like the second schema of Grafana 12: export it as a classic model'
      : 'export it in Grafana with Share, Export'
  throw new FleetError('content_invalid', 'the file is not a Grafana dashboard: it has neither panels nor rows', {
    hint,
  })
}

function slugOf(title: string): string {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return slug === '' ? 'imported' : slug
}

/** @param names of the converted variables */
function panelsOf(
  dashboard: Json,
  names: ReadonlySet<string>,
  report: (about: string) => Report,
): { readonly panels: ReadonlyMap<string, Out>; readonly layouts: readonly Out[] } {
  const panels = new Map<string, Out>()
  const aboutOf = (panel: Json): Report => report(`panel ${JSON.stringify(nameOf(panel))}`)
  const groups = withRepeats(groupsOf(dashboard), names, aboutOf)
  const layouts = groups.flatMap((group) => {
    const items = group.panels.flatMap(({ panel, x, y, width, height }) => {
      const title = textAt(panel, 'title')
      const about = aboutOf(panel)
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
    const repeat = group.repeat === '' ? {} : { repeatVariable: group.repeat }
    return [
      { kind: 'Grid', spec: { ...display, ...repeat, items: items.map((item) => ({ ...item, y: item.y - top })) } },
    ]
  })
  return { panels, layouts }
}

function nameOf(panel: Json): string {
  return textAt(panel, 'title') || `${textAt(panel, 'type')} ${numberAt(panel, 'id') ?? ''}`.trim()
}

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name
  for (let i = 2; taken.has(free); i++) free = `${name}_${i}`
  return free
}

function panelOf(panel: Json, report: Report): Out | undefined {
  if (isRecord(panel['libraryPanel'])) report('it is a library panel: only the part in the file is converted')
  const plugin = pluginOf(panel, report)
  if (plugin === undefined) return undefined
  if (listAt(panel, 'transformations').length > 0 && plugin.kind !== 'Table') {
    report('its transformations are left out: Perses supports them only in tables')
  }
  if (isRecord(panel['alert'])) report('its alert is left out: write a rule')
  if (textAt(panel, 'timeFrom') !== '' || textAt(panel, 'timeShift') !== '') report('its own time is left out')
  const queries = queriesOf(panel, report)
  const description = textAt(panel, 'description')
  const links = linksOf(panel, report)
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

function linksOf(json: Json, report: Report): readonly Out[] {
  return listAt(json, 'links').flatMap((link) => {
    const [url, name] = [textAt(link, 'url'), textAt(link, 'title')]
    if (textAt(link, 'type') === 'dashboards' || url === '') {
      report(`the link ${name || 'to other dashboards'} is left out`)
      return []
    }
    return [
      { name: name || url, url: withBraces(url), renderVariables: true, targetBlank: isTrueAt(link, 'targetBlank') },
    ]
  })
}

/** Only Prometheus queries are converted; Loki queries have an `expr` too. */
function queriesOf(panel: Json, report: Report): readonly Out[] {
  return listAt(panel, 'targets').flatMap((target) => queryOf(target, panel, report))
}

function queryOf(target: Json, panel: Json, report: Report): Out[] {
  const ref = textAt(target, 'refId') || '?'
  const source = sourceOf(target) || sourceOf(panel)
  const expr = textAt(target, 'expr')
  if (expr === '' || !isPrometheus(source)) {
    report(`query ${ref} is not one of Prometheus: left out`)
    return []
  }
  if (isTrueAt(target, 'hide')) {
    report(`query ${ref} is hidden: left out`)
    return []
  }
  const legend = textAt(target, 'legendFormat')
  const step = leastStep(textAt(target, 'interval') || textAt(panel, 'interval'))
  if (step === undefined) {
    report(`the least step ${textAt(target, 'interval') || textAt(panel, 'interval')} of query ${ref} is left out`)
  }
  const isTable = textAt(panel, 'type').startsWith('table')
  const isInstant = isTrueAt(target, 'instant') && !isTrueAt(target, 'range') && !isTable
  const spec = {
    query: withBraces(expr),
    ...(legend === '' || legend === '__auto' ? {} : { seriesNameFormat: withBraces(legend) }),
    ...(step === undefined || step === '' ? {} : { minStep: step }),
    ...(isInstant ? { instant: true } : {}),
  }
  return [{ kind: 'TimeSeriesQuery', spec: { plugin: { kind: 'PrometheusTimeSeriesQuery', spec } } }]
}

/** The kind of the data source, if declared; a name or a variable declares none. */
function sourceOf(json: Json): string {
  const type = textAt(recordAt(json, 'datasource'), 'type')
  return isRecord(json['datasource']) && type !== 'datasource' ? type : ''
}

function isPrometheus(type: string): boolean {
  return type === '' || type.includes('prometheus') || type.startsWith('$')
}

/** A duration, the older `>10s`, or a variable of the dashboard; `undefined` for other texts. */
function leastStep(text: string): string | undefined {
  const step = withBraces(text.replace(/^>/, '').trim())
  if (step === '' || parseDuration(step) !== undefined) return step
  return /^\$\{?(?!__)\w+\}?$/.test(step) ? step : undefined
}
