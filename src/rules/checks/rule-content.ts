/** What the checks look at: rules, queries and unit tests with the place of each word in its file. */
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Expr } from '../../promql/ast.ts'
import type { Range } from '../../yaml/yaml-reader.ts'
import type { YamlText } from '../../yaml/yaml-text.ts'
import type { MetricCatalog } from '../metrics/metric-catalog.ts'

export interface PlacedRule {
  readonly file: string
  readonly group: string
  readonly groupIntervalMs: number
  readonly kind: 'alerting' | 'recording'
  readonly name: string
  readonly nameAt: Range
  readonly query: PlacedQuery
  readonly forMs: number
  readonly keepFiringForMs: number
  /** With the group's. */
  readonly labels: ReadonlyMap<string, YamlText>
  readonly annotations: ReadonlyMap<string, YamlText>
}

/** PromQL anywhere in the content. */
export interface PlacedQuery {
  /** `cell` runs in a runbook page, `fence` only stands there. */
  readonly source: 'rule' | 'cell' | 'fence' | 'panel'
  /** The rule's name, the page's, or the dashboard's. */
  readonly subject: string
  readonly file: string
  /** Absent when the text does not parse; then `errors` has why, with offsets into the file. */
  readonly expr: Expr | undefined
  readonly errors: readonly Diagnostic[]
  /** The file's range of a range of the text that was parsed. */
  rangeOf(from: number, to: number): Range
}

/** A row of a unit test of rules: an alert at a moment, and what is expected of it. */
export interface TestRow {
  readonly file: string
  readonly alertname: string
  readonly nameAt: Range
  /** Severities of the alerts that are expected; empty when none is, `undefined` for an alert that does not say. */
  readonly severities: readonly (string | undefined)[]
}

export interface RuleContent {
  readonly rules: readonly PlacedRule[]
  /** Of rules, pages and dashboards. */
  readonly queries: readonly PlacedQuery[]
  readonly testRows: readonly TestRow[]
  readonly metrics: MetricCatalog
  /** What the loader of rule files says. */
  readonly ruleDiagnostics: readonly Diagnostic[]
  /** Alerts with a rule or a page, old names included. */
  readonly knownAlerts: ReadonlySet<string>
}

/** Texts of an alert that people read, with what they are called. */
export function textsOf(rule: PlacedRule): readonly (readonly [string, YamlText])[] {
  return [...rule.annotations]
}
