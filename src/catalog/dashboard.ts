/**
 * A Perses dashboard (kind `Dashboard`, or the operator's `PersesDashboard`) as far as the catalog must know it: that
 * it is well-formed, uses only kinds the fleet's dashboards use, and that every query parses.
 */
import { isMap, isScalar, isSeq, parseDocument, visit, type Document, type Node, type Scalar } from 'yaml'
import type { Diagnostic } from '../model/diagnostic.ts'
import { nearest } from '../base/nearest.ts'
import { diagnose } from '../promql/parse.ts'
import { STABLE_LANGUAGE, type ParseOptions } from '../promql/parse-options.ts'
import { yamlText, type YamlText } from '../yaml/yaml-text.ts'

export interface Dashboard {
  readonly name: string
  readonly path: string
  readonly text: string
  /** PromQL with its variables, as the file has it. */
  readonly queries: readonly string[]
  /** The same with their places, and the selectors that variables take their values from. */
  readonly queryTexts: readonly YamlText[]
}

/** Every `kind` that may stand in a dashboard. */
export const DASHBOARD_KINDS: ReadonlySet<string> = new Set([
  'Dashboard',
  'PersesDashboard',
  'Panel',
  'Grid',
  'TimeSeriesChart',
  'StatChart',
  'GaugeChart',
  'Table',
  'Markdown',
  'PrometheusDatasource',
  'PersesDatasource',
  'HTTPProxy',
  'TimeSeriesQuery',
  'PrometheusTimeSeriesQuery',
  'ListVariable',
  'TextVariable',
  'PrometheusLabelValuesVariable',
  'PrometheusPromQLVariable',
  'StaticListVariable',
  'MergeSeries',
  'JoinByColumnValue',
  'Value',
  'Misc',
])

/** Never throws: what is wrong is in the diagnostics, with positions. */
export function readDashboard(
  path: string,
  text: string,
  language: ParseOptions = STABLE_LANGUAGE,
): { dashboard: Dashboard; diagnostics: Diagnostic[] } {
  const document = parseDocument(text)
  const diagnostics: Diagnostic[] = document.errors.map((error) => ({
    severity: 'error',
    message: error.message.split('\n', 1)[0] ?? '',
    from: error.pos[0],
    to: Math.max(error.pos[1], error.pos[0] + 1),
  }))
  const queries: string[] = []
  if (diagnostics.length === 0)
    diagnostics.push(...checkRoot(document), ...checkNodes(document, text, language, queries))
  const name = document.getIn(['metadata', 'name'])
  return {
    dashboard: {
      name: typeof name === 'string' ? name : '',
      path,
      text,
      queries,
      queryTexts: document.errors.length > 0 ? [] : queryTextsOf(document, text),
    },
    diagnostics: diagnostics.map((diagnostic) => ({ ...diagnostic, file: path })),
  }
}

function queryTextsOf(document: Document, text: string): YamlText[] {
  const found: YamlText[] = []
  const add = (node: unknown): void => {
    if (!isScalar(node) || typeof node.value !== 'string') return
    const { from, to } = rangeOf(node)
    found.push(yamlText(text, from, to, node.value))
  }
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key)) return
      if (key.value === 'query' || key.value === 'expr') add(value)
      if (key.value === 'matchers' && isSeq(value)) value.items.forEach(add)
    },
  })
  return found
}

function checkRoot(document: Document): Diagnostic[] {
  const kind = document.get('kind')
  const found: Diagnostic[] = []
  if (kind !== 'Dashboard' && kind !== 'PersesDashboard') found.push(errorAt(document.contents, 'want kind Dashboard'))
  if (typeof document.getIn(['metadata', 'name']) !== 'string') {
    found.push(errorAt(document.contents, 'the dashboard has no metadata.name'))
  }
  if (!isMap(document.getIn(['spec', 'panels']))) {
    found.push(errorAt(document.contents, 'the dashboard has no spec.panels'))
  }
  return found
}

function checkNodes(document: Document, text: string, language: ParseOptions, queries: string[]): Diagnostic[] {
  const found: Diagnostic[] = []
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !isScalar(value) || typeof value.value !== 'string') return
      if (key.value === 'kind') found.push(...checkKind(value, value.value))
      if (key.value === '$ref') found.push(...checkRef(document, value, value.value))
      if (key.value === 'query' || key.value === 'expr') {
        queries.push(value.value)
        found.push(...checkQuery(value, value.value, text, language))
      }
    },
  })
  return found
}

function checkKind(node: Scalar, kind: string): Diagnostic[] {
  if (DASHBOARD_KINDS.has(kind)) return []
  const [near] = nearest(kind, DASHBOARD_KINDS, 1)
  return [errorAt(node, `unknown kind ${kind}`, near === undefined ? undefined : `did you mean ${near}?`)]
}

function checkRef(document: Document, node: Scalar, ref: string): Diagnostic[] {
  const path = ref.replace(/^#\//, '').split('/')
  return ref.startsWith('#/') && document.hasIn(path) ? [] : [errorAt(node, `${ref} leads to nothing`)]
}

function checkQuery(node: Scalar, query: string, text: string, language: ParseOptions): Diagnostic[] {
  return diagnose(withSampleVariables(query), language).map(({ message, help }) => {
    const range = rangeOf(node)
    return {
      severity: 'error',
      message,
      ...(help === undefined ? {} : { help }),
      ...range,
      to: Math.min(range.to, text.length),
    }
  })
}

/** Perses' variables: the built-in ones are durations, the others stand in label values. */
export function withSampleVariables(query: string): string {
  return query
    .replace(/\$(?:__(?:rate_)?interval|__range)\b|\$\{__(?:(?:rate_)?interval|range)\}/g, '5m')
    .replace(/\$\{\w+(?::\w+)?\}|\$\w+/g, '1')
}

/** The same, each text as long as it was: what is found in it stands where it stands in the file. */
export function withSampleVariablesInPlace(query: string): string {
  return query
    .replace(/\$(?:__(?:rate_)?interval|__range)\b|\$\{__(?:(?:rate_)?interval|range)\}/g, (use) =>
      '5m'.padEnd(use.length),
    )
    .replace(/\$\{\w+(?::\w+)?\}|\$\w+/g, (use) => '1'.repeat(use.length))
}

function errorAt(node: Node | null, message: string, help?: string): Diagnostic {
  return { severity: 'error', message, ...rangeOf(node), ...(help === undefined ? {} : { help }) }
}

function rangeOf(node: Node | null): { from: number; to: number } {
  const [from, to] = node?.range ?? [0, 1]
  return { from, to: Math.max(to, from + 1) }
}
