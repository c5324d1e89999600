/**
 * Reads rule files for the checks: like `rule-file.ts`, but with the position of every value. A file with errors is read as
 * far as possible; the loader reports the errors.
 */
import type { Diagnostic } from '../../model/diagnostic.ts'
import { diagnose, parseExpr } from '../../promql/parse.ts'
import type { ParseOptions } from '../../promql/parse-options.ts'
import { YamlReader, type Entry, type Range } from '../../yaml/yaml-reader.ts'
import type { YamlText } from '../../yaml/yaml-text.ts'
import { DEFAULT_INTERVAL_MS } from '../rule.ts'
import type { RuleFile } from '../rule-file.ts'
import type { PlacedQuery, PlacedRule, TestRow } from './rule-content.ts'

const START: Range = { from: 0, to: 1 }

export function readPlacedRules(file: RuleFile, language: ParseOptions): PlacedRule[] {
  const yaml = new YamlReader(file.path, file.text)
  const fields = fieldsOf(yaml, yaml.root)
  return yaml.itemsAt(fields.get('groups')).flatMap((node) => {
    const group = fieldsOf(yaml, node)
    const labels = yaml.textsAt(group.get('labels'))
    const name = yaml.textAt(group.get('name'))?.text ?? ''
    const intervalMs = yaml.durationAt(group.get('interval')) || DEFAULT_INTERVAL_MS
    return yaml.itemsAt(group.get('rules')).flatMap((rule) => {
      const placed = readRule(yaml, fieldsOf(yaml, rule), { name, intervalMs, labels, language })
      return placed === undefined ? [] : [placed]
    })
  })
}

interface GroupParts {
  readonly name: string
  readonly intervalMs: number
  readonly labels: ReadonlyMap<string, YamlText>
  readonly language: ParseOptions
}

function readRule(yaml: YamlReader, rule: Fields, group: GroupParts): PlacedRule | undefined {
  const [alert, record] = [yaml.textAt(rule.get('alert')), yaml.textAt(rule.get('record'))]
  const name = alert ?? record
  const expr = yaml.textAt(rule.get('expr'))
  if (name === undefined || name.text === '' || expr === undefined) return undefined
  return {
    file: yaml.file,
    group: group.name,
    groupIntervalMs: group.intervalMs,
    kind: alert === undefined ? 'recording' : 'alerting',
    name: name.text,
    nameAt: { from: name.from, to: name.to },
    query: placedQuery(expr.text, group.language, {
      source: 'rule',
      subject: name.text,
      file: yaml.file,
      rangeOf: (from, to) => expr.rangeOf(from, to),
    }),
    forMs: yaml.durationAt(rule.get('for')),
    keepFiringForMs: yaml.durationAt(rule.get('keep_firing_for')),
    labels: new Map([...group.labels, ...yaml.textsAt(rule.get('labels'))]),
    annotations: yaml.textsAt(rule.get('annotations')),
  }
}

/** Parses a query; the result includes its errors. */
export function placedQuery(
  text: string,
  language: ParseOptions,
  place: Omit<PlacedQuery, 'expr' | 'errors'>,
): PlacedQuery {
  const errors = diagnose(text, language).filter(({ severity }) => severity === 'error')
  const inFile = errors.map((error): Diagnostic => ({
    ...error,
    file: place.file,
    ...place.rangeOf(error.from, error.to),
  }))
  return { ...place, errors: inFile, expr: errors.length === 0 ? parseExpr(text, language) : undefined }
}

/** The alert rows of a unit-test file; entries that do not have promtool's format are skipped. */
export function readTestRows(file: RuleFile): TestRow[] {
  const yaml = new YamlReader(file.path, file.text)
  return yaml
    .itemsAt(fieldsOf(yaml, yaml.root).get('tests'))
    .flatMap((test) => yaml.itemsAt(fieldsOf(yaml, test).get('alert_rule_test')))
    .flatMap((node) => {
      const row = fieldsOf(yaml, node)
      const name = yaml.textAt(row.get('alertname'))
      if (name === undefined) return []
      const severities = yaml
        .itemsAt(row.get('exp_alerts'))
        .map((alert) => yaml.textsAt(fieldsOf(yaml, alert).get('exp_labels')).get('severity')?.text)
      return [{ file: file.path, alertname: name.text, nameAt: { from: name.from, to: name.to }, severities }]
    })
}

type Fields = ReadonlyMap<string, Entry>

function fieldsOf(yaml: YamlReader, node: Entry['value']): Fields {
  return new Map((yaml.mapping(node, '', START) ?? []).map((entry) => [entry.key, entry]))
}
