/**
 * Reads a Perses dashboard file into the model, with the position of every fault. Two forms: Perses' own (`kind:
 * Dashboard`) and the operator's (`kind: PersesDashboard`, `apiVersion: perses.dev/v1alpha1` or `v1alpha2`, whose
 * `spec` may have the dashboard below `config`). Unknown kinds and keys are warnings; the rest is drawn.
 */
import type {
  DashboardModel,
  DashboardPanel,
  Grid,
  GridItem,
  PanelQuery,
  PrometheusQuery,
} from '../../model/dashboard.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { YamlReader } from '../../yaml/yaml-reader.ts'
import type { YamlText } from '../../yaml/yaml-text.ts'
import {
  flagAt,
  has,
  neededTextAt,
  numberAt,
  partAt,
  partOf,
  partsAt,
  secondsAt,
  start,
  reportUnsupported,
  textAt,
  textsAt,
  yamlTextAt,
  readPlugin,
  reportOtherSource,
  type Part,
} from './part.ts'
import { CHARTS } from './read-chart.ts'
import { readLinks } from './read-format.ts'
import { readVariables } from './read-variable.ts'

/** PromQL of a dashboard, with its position. */
interface PlacedText {
  readonly text: YamlText
  /** Name of the panel; absent for the query of a variable. */
  readonly panel?: string
}

interface ReadModel {
  readonly model: DashboardModel
  readonly queries: readonly PlacedText[]
  /** Faults of the dashboard's shape by position; the caller checks PromQL. */
  readonly faults: readonly Diagnostic[]
}

const ROOT_KEYS = ['apiVersion', 'kind', 'metadata', 'spec', 'status']
const SPEC_KEYS = [
  'display',
  'duration',
  'refreshInterval',
  'variables',
  'panels',
  'layouts',
  'links',
  'datasources',
  'tags',
]
const OPERATOR_KEYS = ['config', 'instanceSelector']
const COLUMNS = 24
const DURATION_SECONDS = 3600
const PANEL_KEYS = ['display', 'plugin', 'queries', 'links']

/** Never throws: errors are in the faults. */
export function readModel(path: string, text: string): ReadModel {
  const yaml = new YamlReader(path, text)
  const queries: PlacedText[] = []
  const model = yaml.diagnostics.length > 0 ? EMPTY : readRoot(yaml, queries)
  return { model: frozen(model), queries, faults: yaml.diagnostics.sort((a, b) => a.from - b.from) }
}

const EMPTY: DashboardModel = {
  name: '',
  project: '',
  title: '',
  description: '',
  tags: [],
  durationSeconds: DURATION_SECONDS,
  refreshSeconds: 0,
  variables: [],
  panels: [],
  grids: [],
  links: [],
}

function readRoot(yaml: YamlReader, queries: PlacedText[]): DashboardModel {
  const whole = { from: 0, to: 1 }
  const root = partOf(yaml, yaml.root, 'the dashboard', whole, ROOT_KEYS)
  const kind = yamlTextAt(root, 'kind')
  const isOperator = kind?.text === 'PersesDashboard'
  if (!isOperator && kind?.text !== 'Dashboard') yaml.error(kind ?? whole, 'want kind Dashboard')
  const metadata = partAt(root, 'metadata', 'metadata')
  const name = textAt(metadata, 'name')
  if (name === '') yaml.error(start(metadata.at), 'the dashboard has no metadata.name')
  const outer = partAt(root, 'spec', 'the spec', isOperator ? [...SPEC_KEYS, ...OPERATOR_KEYS] : SPEC_KEYS)
  const spec = isOperator && has(outer, 'config') ? partAt(outer, 'config', 'the config', SPEC_KEYS) : outer
  reportUnsupported(spec, 'datasources', 'all queries go to this server')
  if (!has(spec, 'panels')) yaml.error(start(spec.at), 'the dashboard has no spec.panels')
  const display = partAt(spec, 'display', 'the display', ['name', 'description'])
  const variables = readVariables(spec, (text) => queries.push({ text }))
  const panels = readPanels(spec, queries)
  return {
    ...EMPTY,
    name,
    project: textAt(metadata, 'project') || textAt(metadata, 'namespace'),
    title: textAt(display, 'name') || name,
    description: textAt(display, 'description'),
    tags: [...textsAt(metadata, 'tags'), ...textsAt(spec, 'tags')],
    durationSeconds: secondsAt(spec, 'duration') || DURATION_SECONDS,
    refreshSeconds: secondsAt(spec, 'refreshInterval') ?? 0,
    variables,
    panels,
    grids: readGrids(spec, new Set(panels.map(({ id }) => id)), new Set(variables.map(({ name: one }) => one))),
    links: readLinks(spec),
  }
}

