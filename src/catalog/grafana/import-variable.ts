/** Converts the variables of Grafana's templating. */
import { parseDuration } from '../../model/duration.ts'
import type { Out, Report } from './import-options.ts'
import { isRecord, isTrueAt, listAt, numberAt, recordAt, textAt, textsAt, type Json } from './json-part.ts'

const SORTS = [
  'none',
  'alphabetical-asc',
  'alphabetical-desc',
  'numerical-asc',
  'numerical-desc',
  'alphabetical-ci-asc',
  'alphabetical-ci-desc',
]
const HIDDEN = 2

export function variablesOf(dashboard: Json, report: (name: string) => Report): readonly Out[] {
  return listAt(recordAt(dashboard, 'templating'), 'list').flatMap((variable) => {
    const name = textAt(variable, 'name')
    return variableOf(variable, name, report(`variable ${name}`))
  })
}

function variableOf(variable: Json, name: string, report: Report): Out[] {
  switch (textAt(variable, 'type')) {
    case 'query':
      return listOf(variable, name, queryPlugin(variable, report), report)
    case 'custom':
      return listOf(variable, name, { kind: 'StaticListVariable', spec: { values: customValues(variable) } }, report)
    case 'interval': {
      if (isTrueAt(variable, 'auto')) report('the automatic interval of Grafana is left out')
      const values = textAt(variable, 'query')
        .split(',')
        .map((one) => one.trim())
      const spec = { values: values.filter((one) => parseDuration(one) !== undefined) }
      return listOf(variable, name, { kind: 'StaticListVariable', spec }, report)
    }
    case 'constant':
    case 'textbox': {
      const isConstant = textAt(variable, 'type') === 'constant'
      const value = textAt(variable, 'query') || textAt(recordAt(variable, 'current'), 'value')
      const spec = { name, ...displayOf(variable, isConstant), value, ...(isConstant ? { constant: true } : {}) }
      return [{ kind: 'TextVariable', spec }]
    }
    case 'datasource':
      // Every dashboard here queries this server.
      return []
    default:
      report(`variables of the type ${textAt(variable, 'type')} have no equivalent in Perses: left out`)
      return []
  }
}

function displayOf(variable: Json, isHidden = false): Out {
  const [label, description] = [textAt(variable, 'label'), textAt(variable, 'description')]
  const hides = isHidden || numberAt(variable, 'hide') === HIDDEN
  const display = {
    ...(label === '' ? {} : { name: label }),
    ...(description === '' ? {} : { description }),
    ...(hides ? { hidden: true } : {}),
  }
  return Object.keys(display).length === 0 ? {} : { display }
}

function listOf(variable: Json, name: string, plugin: Out | undefined, report: Report): Out[] {
  if (plugin === undefined) return []
  const regex = textAt(variable, 'regex')
  const captures = regex === '' || plugin['kind'] === 'PrometheusPromQLVariable' ? undefined : capturing(regex, report)
  const chosen = textsAt(recordAt(variable, 'current'), 'value')
    .map((one) => (one === 'All' ? '$__all' : one))
    .filter((one) => !one.startsWith('$__auto'))
  const isMany = isTrueAt(variable, 'multi')
  const [first] = chosen
  const allValue = textAt(variable, 'allValue')
  return [
    {
      kind: 'ListVariable',
      spec: {
        name,
        ...displayOf(variable),
        ...(isTrueAt(variable, 'includeAll') ? { allowAllValue: true } : {}),
        ...(isMany ? { allowMultiple: true } : {}),
        ...(allValue === '' ? {} : { customAllValue: allValue }),
        ...(captures === undefined ? {} : { capturingRegexp: captures }),
        ...(first === undefined || first === '' ? {} : { defaultValue: isMany ? chosen : first }),
        sort: SORTS[numberAt(variable, 'sort') ?? 0] ?? 'none',
        plugin,
      },
    },
  ]
}

