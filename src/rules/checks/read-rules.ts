/**
 * Reads rule files for the checks: like `rule-file.ts`, but with the position of every value. A file with errors is read as
 * far as possible; the loader reports the errors.
 */
import type { Diagnostic } from '../../model/diagnostic.ts'
import { parseDuration } from '../../model/duration.ts'
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
  const fields = fieldsOf(yaml, yaml.root, START)
  return items(yaml, fields.get('groups')).flatMap((node) => {
    const group = fieldsOf(yaml, node, START)
    const labels = textsAt(yaml, group.get('labels'))
    const name = textAt(yaml, group.get('name'))?.text ?? ''
    const intervalMs = durationAt(yaml, group.get('interval')) || DEFAULT_INTERVAL_MS
    return items(yaml, group.get('rules')).flatMap((rule) => {
      const placed = readRule(yaml, fieldsOf(yaml, rule, START), { name, intervalMs, labels, language })
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
  const [alert, record] = [textAt(yaml, rule.get('alert')), textAt(yaml, rule.get('record'))]
  const name = alert ?? record
  const expr = textAt(yaml, rule.get('expr'))
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
    forMs: durationAt(yaml, rule.get('for')),
    keepFiringForMs: durationAt(yaml, rule.get('keep_firing_for')),
    labels: new Map([...group.labels, ...textsAt(yaml, rule.get('labels'))]),
    annotations: textsAt(yaml, rule.get('annotations')),
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
  return items(yaml, fieldsOf(yaml, yaml.root, START).get('tests'))
    .flatMap((test) => items(yaml, fieldsOf(yaml, test, START).get('alert_rule_test')))
    .flatMap((node) => {
      const row = fieldsOf(yaml, node, START)
      const name = textAt(yaml, row.get('alertname'))
      if (name === undefined) return []
      const severities = items(yaml, row.get('exp_alerts')).map(
        (alert) => textsAt(yaml, fieldsOf(yaml, alert, START).get('exp_labels')).get('severity')?.text,
      )
      return [{ file: file.path, alertname: name.text, nameAt: { from: name.from, to: name.to }, severities }]
    })
}

type Fields = ReadonlyMap<string, Entry>
type YamlNode = Entry['value']

function fieldsOf(yaml: YamlReader, node: YamlNode, at: Range): Fields {
  return new Map((yaml.mapping(node, '', at) ?? []).map((entry) => [entry.key, entry]))
}

function items(yaml: YamlReader, entry: Entry | undefined): NonNullable<YamlNode>[] {
  return entry === undefined ? [] : (yaml.sequence(entry.value, '', entry.keyAt) ?? [])
}

function textAt(yaml: YamlReader, entry: Entry | undefined): YamlText | undefined {
  return entry === undefined ? undefined : yaml.text(entry.value, '', entry.keyAt)
}

function textsAt(yaml: YamlReader, entry: Entry | undefined): ReadonlyMap<string, YamlText> {
  const texts = new Map<string, YamlText>()
  if (entry === undefined) return texts
  for (const { key, keyAt, value } of yaml.mapping(entry.value, '', entry.keyAt) ?? []) {
    const text = yaml.text(value, '', keyAt)
    if (text !== undefined) texts.set(key, text)
  }
  return texts
}

/** 0 when absent or not a duration. */
function durationAt(yaml: YamlReader, entry: Entry | undefined): number {
  return parseDuration(textAt(yaml, entry)?.text ?? '') ?? 0
}