function readPanels(spec: Part, queries: PlacedText[]): readonly DashboardPanel[] {
  const panels = partAt(spec, 'panels', 'the panels')
  return [...panels.entries].map(([id, { keyAt, value }]) => {
    const outer = partOf(spec.yaml, value, `panel ${id}`, keyAt, ['kind', 'spec'])
    const kind = yamlTextAt(outer, 'kind')
    if (kind !== undefined && kind.text !== 'Panel') spec.yaml.error(kind, `want kind Panel, got ${kind.text}`)
    const panel = partAt(outer, 'spec', `panel ${id}`, PANEL_KEYS)
    const display = partAt(panel, 'display', `the display of panel ${id}`, ['name', 'description'])
    const plugin = partAt(panel, 'plugin', `the plugin of panel ${id}`, ['kind', 'spec'])
    const before = spec.yaml.diagnostics.length
    const read = {
      id,
      title: textAt(display, 'name'),
      description: textAt(display, 'description'),
      chart: readPlugin(plugin, `panel ${id}`, CHARTS),
      queries: partsAt(panel, 'queries', `a query of panel ${id}`, ['kind', 'spec']).map((query) =>
        readQuery(query, id, queries),
      ),
      links: readLinks(panel),
    }
    return { ...read, notDone: spec.yaml.diagnostics.slice(before).map(({ message }) => message) }
  })
}

const QUERY_KEYS = ['query', 'datasource', 'seriesNameFormat', 'minStep', 'resolution', 'instant']

function readQuery(query: Part, panel: string, queries: PlacedText[]): PanelQuery {
  return readPlugin<PanelQuery>(query, query.what, {
    TimeSeriesQuery: {
      keys: ['plugin'],
      read: (spec) => {
        const plugin = partAt(spec, 'plugin', query.what, ['kind', 'spec'])
        return readPlugin<PrometheusQuery>(plugin, query.what, {
          PrometheusTimeSeriesQuery: { keys: QUERY_KEYS, read: readPrometheus },
        })
      },
    },
  })

  function readPrometheus(spec: Part): PrometheusQuery {
    const expr = neededTextAt(spec, 'query')
    const text = yamlTextAt(spec, 'query')
    if (text !== undefined && expr !== '') queries.push({ text, panel })
    reportOtherSource(spec)
    reportUnsupported(spec, 'resolution', 'the step follows from the time range and the width of the graph')
    const minStep = textAt(spec, 'minStep')
    const isVariable = minStep.startsWith('$')
    return {
      kind: 'prometheus',
      expr,
      seriesNameFormat: textAt(spec, 'seriesNameFormat'),
      minStepSeconds: isVariable ? 0 : (secondsAt(spec, 'minStep') ?? 0),
      minStepText: isVariable ? minStep : '',
      isInstant: flagAt(spec, 'instant'),
    }
  }
}

function readGrids(spec: Part, panels: ReadonlySet<string>, variables: ReadonlySet<string>): readonly Grid[] {
  return partsAt(spec, 'layouts', 'a layout', ['kind', 'spec']).flatMap((layout) => {
    const grid = readPlugin<Grid>(layout, 'the layout', {
      Grid: { keys: ['display', 'items', 'repeatVariable'], read: (part) => readGrid(part, panels, variables) },
    })
    return 'kind' in grid ? [] : [grid]
  })
}

function readGrid(part: Part, panels: ReadonlySet<string>, variables: ReadonlySet<string>): Grid {
  const display = partAt(part, 'display', 'the display of the layout', ['title', 'collapse'])
  const collapse = partAt(display, 'collapse', 'collapse of the layout', ['open'])
  const repeat = textAt(part, 'repeatVariable')
  if (repeat !== '' && !variables.has(repeat)) {
    part.yaml.warning(part.entries.get('repeatVariable')!.keyAt, `no variable is called ${repeat}`, 'it is drawn once')
  }
  return {
    title: textAt(display, 'title'),
    canCollapse: has(display, 'collapse'),
    isOpen: flagAt(collapse, 'open', true),
    repeatVariable: variables.has(repeat) ? repeat : '',
    items: partsAt(part, 'items', 'an item of the layout', ['x', 'y', 'width', 'height', 'content']).flatMap((item) =>
      readItem(item, panels),
    ),
  }
}

function readItem(item: Part, panels: ReadonlySet<string>): GridItem[] {
  const content = partAt(item, 'content', 'the content of an item', ['$ref'])
  const ref = yamlTextAt(content, '$ref')
  const panel = /^#\/spec\/panels\/(.+)$/.exec(ref?.text ?? '')?.[1]
  if (panel === undefined || !panels.has(panel)) {
    item.yaml.error(ref ?? start(item.at), `${ref?.text ?? 'an item of the layout'} leads to nothing`)
    return []
  }
  const [x, y] = [whole(item, 'x', 0, 0), whole(item, 'y', 0, 0)]
  const [width, height] = [whole(item, 'width', 1, COLUMNS), whole(item, 'height', 1, 6)]
  if (x + width <= COLUMNS) return [{ x, y, width, height, panel }]
  item.yaml.warning(start(item.at), `panel ${panel} ends in column ${x + width}; there are ${COLUMNS}`)
  return [{ x: Math.min(x, COLUMNS - 1), y, width: Math.max(1, COLUMNS - x), height, panel }]
}

function whole(part: Part, key: string, least: number, otherwise: number): number {
  const value = numberAt(part, key)
  if (value === undefined) return otherwise
  if (Number.isInteger(value) && value >= least) return value
  part.yaml.error(part.entries.get(key)!.keyAt, `${key} of ${part.what} is ${value}; want a whole number from ${least}`)
  return otherwise
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.values(value).forEach(frozen)
  return Object.freeze(value)
}