/**
 * Converts `/(.*)-\d+/` for Perses. In Grafana a pattern without a group selects whole values; of several groups the
 * one named `value` counts, or the first. Perses uses all groups, and nothing without a group.
 */
function capturing(regex: string, report: Report): string | undefined {
  const [, inside = regex, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(regex) ?? []
  try {
    new RegExp(inside).test('')
  } catch {
    report(`${regex} is not a regular expression that can be read here`)
    return undefined
  }
  if (flags.includes('i')) report(`${regex} chooses whatever the case of letters in Grafana, and as it is written here`)
  const groups = [...inside.matchAll(GROUPS)].filter(([use]) => use.startsWith('('))
  if (groups.length === 0) return `^(.*(?:${inside}).*)$`
  const counts = groups.find(([use]) => use === '(?<value>') ?? groups[0]!
  return inside.replace(GROUPS, (use, at: number) => (!use.startsWith('(') ? use : at === counts.index ? '(' : '(?:'))
}

/** Escapes, character sets, and the start of capturing groups. */
const GROUPS = /\\.|\[(?:\\.|[^\]\\])*\]|\((?!\?)|\(\?<(?![=!])\w+>/g

function customValues(variable: Json): readonly unknown[] {
  return textAt(variable, 'query')
    .split(/(?<!\\),/)
    .map((one) => one.replaceAll('\\,', ',').trim())
    .filter((one) => one !== '')
    .map((one) => {
      const [label, value] = one.split(/\s+:\s+/)
      return value === undefined ? one : { value, label }
    })
}

const LABEL_VALUES = /^label_values\(\s*(?:(.+?)\s*,\s*)?([\w]+)\s*\)\s*$/s
const LABEL_NAMES = /^label_names\(\s*(.*?)\s*\)\s*$/s
const QUERY_RESULT = /^query_result\(\s*(.+)\s*\)\s*$/s
const METRICS = /^metrics\(\s*(.+?)\s*\)\s*$/s

function queryPlugin(variable: Json, report: Report): Out | undefined {
  const query = isRecord(variable['query']) ? textAt(variable['query'], 'query') : textAt(variable, 'query')
  const text = (query || textAt(variable, 'definition')).trim()
  const values = LABEL_VALUES.exec(text)
  if (values !== null) {
    const [, metric, labelName] = values
    const matchers = metric === undefined ? {} : { matchers: [withBraces(metric)] }
    return { kind: 'PrometheusLabelValuesVariable', spec: { labelName, ...matchers } }
  }
  const names = LABEL_NAMES.exec(text)
  if (names !== null) {
    const [, metric = ''] = names
    return { kind: 'PrometheusLabelNamesVariable', spec: metric === '' ? {} : { matchers: [withBraces(metric)] } }
  }
  const metrics = METRICS.exec(text)
  if (metrics !== null) {
    const spec = { labelName: '__name__', matchers: [`{__name__=~"${metrics[1] ?? ''}"}`] }
    return { kind: 'PrometheusLabelValuesVariable', spec }
  }
  const result = QUERY_RESULT.exec(text)
  if (result !== null) {
    // Grafana's results are texts such as `up{job="a"} 1 1600000000`, from which a regex extracts a label.
    const label = /(\w+)="\(/.exec(textAt(variable, 'regex'))?.[1]
    if (label === undefined) report('the regex does not select a label of the result: the value of the sample is used')
    const expr = withBraces(result[1] ?? '')
    return { kind: 'PrometheusPromQLVariable', spec: { expr, ...(label === undefined ? {} : { labelName: label }) } }
  }
  report(`${JSON.stringify(text)} is not a query of Prometheus that is known: left out`)
  return undefined
}

/** `[[name]]`, Grafana's early syntax for variables. */
export function withBraces(text: string): string {
  return text.replaceAll(/\[\[(\w+)(?::(\w+))?\]\]/g, (_use, name: string, format: string | undefined) =>
    format === undefined ? `\${${name}}` : `\${${name}:${format}}`,
  )
}
