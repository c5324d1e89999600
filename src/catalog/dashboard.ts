/**
 * A Perses dashboard (kind `Dashboard`, or the operator's `PersesDashboard`) as content: the model to draw, every fault
 * with its position, and its PromQL, checked with sample values for variables.
 */
import type { DashboardModel } from '../model/dashboard.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { diagnose } from '../promql/parse.ts'
import { STABLE_LANGUAGE, type ParseOptions } from '../promql/parse-options.ts'
import type { YamlText } from '../yaml/yaml-text.ts'
import { readModel } from './dashboards/read-model.ts'

export interface Dashboard {
  readonly name: string
  readonly path: string
  readonly text: string
  readonly model: DashboardModel
  /** Faults of its shape, without those of its PromQL. */
  readonly faults: readonly Diagnostic[]
  /** PromQL of panels, with variables as written in the file. */
  readonly queries: readonly string[]
  /** All PromQL with positions, including the selectors and expressions of variables. */
  readonly queryTexts: readonly YamlText[]
}

/** Never throws: faults are diagnostics with positions. */
export function readDashboard(
  path: string,
  text: string,
  language: ParseOptions = STABLE_LANGUAGE,
): { dashboard: Dashboard; diagnostics: Diagnostic[] } {
  const { model, queries, faults } = readModel(path, text)
  const ofQueries = queries.flatMap((query) => faultsOfQuery(path, query.text, language))
  return {
    dashboard: {
      name: model.name,
      path,
      text,
      model,
      faults,
      queries: queries.flatMap((query) => (query.panel === undefined ? [] : [query.text.text])),
      queryTexts: queries.map((query) => query.text),
    },
    diagnostics: [...faults, ...ofQueries].sort((a, b) => a.from - b.from),
  }
}

function faultsOfQuery(file: string, text: YamlText, language: ParseOptions): Diagnostic[] {
  return diagnose(withSampleVariablesInPlace(text.text), language).map((fault) => ({
    ...fault,
    file,
    ...text.rangeOf(fault.from, fault.to),
  }))
}

const DURATIONS = /\$(?:__(?:rate_)?interval|__range)\b|\$\{__(?:(?:rate_)?interval|range)(?::\w+)?\}/g
const OTHERS = /\$\{\w+(?::\w+)?\}|\$\w+/g

/** Sample values for Perses' variables: the built-in ones are durations, the others are label values. */
export function withSampleVariables(query: string): string {
  return query.replace(DURATIONS, '5m').replace(OTHERS, '1')
}

/** Sample values of the same length as the variable, so that offsets are those of the file. */
export function withSampleVariablesInPlace(query: string): string {
  return query.replace(DURATIONS, (use) => '5m'.padEnd(use.length)).replace(OTHERS, (use) => '1'.repeat(use.length))
}
