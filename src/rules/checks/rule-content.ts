/** The input of the checks: rules, queries and unit tests, with positions in their files. */
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Expr } from '../../promql/ast.ts'
import type { Range } from '../../yaml/yaml-reader.ts'
import type { YamlText } from '../../yaml/yaml-text.ts'
import type { MetricCatalog } from '../metrics/metric-catalog.ts'
import type { CheckFinding } from './check.ts'

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
  /** Includes the labels of the group. */
  readonly labels: ReadonlyMap<string, YamlText>
  readonly annotations: ReadonlyMap<string, YamlText>
}

/** PromQL anywhere in the content. */
export interface PlacedQuery {
  /** `cell` is a query that runs in a runbook page; `fence`, one that is only shown there. */
  readonly source: 'rule' | 'cell' | 'fence' | 'panel'
  /** Name of the rule, page or dashboard. */
  readonly subject: string
  readonly file: string
  /** `undefined` when the text does not parse; `errors` then has the reasons, with offsets into the file. */
  readonly expr: Expr | undefined
  readonly errors: readonly Diagnostic[]
  /** Maps a range of the parsed text to the file. */
  rangeOf(from: number, to: number): Range
}

/** A row of a unit test: an alert at a time, and the expected result. */
export interface TestRow {
  readonly file: string
  readonly alertname: string
  readonly nameAt: Range
  /** Severities of the expected alerts; empty when none is expected, `undefined` for an alert without severity. */
  readonly severities: readonly (string | undefined)[]
}

export interface RuleContent {
  readonly rules: readonly PlacedRule[]
  /** The queries of rules, pages and dashboards. */
  readonly queries: readonly PlacedQuery[]
  readonly testRows: readonly TestRow[]
  readonly metrics: MetricCatalog
  /** Diagnostics of the rule-file loader. */
  readonly ruleDiagnostics: readonly Diagnostic[]
  /** Names of alerts with a rule or a page, aliases included. */
  readonly knownAlerts: ReadonlySet<string>
}

/** A finding about a rule, at its name unless another position is given. */
export function atRule(rule: PlacedRule, message: string, at: Range = rule.nameAt, help?: string): CheckFinding {
  const { from, to } = at
  return { file: rule.file, subject: rule.name, message, from, to, ...(help === undefined ? {} : { help }) }
}

export function fromDiagnostic(
  { from, to, message, help }: Diagnostic,
  about: Pick<CheckFinding, 'file' | 'subject'>,
): CheckFinding {
  return { ...about, from, to, message, ...(help === undefined ? {} : { help }) }
}
