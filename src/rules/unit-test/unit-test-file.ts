/**
 * Reads unit-test files of rules, in promtool's format, into checked tests. Errors have their position; a file with an error
 * is refused whole.
 */
import { isScalar, type Node } from 'yaml'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { METRIC_NAME, type Labels } from '../../model/labels.ts'
import { YamlReader, type Entry, type Range } from '../../yaml/yaml-reader.ts'
import type { YamlText } from '../../yaml/yaml-text.ts'
import { DEFAULT_INTERVAL_MS } from '../rule.ts'
import type { WrittenHistogram } from './histogram-notation.ts'
import { readSeries, readValues, type Readout, type WrittenValue } from './series-notation.ts'

export interface UnitTestFile {
  /** The path as the user gave it. */
  readonly path: string
  /** Relative to the file's folder, with wildcards. */
  readonly rulePatterns: readonly YamlText[]
  readonly evaluationIntervalMs: number
  /** Names of groups; groups that are not in the list rank with the first one. */
  readonly groupOrder: readonly string[]
  /** Floats of expected samples may differ in the last bit. */
  readonly isFuzzy: boolean
  readonly tests: readonly UnitTest[]
}

export interface UnitTest {
  /** Empty when absent. */
  readonly name: string
  readonly at: Range
  /** Time between two values of a series. */
  readonly intervalMs: number
  /** Time of the first values and of the first evaluation; times of cases are relative to it. */
  readonly startMs: number
  readonly inputs: readonly InputSeries[]
  readonly externalLabels: Readonly<Record<string, string>>
  readonly externalUrl: string
  readonly alertCases: readonly AlertCase[]
  readonly exprCases: readonly ExprCase[]
}

interface InputSeries {
  readonly labels: Labels
  readonly values: readonly WrittenValue[]
}

export interface AlertCase {
  readonly at: Range
  readonly evalMs: number
  readonly alertname: string
  /** Firing alerts; labels without the alert's name. */
  readonly alerts: readonly ExpectedAlert[]
}

export interface ExpectedAlert {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

export interface ExprCase {
  readonly at: Range
  readonly evalMs: number
  readonly expr: YamlText
  readonly samples: readonly ExpectedSample[]
}

export interface ExpectedSample {
  readonly labels: Labels
  readonly value: number
  readonly histogram?: WrittenHistogram
}

interface ReadUnitTests {
  /** Absent when there is an error. */
  readonly file?: UnitTestFile
  readonly diagnostics: readonly Diagnostic[]
}

const FILE_KEYS = ['rule_files', 'evaluation_interval', 'group_eval_order', 'tests', 'fuzzy_compare']
const TEST_KEYS = [
  'name',
  'interval',
  'start_timestamp',
  'input_series',
  'alert_rule_test',
  'promql_expr_test',
  'external_labels',
  'external_url',
]

/** @param areUnknownKeysIgnored for files with keys of other programs */
export function readUnitTests(path: string, text: string, areUnknownKeysIgnored = false): ReadUnitTests {
  const yaml = new YamlReader(path, text)
  const reader = new Reader(yaml, areUnknownKeysIgnored)
  const file = yaml.hasErrors ? undefined : reader.file()
  const diagnostics = yaml.diagnostics.sort((a, b) => a.from - b.from)
  return file === undefined || yaml.hasErrors ? { diagnostics } : { file, diagnostics }
}

type Fields = ReadonlyMap<string, Entry>

class Reader {
  readonly #yaml: YamlReader
  readonly #areUnknownKeysIgnored: boolean

  constructor(yaml: YamlReader, areUnknownKeysIgnored: boolean) {
    this.#yaml = yaml
    this.#areUnknownKeysIgnored = areUnknownKeysIgnored
  }

  file(): UnitTestFile {
    const whole = { from: 0, to: 1 }
    const fields = this.#fields(this.#yaml.root, 'the test file', whole, FILE_KEYS) ?? new Map<string, Entry>()
    const evaluationIntervalMs = this.#yaml.durationAt(fields.get('evaluation_interval')) || DEFAULT_INTERVAL_MS
    return {
      path: this.#yaml.file,
      rulePatterns: this.#texts(fields.get('rule_files')),
      evaluationIntervalMs,
      groupOrder: this.#groupOrder(fields.get('group_eval_order')),
      isFuzzy: this.#flag(fields.get('fuzzy_compare')),
      tests: this.#yaml.itemsAt(fields.get('tests')).map((node, i) => this.#test(node, i, evaluationIntervalMs)),
    }
  }

