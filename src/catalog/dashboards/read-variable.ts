/** Variables of a dashboard: lists with the source of their values, and texts. */
import {
  VARIABLE_SORTS,
  type ListVariable,
  type UnknownPart,
  type Variable,
  type VariableSource,
} from '../../model/dashboard.ts'
import type { YamlText } from '../../yaml/yaml-text.ts'
import {
  flagAt,
  itemsAt,
  neededTextAt,
  partAt,
  partOf,
  partsAt,
  start,
  textAt,
  textsAt,
  wordAt,
  yamlTextAt,
  readPlugin,
  reportOtherSource,
  type Kinds,
  type Part,
} from './part.ts'
import { isRegex } from './read-format.ts'

const LIST_KEYS = [
  'name',
  'display',
  'defaultValue',
  'allowAllValue',
  'allowMultiple',
  'customAllValue',
  'capturingRegexp',
  'sort',
  'plugin',
]

/** Names that always have a value. */
const BUILT_IN = /^__/
const NAME = /^\w+$/

/** @param addQuery receives the selectors and expressions of variables */
export function readVariables(spec: Part, addQuery: (text: YamlText) => void): readonly Variable[] {
  const names = new Set<string>()
  return partsAt(spec, 'variables', 'a variable', ['kind', 'spec']).flatMap((part) => {
    const variable = readPlugin<Variable | undefined>(part, 'the variable', {
      ListVariable: { keys: LIST_KEYS, read: (list) => readList(list, addQuery) },
      TextVariable: { keys: ['name', 'display', 'value', 'constant'], read: readText },
    })
    if (variable === undefined || variable.kind === 'unknown') return []
    if (names.has(variable.name)) part.yaml.error(start(part.at), `variable ${variable.name} is there twice`)
    names.add(variable.name)
    return [variable]
  })
}

function readCommon(part: Part) {
  const name = neededTextAt(part, 'name')
  const at = yamlTextAt(part, 'name')
  if (at !== undefined && name !== '' && (!NAME.test(name) || BUILT_IN.test(name) || /^\d+$/.test(name))) {
    const why = BUILT_IN.test(name) ? 'names that start with __ are built in' : 'letters, digits and _, not digits only'
    part.yaml.error(at, `a variable cannot be called ${JSON.stringify(name)}`, why)
  }
  const display = partAt(part, 'display', `the display of variable ${name}`, ['name', 'description', 'hidden'])
  return {
    name,
    title: textAt(display, 'name') || name,
    description: textAt(display, 'description'),
    isHidden: flagAt(display, 'hidden'),
  }
}

function readText(part: Part): Variable | undefined {
  const common = readCommon(part)
  if (common.name === '') return undefined
  return { kind: 'text', ...common, value: textAt(part, 'value'), isConstant: flagAt(part, 'constant') }
}

function readList(part: Part, addQuery: (text: YamlText) => void): ListVariable | undefined {
  const common = readCommon(part)
  if (common.name === '') return undefined
  const regexp = yamlTextAt(part, 'capturingRegexp')
  if (regexp !== undefined && regexp.text !== '' && !isRegex(regexp.text)) {
    part.yaml.error(regexp, `${JSON.stringify(regexp.text)} is not a regular expression`)
  }
  return {
    kind: 'list',
    ...common,
    allowsAll: flagAt(part, 'allowAllValue'),
    allowsMultiple: flagAt(part, 'allowMultiple'),
    customAllValue: textAt(part, 'customAllValue'),
    capturingRegexp: isRegex(regexp?.text ?? '') ? (regexp?.text ?? '') : '',
    sort: wordAt(part, 'sort', VARIABLE_SORTS) ?? 'none',
    defaultValues: readDefault(part),
    source: readSource(part, common.name, addQuery),
  }
}

/** One value or a list. */
function readDefault(part: Part): readonly string[] {
  const entry = part.entries.get('defaultValue')
  if (entry === undefined) return []
  const { from } = part.yaml.rangeOf(entry.value, entry.keyAt)
  if (/^(?:\[|- )/.test(part.yaml.source.slice(from, from + 2))) return textsAt(part, 'defaultValue')
  const text = textAt(part, 'defaultValue')
  return text === '' ? [] : [text]
}

function readSource(part: Part, name: string, addQuery: (text: YamlText) => void): VariableSource | UnknownPart {
  const matchersAt = (spec: Part): readonly string[] =>
    itemsAt(spec, 'matchers').flatMap(({ node, at }) => {
      const text = spec.yaml.text(node, `a matcher of ${spec.what}`, at)
      if (text === undefined) return []
      addQuery(text)
      return [text.text]
    })
  const kinds: Kinds<VariableSource> = {
    PrometheusLabelValuesVariable: {
      keys: ['datasource', 'labelName', 'matchers'],
      read: (spec) => {
        reportOtherSource(spec)
        return { kind: 'label-values', labelName: neededTextAt(spec, 'labelName'), matchers: matchersAt(spec) }
      },
    },
    PrometheusLabelNamesVariable: {
      keys: ['datasource', 'matchers'],
      read: (spec) => {
        reportOtherSource(spec)
        return { kind: 'label-names', matchers: matchersAt(spec) }
      },
    },
    PrometheusPromQLVariable: {
      keys: ['datasource', 'expr', 'labelName'],
      read: (spec) => {
        reportOtherSource(spec)
        const expr = yamlTextAt(spec, 'expr')
        if (expr !== undefined) addQuery(expr)
        return { kind: 'promql', expr: neededTextAt(spec, 'expr'), labelName: textAt(spec, 'labelName') }
      },
    },
    StaticListVariable: { keys: ['values'], read: (spec) => ({ kind: 'static', values: readStaticValues(spec) }) },
  }
  const plugin = partAt(part, 'plugin', `the values of variable ${name}`, ['kind', 'spec'])
  return readPlugin<VariableSource>(plugin, `the values of variable ${name}`, kinds)
}

/** Texts, or pairs of `value` and `label`. */
function readStaticValues(spec: Part): readonly { readonly value: string; readonly label: string }[] {
  return itemsAt(spec, 'values').flatMap(({ node, at }) => {
    const isPair = 'items' in node
    if (!isPair) {
      const text = spec.yaml.text(node, 'a value', at)
      return text === undefined ? [] : [{ value: text.text, label: text.text }]
    }
    const pair = partOf(spec.yaml, node, `a value of ${spec.what}`, at, ['value', 'label'])
    const value = neededTextAt(pair, 'value')
    return [{ value, label: textAt(pair, 'label') || value }]
  })
}
