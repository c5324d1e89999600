/**
 * Tables of Grafana: the columns of `organize`, of overrides and of the old `styles`, and the transformations that Perses
 * has too. What else stands there is told.
 */
import { conditionsOf, defaultsOf, formatOf } from './import-options.ts'
import type { Out, Tell } from './import-options.ts'
import { withBraces } from './import-variable.ts'
import { isTrueAt, listAt, numberAt, recordAt, textAt, textsAt } from './json-part.ts'
import type { Json } from './json-part.ts'

type Column = Record<string, unknown>

export function tableOf(panel: Json, tell: Tell): Out {
  const columns = new Columns()
  const transforms = listAt(panel, 'transformations').flatMap((one) => transformOf(one, columns, tell))
  for (const style of listAt(panel, 'styles')) readStyle(style, columns, tell)
  for (const override of listAt(recordAt(panel, 'fieldConfig'), 'overrides')) readOverride(override, columns, tell)
  formatValues(panel, columns, tell)
  const [sort] = listAt(recordAt(panel, 'options'), 'sortBy')
  if (sort !== undefined) columns.shown(textAt(sort, 'displayName'))['sort'] = isTrueAt(sort, 'desc') ? 'desc' : 'asc'
  if (numberAt(recordAt(panel, 'sort'), 'col') !== undefined) tell('its order is left out: it names a column by number')
  const old = textAt(panel, 'transform')
  if (old !== '' && old !== 'table') tell(`the rows that ${old} makes are left out: there is one for each series`)
  const cells = listAt(defaultsOf(panel), 'mappings').length > 0 ? conditionsOf(panel, tell).map(cellOf) : []
  return {
    ...columns.settings(),
    ...(cells.length === 0 ? {} : { cellSettings: cells }),
    ...(transforms.length === 0 ? {} : { transforms }),
  }
}

/** Settings of columns by Perses' names, each once. */
class Columns {
  /** Other columns than those that are named are not shown. */
  onlyNamed = false
  readonly #byName = new Map<string, Column>()
  #order: Json = {}

  /** By Grafana's name. */
  named(name: string): Column {
    const own = nameOf(name)
    const known = this.#byName.get(own) ?? { name: own }
    this.#byName.set(own, known)
    return known
  }

  /** By what stands above it, which is its name or a new one. */
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

function transformOf(transformation: Json, columns: Columns, tell: Tell): Out[] {
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
      if (names.length === 0) tell('the fields that filterFieldsByName chooses by a pattern are all there')
      else columns.onlyNamed = true
      for (const name of names) columns.named(name)
      return []
    }
    default:
      tell(`the transformation ${id} has no like in Perses`)
      return []
  }
}

function readStyle(style: Json, columns: Columns, tell: Tell): void {
  const name = textAt(style, 'pattern')
  if (/^\/.*\/$/.test(name)) {
    if (name !== '/.*/') tell(`the column style of ${name} is left out: columns are named one by one`)
    return
  }
  const own = columns.named(name)
  if (textAt(style, 'alias') !== '') own['header'] = textAt(style, 'alias')
  if (textAt(style, 'type') === 'hidden') own['hide'] = true
  const unit = textAt(style, 'unit')
  const format = formatOf(unit, unit === '' ? undefined : numberAt(style, 'decimals'), tell)
  if (format !== undefined) own['format'] = format
  if (textAt(style, 'colorMode') !== '') tell(`the colours of column ${name} are left out`)
  if (isTrueAt(style, 'link')) tell(`the link of column ${name} is left out`)
}

function readOverride(override: Json, columns: Columns, tell: Tell): void {
  const matcher = recordAt(override, 'matcher')
  if (textAt(matcher, 'id') !== 'byName') {
    tell(`the override of ${textAt(matcher, 'id')} is left out: columns are named one by one`)
    return
  }
  const own = columns.shown(textAt(matcher, 'options'))
  for (const property of listAt(override, 'properties')) setProperty(own, property, tell)
}

function setProperty(column: Column, property: Json, tell: Tell): void {
  const id = textAt(property, 'id')
  const value = property['value']
  const format = (column['format'] ?? {}) as Out
  if (id === 'displayName' && typeof value === 'string') column['header'] = value
  else if (id === 'unit' && typeof value === 'string')
    column['format'] = { ...format, ...formatOf(value, undefined, tell) }
  else if (id === 'decimals' && typeof value === 'number')
    column['format'] = { unit: 'decimal', ...format, decimalPlaces: value }
  else if (id === 'custom.width' && typeof value === 'number') column['width'] = value
  else if (id === 'custom.align' && typeof value === 'string' && value !== 'auto') column['align'] = value
  else if (id === 'custom.hidden') column['hide'] = value === true
  else if (id === 'mappings')
    column['cellSettings'] = conditionsOf({ fieldConfig: { defaults: { mappings: value } } }, tell).map(cellOf)
  else if (id === 'links') setLink(column, listAt(property, 'value'), tell)
  else tell(`the override ${id} of column ${String(column['name'])} is left out`)
}

/** The first of its links; what Grafana calls the row and the cell are fields of the row. */
function setLink(column: Column, links: readonly Json[], tell: Tell): void {
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
    tell(`the override links of column ${name} is left out`)
    return
  }
  const title = textAt(first, 'title')
  column['dataLink'] = { url, ...(title === '' ? {} : { title }), openNewTab: isTrueAt(first, 'targetBlank') }
  if (links.length > 1) tell(`of the links of column ${name} only the first is carried over`)
}

/** The unit of the panel is that of its values; columns of text have none. */
function formatValues(panel: Json, columns: Columns, tell: Tell): void {
  const defaults = defaultsOf(panel)
  const format = formatOf(textAt(defaults, 'unit'), numberAt(defaults, 'decimals'), tell)
  const targets = listAt(panel, 'targets').filter((target) => !isTrueAt(target, 'hide'))
  if (format === undefined) return
  for (const [i] of targets.entries()) {
    const column = columns.named(targets.length === 1 ? 'Value' : `Value #${letterOf(i)}`)
    column['format'] ??= format
  }
}

function cellOf({ condition, text, color }: ReturnType<typeof conditionsOf>[number]): Out {
  const hex = /^#(?:[\da-f]{3}){1,2}$/i.test(color) ? color : COLORS[color.split('-').at(-1) ?? '']
  return { condition, ...(text === '' ? {} : { text }), ...(hex === undefined ? {} : { textColor: hex }) }
}

/** Perses' tables know colours by their numbers alone. */
const COLORS: Readonly<Record<string, string>> = {
  red: '#f2495c',
  orange: '#ff9830',
  yellow: '#fade2a',
  green: '#73bf69',
  blue: '#5794f2',
}

function letterOf(index: number): string {
  return String.fromCharCode(65 + index)
}

/** Grafana calls the time `Time`, the value `Value`, and that of query B `Value #B`. */
function nameOf(name: string): string {
  if (name === 'Time') return 'timestamp'
  const letter = /^Value(?: #([A-Z]))?$/.exec(name)
  if (letter === null) return name
  return letter[1] === undefined ? 'value' : `value #${letter[1].charCodeAt(0) - 64}`
}