  #groupOrder(entry: Entry | undefined): string[] {
    const names = this.#texts(entry)
    const seen = new Set<string>()
    for (const name of names) {
      if (seen.has(name.text)) this.#yaml.error(name, `group ${name.text} is repeated in the evaluation order`)
      seen.add(name.text)
    }
    return [...seen]
  }

  #test(node: Node, index: number, evaluationIntervalMs: number): UnitTest {
    const at = this.#startOf(node)
    const fields = this.#fields(node, `test ${index + 1}`, at, TEST_KEYS) ?? new Map<string, Entry>()
    const name = this.#yaml.textAt(fields.get('name'))
    return {
      name: name?.text ?? '',
      at: name === undefined || name.text === '' ? at : name,
      intervalMs: this.#yaml.durationAt(fields.get('interval')) || evaluationIntervalMs,
      startMs: this.#startTime(fields.get('start_timestamp')),
      inputs: this.#inputs(fields.get('input_series')),
      externalLabels: this.#record(fields.get('external_labels')),
      externalUrl: this.#yaml.textAt(fields.get('external_url'))?.text ?? '',
      alertCases: this.#yaml.itemsAt(fields.get('alert_rule_test')).map((one) => this.#alertCase(one)),
      exprCases: this.#yaml.itemsAt(fields.get('promql_expr_test')).flatMap((one) => this.#exprCase(one) ?? []),
    }
  }

  /** RFC 3339, or seconds since 1970. */
  #startTime(entry: Entry | undefined): number {
    const text = this.#yaml.textAt(entry)
    if (text === undefined || text.text === '') return 0
    const isNumber = /^-?\d+(?:\.\d+)?$/.test(text.text)
    const isDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.test(text.text)
    const timeMs = isNumber ? Math.round(Number(text.text) * 1000) : isDate ? Date.parse(text.text) : NaN
    if (Number.isSafeInteger(timeMs)) return timeMs
    const help = 'like 2026-08-20T10:00:00Z or 1787220000'
    this.#yaml.error(text, `start_timestamp: got ${JSON.stringify(text.text)}`, help)
    return 0
  }

  #inputs(entry: Entry | undefined): InputSeries[] {
    const byKey = new Map<string, InputSeries>()
    for (const node of this.#yaml.itemsAt(entry)) {
      const at = this.#startOf(node)
      const fields = this.#fields(node, 'an input series', at, ['series', 'values'])
      const series = this.#yaml.textAt(fields?.get('series'))
      const values = this.#yaml.textAt(fields?.get('values'))
      const labels = series === undefined ? undefined : this.#notation(series, readSeries(series.text))
      const written = values === undefined ? [] : this.#notation(values, readValues(values.text))
      if (fields !== undefined && series === undefined) this.#yaml.error(at, 'an input series needs series')
      if (labels === undefined || written === undefined) continue
      // As in promtool, the last one counts.
      if (byKey.has(labels.key)) this.#yaml.warning(series!, 'duplicate series; these values replace the earlier ones')
      byKey.set(labels.key, { labels, values: written })
    }
    return [...byKey.values()]
  }

  #alertCase(node: Node): AlertCase {
    const at = this.#startOf(node)
    const keys = ['eval_time', 'alertname', 'exp_alerts']
    const fields = this.#fields(node, 'an alert_rule_test', at, keys) ?? new Map<string, Entry>()
    const alertname = this.#yaml.textAt(fields.get('alertname'))
    if (alertname === undefined || alertname.text === '')
      this.#yaml.error(alertname ?? at, 'the name of the alert (alertname) is missing')
    const alerts = this.#yaml.itemsAt(fields.get('exp_alerts')).map((one) => {
      const labelsAndMore = this.#fields(one, 'an expected alert', this.#startOf(one), [
        'exp_labels',
        'exp_annotations',
      ])
      return {
        labels: this.#record(labelsAndMore?.get('exp_labels')),
        annotations: this.#record(labelsAndMore?.get('exp_annotations')),
      }
    })
    return {
      at: fields.get('eval_time')?.keyAt ?? at,
      evalMs: this.#yaml.durationAt(fields.get('eval_time')),
      alertname: alertname?.text ?? '',
      alerts,
    }
  }

  #exprCase(node: Node): ExprCase | undefined {
    const at = this.#startOf(node)
    const fields = this.#fields(node, 'a promql_expr_test', at, ['expr', 'eval_time', 'exp_samples'])
    if (fields === undefined) return undefined
    const expr = this.#yaml.textAt(fields.get('expr'))
    if (expr === undefined || expr.text.trim() === '') {
      this.#yaml.error(expr ?? at, 'the expression (expr) is missing')
      return undefined
    }
    return {
      at: fields.get('expr')?.keyAt ?? at,
      evalMs: this.#yaml.durationAt(fields.get('eval_time')),
      expr,
      samples: this.#yaml.itemsAt(fields.get('exp_samples')).flatMap((one) => this.#sample(one) ?? []),
    }
  }

  #sample(node: Node): ExpectedSample | undefined {
    const at = this.#startOf(node)
    const fields = this.#fields(node, 'an expected sample', at, ['labels', 'value', 'histogram'])
    const text = this.#yaml.textAt(fields?.get('labels'))
    const labels = this.#notation(text, readSeries(text?.text ?? '', true))
    const value = this.#number(fields?.get('value'))
    const histogram = this.#histogram(fields?.get('histogram'))
    if (labels === undefined) return undefined
    return histogram === undefined ? { labels, value } : { labels, value, histogram }
  }

  #histogram(entry: Entry | undefined): WrittenHistogram | undefined {
    const text = this.#yaml.textAt(entry)
    if (text === undefined || text.text === '') return undefined
    const values = this.#notation(text, readValues(text.text))
    const [first] = values ?? []
    if (typeof first === 'object' && values?.length === 1) return first
    if (values !== undefined) this.#yaml.error(text, 'want one histogram such as {{count:1 sum:2 buckets:[1]}}')
    return undefined
  }

  /** Only YAML numbers, as in promtool: `"1"` is a text. */
  #number(entry: Entry | undefined): number {
    const text = this.#yaml.textAt(entry)
    if (entry === undefined || text === undefined) return 0
    const node = entry.value
    const value = isScalar(node) ? node.value : undefined
    if (typeof value === 'number') return value
    if (text.text === '' && (node === null || value === null)) return 0
    this.#yaml.error(text, `value: got ${JSON.stringify(text.text)}, want a number`, '.inf, -.inf and .nan are numbers')
    return 0
  }

  #flag(entry: Entry | undefined): boolean {
    const text = this.#yaml.textAt(entry)
    if (text === undefined || text.text === '') return false
    if (text.text !== 'true' && text.text !== 'false') this.#yaml.error(text, `${entry!.key}: want true or false`)
    return text.text === 'true'
  }

  /** The value of a notation; reports an error at its position and returns `undefined`. */
  #notation<T>(text: YamlText | undefined, read: Readout<T>): T | undefined {
    if ('value' in read) return read.value
    const { message, from, to } = read.error
    this.#yaml.error(text?.rangeOf(from, to) ?? { from: 0, to: 1 }, message)
    return undefined
  }

  #record(entry: Entry | undefined): Record<string, string> {
    return Object.fromEntries([...this.#yaml.textsAt(entry)].map(([name, { text }]) => [name, text]))
  }

  #fields(node: Node | null, what: string, at: Range, known: readonly string[]): Fields | undefined {
    if (!this.#areUnknownKeysIgnored) return this.#yaml.fields(node, what, at, known)
    const entries = this.#yaml.mapping(node, what, at)
    return entries === undefined ? undefined : new Map(entries.map((entry) => [entry.key, entry]))
  }

  #texts(entry: Entry | undefined): YamlText[] {
    return this.#yaml.itemsAt(entry).flatMap((node) => this.#yaml.text(node, entry!.key, entry!.keyAt) ?? [])
  }

  #startOf(node: Node): Range {
    const { from } = this.#yaml.rangeOf(node, { from: 0, to: 1 })
    return { from, to: from + 1 }
  }
}

/** Whether a test mentions an alert, expected or not. */
export function mentionsAlert(test: UnitTest, alertname: string): boolean {
  const isInSamples = test.exprCases.some(
    ({ expr, samples }) =>
      expr.text.includes(alertname) ||
      samples.some(({ labels }) => labels.get('alertname') === alertname || labels.get(METRIC_NAME) === alertname),
  )
  return isInSamples || test.alertCases.some((one) => one.alertname === alertname)
}
