/**
 * Grafana tables: the columns of `organize`, of overrides and of the older `styles`, and the transformations that
 * Perses has too. Other features are reported.
 */
import { conditionsOf, defaultsOf, formatOf, type Out, type Report } from './import-options.ts'
import { withBraces } from './import-variable.ts'
import { isTrueAt, listAt, numberAt, recordAt, textAt, textsAt, type Json } from './json-part.ts'

type Column = Record<string, unknown>

export function tableOf(panel: Json, report: Report): Out {
  const columns = new Columns()
  const transforms = listAt(panel, 'transformations').flatMap((one) => transformOf(one, columns, report))
  for (const style of listAt(panel, 'styles')) readStyle(style, columns, report)
  for (const override of listAt(recordAt(panel, 'fieldConfig'), 'overrides')) readOverride(override, columns, report)
  formatValues(panel, columns, report)
  const [sort] = listAt(recordAt(panel, 'options'), 'sortBy')
  if (sort !== undefined) columns.shown(textAt(sort, 'displayName'))['sort'] = isTrueAt(sort, 'desc') ? 'desc' : 'asc'
  if (numberAt(recordAt(panel, 'sort'), 'col') !== undefined)
    report('its order is left out: it names a column by number')
  const old = textAt(panel, 'transform')
  if (old !== '' && old !== 'table') report(`the rows that ${old} makes are left out: there is one for each series`)
  const cells = listAt(defaultsOf(panel), 'mappings').length > 0 ? conditionsOf(panel, report).map(cellOf) : []
  return {
    ...columns.settings(),
    ...(cells.length === 0 ? {} : { cellSettings: cells }),
    ...(transforms.length === 0 ? {} : { transforms }),
  }
}

/** Settings of columns by Perses' names, without repeats. */
class Columns {
  /** Hides columns that are not named. */
  onlyNamed = false
  readonly #byName = new Map<string, Column>()
  #order: Json = {}

  /** Finds a column by Grafana's name. */
  named(name: string): Column {
    const own = nameOf(name)
    const known = this.#byName.get(own) ?? { name: own }
    this.#byName.set(own, known)
    return known
  }

