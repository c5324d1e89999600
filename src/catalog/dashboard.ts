/**
 * A Perses dashboard (kind `Dashboard`, or the operator's `PersesDashboard`) as content: the model that is drawn, every
 * fault with its place, and its PromQL, checked with samples in the place of variables.
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
  /** Of its shape; faults of its PromQL are not among them. */
  readonly faults: readonly Diagnostic[]
  /** PromQL of panels with its variables, as the file has it. */
  readonly queries: readonly string[]
  /** All PromQL with its places: also the selectors and expressions that variables take their values from. */
  readonly queryTexts: readonly YamlText[]
}

/** Never throws: what is wrong is in the diagnostics, with positions. */
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

/** Perses' variables: the built-in ones are durations, the others stand in label values. */
export function withSampleVariables(query: string): string {
  return query.replace(DURATIONS, '5m').replace(OTHERS, '1')
}

/** The same, each text as long as it was: what is found in it stands where it stands in the file. */
export function withSampleVariablesInPlace(query: string): string {
  return query.replace(DURATIONS, (use) => '5m'.padEnd(use.length)).replace(OTHERS, (use) => '1'.repeat(use.length))
}