  /** Finds a column by its header: its name or a new one. */
  shown(header: string): Column {
    return [...this.#byName.values()].find((one) => one['header'] === header) ?? this.named(header)
  }

  /** @param order numbers by Grafana's names */
  inOrder(order: Json): void {
    this.#order = order
    for (const name of Object.keys(order)) this.named(name)
  }

  settings(): Out {
    const places = new Map(Object.keys(this.#order).map((name) => [nameOf(name), numberAt(this.#order, name) ?? 0]))
    const placeOf = (one: Column): number => places.get(String(one['name'])) ?? Infinity
    const all = [...this.#byName.values()].sort((a, b) => (placeOf(a) === placeOf(b) ? 0 : placeOf(a) - placeOf(b)))
    if (all.length === 0) return {}
    const columnSettings = all.map((one) => ({ ...one, enableSorting: true }))
    return { ...(this.onlyNamed ? { defaultColumnHidden: true } : {}), columnSettings }
  }
}

function transformOf(transformation: Json, columns: Columns, report: Report): Out[] {
  const id = textAt(transformation, 'id')
  const options = recordAt(transformation, 'options')
  if (isTrueAt(transformation, 'disabled')) return []
  switch (id) {
    case 'merge':
      return [{ kind: 'MergeSeries', spec: {} }]
    case 'seriesToColumns':
    case 'joinByField':
      return [
        { kind: 'MergeSeries', spec: {} },
        { kind: 'JoinByColumnValue', spec: { columns: [textAt(options, 'byField') || 'timestamp'] } },
      ]
    case 'organize':
      columns.inOrder(recordAt(options, 'indexByName'))
      for (const [name, isHidden] of Object.entries(recordAt(options, 'excludeByName')))
        if (isHidden === true) columns.named(name)['hide'] = true
      for (const [name, header] of Object.entries(recordAt(options, 'renameByName')))
        if (typeof header === 'string' && header !== '') columns.named(name)['header'] = header
      return []
    case 'filterFieldsByName': {
      const names = textsAt(recordAt(options, 'include'), 'names')
      if (names.length === 0) report('the fields that filterFieldsByName chooses by a pattern are all there')
      else columns.onlyNamed = true
      for (const name of names) columns.named(name)
      return []
    }
    default:
      report(`the transformation ${id} has no equivalent in Perses`)
      return []
  }
}

function readStyle(style: Json, columns: Columns, report: Report): void {
  const name = textAt(style, 'pattern')
  if (/^\/.*\/$/.test(name)) {
    if (name !== '/.*/') report(`the column style of ${name} is left out: columns are named one by one`)
    return
  }
  const own = columns.named(name)
  if (textAt(style, 'alias') !== '') own['header'] = textAt(style, 'alias')
  if (textAt(style, 'type') === 'hidden') own['hide'] = true
  const unit = textAt(style, 'unit')
  const format = formatOf(unit, unit === '' ? undefined : numberAt(style, 'decimals'), report)
  if (format !== undefined) own['format'] = format
  if (textAt(style, 'colorMode') !== '') report(`the colours of column ${name} are left out`)
  if (isTrueAt(style, 'link')) report(`the link of column ${name} is left out`)
}

function readOverride(override: Json, columns: Columns, report: Report): void {
  const matcher = recordAt(override, 'matcher')
  if (textAt(matcher, 'id') !== 'byName') {
    report(`the override of ${textAt(matcher, 'id')} is left out: columns are named one by one`)
    return
  }
  const own = columns.shown(textAt(matcher, 'options'))
  for (const property of listAt(override, 'properties')) setProperty(own, property, report)
}

function setProperty(column: Column, property: Json, report: Report): void {
  const id = textAt(property, 'id')
  const value = property['value']
  const format = (column['format'] ?? {}) as Out
  if (id === 'displayName' && typeof value === 'string') column['header'] = value
  else if (id === 'unit' && typeof value === 'string')
    column['format'] = { ...format, ...formatOf(value, undefined, report) }
  else if (id === 'decimals' && typeof value === 'number')
    column['format'] = { unit: 'decimal', ...format, decimalPlaces: value }
  else if (id === 'custom.width' && typeof value === 'number') column['width'] = value
  else if (id === 'custom.align' && typeof value === 'string' && value !== 'auto') column['align'] = value
  else if (id === 'custom.hidden') column['hide'] = value === true
  else if (id === 'mappings')
    column['cellSettings'] = conditionsOf({ fieldConfig: { defaults: { mappings: value } } }, report).map(cellOf)
  else if (id === 'links') setLink(column, listAt(property, 'value'), report)
  else report(`the override ${id} of column ${String(column['name'])} is left out`)
}

/** Converts the first link; Grafana's row and cell variables are fields of the row. */
function setLink(column: Column, links: readonly Json[], report: Report): void {
  const name = String(column['name'])
  const [first] = links
  const field = (of: string): string => `\${__data.fields[${JSON.stringify(nameOf(of))}]}`
  const url = withBraces(textAt(first, 'url'))
    .replaceAll(
      /\$\{__data\.fields(?:\.([\w]+)|\[["']([^"']+)["']\])(?:\.\w+)?\}/g,
      (_use, plain?: string, quoted?: string) => field(plain ?? quoted ?? ''),
    )
    .replaceAll(/\$\{__value(?:\.\w+)?\}|\$__cell\b/g, field(name))
  if (url === '' || /\$\{__(?!data\.fields|from|to|all|url_time_range)/.test(url)) {
    report(`the override links of column ${name} is left out`)
    return
  }
  const title = textAt(first, 'title')
  column['dataLink'] = { url, ...(title === '' ? {} : { title }), openNewTab: isTrueAt(first, 'targetBlank') }
  if (links.length > 1) report(`column ${name} has several links: only the first is converted`)
}

/** The unit of a panel is the unit of its value columns; text columns have none. */
function formatValues(panel: Json, columns: Columns, report: Report): void {
  const defaults = defaultsOf(panel)
  const format = formatOf(textAt(defaults, 'unit'), numberAt(defaults, 'decimals'), report)
  const targets = listAt(panel, 'targets').filter((target) => !isTrueAt(target, 'hide'))
  if (format === undefined) return
  for (const [i] of targets.entries()) {
    const column = columns.named(targets.length === 1 ? 'Value' : `Value #${String.fromCharCode(65 + i)}`)
    column['format'] ??= format
  }
}

function cellOf({ condition, text, color }: ReturnType<typeof conditionsOf>[number]): Out {
  const hex = /^#(?:[\da-f]{3}){1,2}$/i.test(color) ? color : COLORS.get(color.split('-').at(-1) ?? '')
  return { condition, ...(text === '' ? {} : { text }), ...(hex === undefined ? {} : { textColor: hex }) }
}

/** Perses' tables accept only hexadecimal colours. */
const COLORS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    red: '#f2495c',
    orange: '#ff9830',
    yellow: '#fade2a',
    green: '#73bf69',
    blue: '#5794f2',
  }),
)

/** Grafana calls the time `Time`, the value `Value`, and the value of query B `Value #B`. */
function nameOf(name: string): string {
  if (name === 'Time') return 'timestamp'
  const letter = /^Value(?: #([A-Z]))?$/.exec(name)
  if (letter === null) return name
  return letter[1] === undefined ? 'value' : `value #${letter[1].charCodeAt(0) - 64}`
}
