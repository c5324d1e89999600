import { FleetError, messageOf } from '../../src/base/errors.ts'
import type { BucketCounts, Histogram } from '../../src/model/histogram.ts'
import { Labels, METRIC_NAME } from '../../src/model/labels.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { areSameBounds } from '../../src/promql/histogram/custom-bounds.ts'
import { parseNumber, unquote } from '../../src/promql/literals.ts'
import { parseExpr } from '../../src/promql/parse.ts'
import { PromqlError } from '../../src/promql/promql-error.ts'
import type { QueryEngine, QueryResult, VectorSample } from '../../src/promql/query-engine.ts'
import { storedHint } from '../../src/rules/unit-test/histogram-notation.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'
import { ClassicSeries, describeHistogram, readHistogramItem, type ScriptHistogram } from './histogram-script.ts'

/**
 * Reads and runs test scripts of PromQL: `load` blocks with series, `eval` with what is expected. The format is
 * upstream's, so its scripts run too; what needs experiments that are not there is told apart from what fails.
 */
export interface CaseOutcome {
  readonly line: number
  readonly expr: string
  readonly status: 'passed' | 'failed' | 'start timestamps'
  /** For a failure: what was got and what was wanted. */
  readonly message?: string
}

export interface Line {
  readonly number: number
  readonly text: string
}

export async function runScript(text: string): Promise<CaseOutcome[]> {
  const runner = new Runner()
  const outcomes: CaseOutcome[] = []
  for (const block of blocksOf(text)) {
    const outcome = await runner.run(block)
    if (outcome !== undefined) outcomes.push(outcome)
  }
  return outcomes
}

/** A command and the indented lines under it. */
export function blocksOf(text: string): Line[][] {
  const blocks: Line[][] = []
  text.split('\n').forEach((raw, i) => {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) return
    if (/^\s/.test(raw)) blocks.at(-1)!.push({ number: i + 1, text: line })
    else blocks.push([{ number: i + 1, text: line }])
  })
  return blocks
}

class Runner {
  readonly #store = new MemoryQueryable()
  /** The newest histogram of a series, when it is its newest sample. */
  readonly #stored = new Map<string, Histogram>()
  readonly #engine: QueryEngine = createLocalEngine({
    queryable: this.#store,
    options: { ...DEFAULT_ENGINE_OPTIONS, experimental: true },
    nowMs: () => 0,
  })
  async run([head, ...lines]: Line[]): Promise<CaseOutcome | undefined> {
    const [command] = head!.text.split(/\s+/, 1)
    if (command === 'clear') {
      this.#store.clear()
      this.#stored.clear()
      return undefined
    }
    if (command!.startsWith('load')) {
      const stepMs = timeMs(head!.text.split(/\s+/)[1]!)
      const classic = command === 'load_with_nhcb' ? new ClassicSeries() : undefined
      for (const line of lines) this.#load(line.text, stepMs, classic)
      for (const { labels, timeMs, histogram } of classic?.histograms() ?? []) this.#append(labels, timeMs, histogram)
      return undefined
    }
    if (!command!.startsWith('eval')) throw new Error(`line ${head!.number}: unknown command ${command!}`)
    return this.#evaluate(head!, lines, command === 'eval_fail')
  }

  #load(text: string, stepMs: number, classic: ClassicSeries | undefined): void {
    const { labels, rest } = readSeries(text)
    readValues(rest).forEach((value, i) => {
      if (value === undefined) return
      if (value === 'stale') this.#store.appendStale(labels, i * stepMs)
      else if (typeof value === 'object') this.#append(labels, i * stepMs, value.histogram)
      else {
        this.#store.append(labels, i * stepMs, value)
        this.#stored.delete(labels.key)
        classic?.add(labels, i * stepMs, value)
      }
    })
  }

  /** As Prometheus' store has it, with what that knows of counter resets. */
  #append(labels: Labels, timeMs: number, histogram: Histogram): void {
    const counterReset = storedHint(histogram, this.#stored.get(labels.key))
    this.#store.appendHistogram(labels, timeMs, { ...histogram, counterReset })
    this.#stored.set(labels.key, histogram)
  }

  async #evaluate(head: Line, lines: readonly Line[], mustFail: boolean): Promise<CaseOutcome> {
    const query = readQuery(head.text)
    const expected = readExpectations(
      lines.map((line) => line.text),
      mustFail,
    )
    const outcome = (status: CaseOutcome['status'], message?: string): CaseOutcome => ({
      line: head.number,
      expr: query.expr,
      status,
      ...(message === undefined ? {} : { message }),
    })
    try {
      parseExpr(query.expr, { experimental: true })
    } catch (thrown) {
      const message = messageOf(thrown)
      if (message.endsWith('start timestamps are not stored')) return outcome('start timestamps')
    }
    const message = await this.#judge(query, expected)
    return message === undefined ? outcome('passed') : outcome('failed', message)
  }

  async #judge(query: ScriptQuery, expected: Expectations): Promise<string | undefined> {
    let result: QueryResult
    try {
      result = await this.#ask(query)
    } catch (thrown) {
      if (!(thrown instanceof FleetError)) throw thrown
      if (expected.fail === undefined) return `failed: ${thrown.message}`
      return matchesText(expected.fail, thrown.message) ? undefined : `wrong failure: ${thrown.message}`
    }
    if (expected.fail !== undefined) return 'expected a failure'
    return (
      judgeRemarks(result, expected) ??
      judgeValue(result, query, expected) ??
      (query.kind === 'instant' && expected.series.length > 0 ? await this.#judgeAsRange(query, result) : undefined)
    )
  }

  #ask(query: ScriptQuery): Promise<QueryResult> {
    return query.kind === 'instant'
      ? this.#engine.instant({ expr: query.expr, timeMs: query.startMs })
      : this.#engine.range({ expr: query.expr, startMs: query.startMs, endMs: query.endMs, stepMs: query.stepMs })
  }

  /** An instant query must give the same as that step of a range query; with `start()` and the like it may not. */
  async #judgeAsRange(query: ScriptQuery, instant: QueryResult): Promise<string | undefined> {
    if (instant.value.type !== 'vector' || /\b(start|end|step|range)\s*\(/i.test(query.expr)) return undefined
    const minuteMs = 60_000
    let range: QueryResult
    try {
      range = await this.#engine.range({
        expr: query.expr,
        startMs: query.startMs - minuteMs,
        endMs: query.startMs + minuteMs,
        stepMs: minuteMs,
      })
    } catch (thrown) {
      // The neighbours of the step may fail for reasons of their own.
      if (thrown instanceof PromqlError || !(thrown instanceof FleetError)) throw thrown
      return undefined
    }
    const got = new Map<string, ScriptValue>()
    for (const series of range.value.type === 'matrix' ? range.value.series : []) {
      const at = series.timesMs.indexOf(query.startMs)
      if (at >= 0) got.set(series.labels.key, series.values[at])
      const histogram = series.histograms?.[series.histogramTimesMs!.indexOf(query.startMs)]
      if (histogram !== undefined) got.set(series.labels.key, { histogram, hasHint: false })
    }
    const { samples } = instant.value
    const same = got.size === samples.length && samples.every((one) => isSame(got.get(one.labels.key), valueOf(one)))
    return same ? undefined : `as a step of a range: ${[...got.values()].map(describeValue).join(' ')}`
  }
}

export interface ScriptQuery {
  readonly kind: 'instant' | 'range'
  readonly expr: string
  readonly startMs: number
  readonly endMs: number
  readonly stepMs: number
}

export function readQuery(text: string): ScriptQuery {
  const instant = /^eval(?:_\w+)? instant at (\S+)\s+(.*)$/.exec(text)
  if (instant !== null) {
    const atMs = timeMs(instant[1]!)
    return { kind: 'instant', expr: instant[2]!, startMs: atMs, endMs: atMs, stepMs: 1 }
  }
  const range = /^eval(?:_\w+)? range from (\S+) to (\S+) step (\S+)\s+(.*)$/.exec(text)
  if (range === null) throw new Error(`not an evaluation: ${text}`)
  const [startMs, endMs, stepMs] = [timeMs(range[1]!), timeMs(range[2]!), timeMs(range[3]!)]
  return { kind: 'range', expr: range[4]!, startMs, endMs, stepMs }
}

export function timeMs(text: string): number {
  const isNegative = text.startsWith('-')
  const seconds = parseNumber(isNegative ? text.slice(1) : text)
  if (seconds === undefined) throw new Error(`not a time: ${text}`)
  return Math.round(seconds * 1000) * (isNegative ? -1 : 1)
}

export type ScriptValue = number | 'stale' | ScriptHistogram | undefined

interface ExpectedSeries {
  readonly labels: Labels
  readonly values: readonly ScriptValue[]
}

type TextTest = { readonly kind: 'any' } | { readonly kind: 'msg' | 'regex'; readonly text: string }

interface Expectations {
  isOrdered: boolean
  fail: TextTest | undefined
  readonly warn: TextTest[]
  readonly info: TextTest[]
  noWarn: boolean
  noInfo: boolean
  string: string | undefined
  scalar: number | undefined
  rangeVector: { readonly startMs: number; readonly stepMs: number } | undefined
  readonly series: ExpectedSeries[]
}

function readExpectations(lines: readonly string[], mustFail: boolean): Expectations {
  const expected: Expectations = {
    isOrdered: false,
    fail: mustFail ? { kind: 'any' } : undefined,
    warn: [],
    info: [],
    noWarn: false,
    noInfo: false,
    string: undefined,
    scalar: undefined,
    rangeVector: undefined,
    series: [],
  }
  for (const line of lines) {
    const clause = /^expect\s+(\w+)\s*(.*)$/.exec(line)
    if (clause !== null) readClause(clause[1]!, clause[2]!.trim(), expected)
    else if (/^[-+]?[0-9.]|^[-+]?(inf|nan)$/i.test(line) && !line.includes('{')) expected.scalar = readNumber(line)
    else if (/^expected_fail_(message|regexp)/.test(line)) continue
    else {
      const { labels, rest } = readSeries(line)
      expected.series.push({ labels, values: readValues(rest) })
    }
  }
  return expected
}

function readClause(kind: string, rest: string, expected: Expectations): void {
  const test = readTextTest(rest)
  if (kind === 'ordered') expected.isOrdered = true
  else if (kind === 'fail') expected.fail = test
  else if (kind === 'warn') expected.warn.push(test)
  else if (kind === 'info') expected.info.push(test)
  else if (kind === 'no_warn') expected.noWarn = true
  else if (kind === 'no_info') expected.noInfo = true
  else if (kind === 'string') expected.string = unquote(rest)
  else if (kind === 'range') {
    const range = /^vector from (\S+) to (\S+) step (\S+)$/.exec(rest)
    expected.rangeVector = { startMs: timeMs(range![1]!), stepMs: timeMs(range![3]!) }
  } else throw new Error(`unknown expectation: ${kind}`)
}

function readTextTest(text: string): TextTest {
  const test = /^(msg|regex):\s*(.*)$/.exec(text)
  return test === null ? { kind: 'any' } : { kind: test[1] as 'msg' | 'regex', text: test[2]! }
}

function matchesText(test: TextTest, text: string): boolean {
  if (test.kind === 'any') return true
  return test.kind === 'msg' ? text === test.text || text.endsWith(test.text) : new RegExp(test.text).test(text)
}

function judgeRemarks({ warnings, infos }: QueryResult, expected: Expectations): string | undefined {
  const wanted: readonly (readonly [string, readonly TextTest[], readonly string[], boolean])[] = [
    ['warning', expected.warn, warnings, expected.noWarn],
    ['info', expected.info, infos, expected.noInfo],
  ]
  for (const [name, tests, got, isForbidden] of wanted) {
    if (isForbidden && got.length > 0) return `unexpected ${name}: ${got.join('; ')}`
    const missing = tests.find((test) => !got.some((text) => matchesText(test, text)))
    if (missing !== undefined) {
      return `no ${name} ${missing.kind === 'any' ? '' : missing.text}; got ${got.join('; ') || 'none'}`
    }
    const extra = tests.length === 0 ? undefined : got.find((text) => !tests.some((test) => matchesText(test, text)))
    if (extra !== undefined) return `another ${name}: ${extra}`
  }
  return undefined
}

function judgeValue({ value }: QueryResult, query: ScriptQuery, expected: Expectations): string | undefined {
  switch (value.type) {
    case 'string':
      return value.value === expected.string ? undefined : `got string ${JSON.stringify(value.value)}`
    case 'scalar':
      return expected.scalar !== undefined && isClose(value.value, expected.scalar)
        ? undefined
        : `got scalar ${value.value}`
    case 'vector': {
      const found = value.samples.map((one) => ({ labels: one.labels, values: [valueOf(one)] }))
      const got = found.map(({ labels, values }) => `${labels.toString()} ${describeValue(values[0])}`)
      const wrong = compareSeries(found, expected.series)
      const misplaced =
        expected.isOrdered && value.samples.some((one, i) => !one.labels.equals(expected.series[i]!.labels))
      return wrong !== undefined || misplaced
        ? `${wrong ?? 'wrong order'}; got ${got.join(', ') || 'nothing'}`
        : undefined
    }
    case 'matrix': {
      const start = expected.rangeVector ?? query
      const sorted = value.series.map(({ labels, timesMs, values, histogramTimesMs, histograms }) => {
        const spread: ScriptValue[] = []
        timesMs.forEach((time, i) => {
          spread[Math.round((time - start.startMs) / start.stepMs)] = values[i]!
        })
        histogramTimesMs?.forEach((time, i) => {
          spread[Math.round((time - start.startMs) / start.stepMs)] = { histogram: histograms![i]!, hasHint: false }
        })
        return { labels, values: Array.from(spread) }
      })
      const wrong = compareSeries(sorted, expected.series)
      const got = sorted.map(({ labels, values }) => `${labels.toString()} ${values.map(describeValue).join(' ')}`)
      return wrong === undefined ? undefined : `${wrong}; got ${got.join(', ') || 'nothing'}`
    }
  }
}

function compareSeries(got: readonly ExpectedSeries[], wanted: readonly ExpectedSeries[]): string | undefined {
  const byKey = new Map(got.map((series) => [series.labels.key, series]))
  const present = wanted.filter((series) => series.values.some((value) => value !== undefined))
  for (const series of present) {
    const match = byKey.get(series.labels.key)
    if (match === undefined) return `missing ${series.labels.toString()}`
    const length = Math.max(match.values.length, series.values.length)
    for (let i = 0; i < length; i++) {
      const [a, b] = [match.values[i], series.values[i]]
      if (a === undefined && b === undefined) continue
      if (!isSame(a, b)) {
        return `${series.labels.toString()}: step ${i} wanted ${describeValue(b)}`
      }
    }
  }
  return got.length === present.length && byKey.size === got.length ? undefined : 'unexpected series'
}

function valueOf({ value, histogram }: VectorSample): ScriptValue {
  return histogram === undefined ? value : { histogram, hasHint: false }
}

function describeValue(value: ScriptValue): string {
  if (typeof value === 'object') return describeHistogram(value.histogram)
  return value === undefined ? '_' : String(value)
}

function isSame(got: ScriptValue, wanted: ScriptValue): boolean {
  if (typeof got === 'number' && typeof wanted === 'number') return isClose(got, wanted)
  if (typeof got !== 'object' || typeof wanted !== 'object') return false
  const [a, b] = [got.histogram, wanted.histogram]
  return (
    (!wanted.hasHint || a.counterReset === b.counterReset) &&
    a.schema === b.schema &&
    isClose(a.count, b.count) &&
    isClose(a.sum, b.sum) &&
    a.zeroThreshold === b.zeroThreshold &&
    isClose(a.zeroCount, b.zeroCount) &&
    areSameBounds(a.customBounds, b.customBounds) &&
    areSameCounts(a.positive, b.positive) &&
    areSameCounts(a.negative, b.negative)
  )
}

function areSameCounts(a: BucketCounts, b: BucketCounts): boolean {
  return (
    a.indexes.length === b.indexes.length &&
    a.indexes.every((index, i) => index === b.indexes[i] && isClose(a.counts[i]!, b.counts[i]!))
  )
}

const SMALLEST_NORMAL = 2 ** -1022

function isClose(a: number, b: number): boolean {
  if (Number.isNaN(a) && Number.isNaN(b)) return true
  if (a === b) return true
  const difference = Math.abs(a - b)
  const size = Math.abs(a) + Math.abs(b)
  if (a === 0 || b === 0 || size < SMALLEST_NORMAL) return difference < 1e-6 * SMALLEST_NORMAL
  return difference / Math.min(size, Number.MAX_VALUE) < 1e-6
}

const LABEL_PAIR =
  /\s*,?\s*(?:([A-Za-z_][\w]*)|("(?:[^"\\]|\\.)*"))\s*(?:=\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`))?\s*,?\s*/y

/** `name{label="value"} values` */
export function readSeries(text: string): { labels: Labels; rest: string } {
  const name = /^[A-Za-z_:][\w:]*/.exec(text)?.[0] ?? ''
  const pairs: [string, string][] = name === '' ? [] : [[METRIC_NAME, name]]
  let at = name.length
  if (text[at] === '{') {
    at++
    while (text[at] !== '}') {
      LABEL_PAIR.lastIndex = at
      const pair = LABEL_PAIR.exec(text)
      if (pair === null || pair[0] === '') throw new Error(`not a series: ${text}`)
      const label = pair[1] ?? unquote(pair[2]!)
      if (pair[3] === undefined) pairs.push([METRIC_NAME, label])
      else pairs.push([label, unquote(pair[3])])
      at = LABEL_PAIR.lastIndex
    }
    at++
  }
  return { labels: Labels.fromPairs(pairs), rest: text.slice(at).trim() }
}

const NUMBER = '[-+]?(?:\\d+\\.?\\d*(?:e[-+]?\\d+)?|\\.\\d+(?:e[-+]?\\d+)?|inf|nan)'
const VALUE = new RegExp(`^(${NUMBER})(?:([-+])(${NUMBER.slice(5)}))?(?:x(\\d+))?$`, 'i')

/** `1 2+3x4 _ _x3 stale {{count:1}}x2`. */
export function readValues(text: string): ScriptValue[] {
  const values: ScriptValue[] = []
  for (const item of text.match(/\{\{.*?\}\}(?:[-+]\{\{.*?\}\})?(?:x\d+)?|\S+/g) ?? []) {
    if (item.startsWith('{{')) {
      values.push(...readHistogramItem(item))
      continue
    }
    if (item.startsWith('#')) break
    const blank = /^_(?:x(\d+))?$/.exec(item)
    if (blank !== null) {
      for (let i = 0; i < Number(blank[1] ?? 1); i++) values.push(undefined)
      continue
    }
    const stale = /^stale(?:x(\d+))?$/.exec(item)
    if (stale !== null) {
      for (let i = 0; i <= Number(stale[1] ?? 0); i++) values.push('stale')
      continue
    }
    const number = VALUE.exec(item)
    if (number === null) throw new Error(`not a value: ${item}`)
    const step = number[3] === undefined ? 0 : readNumber(number[3]) * (number[2] === '-' ? -1 : 1)
    let value = readNumber(number[1]!)
    for (let i = 0; i <= Number(number[4] ?? 0); i++) {
      values.push(value)
      value += step
    }
  }
  return values
}

function readNumber(text: string): number {
  const isNegative = text.startsWith('-')
  return (parseNumber(text.replace(/^[-+]/, '')) ?? NaN) * (isNegative ? -1 : 1)
}

/** For a message: where a case stands. */
export function describeFailure(file: string, outcome: CaseOutcome): string {
  return `${file}:${outcome.line}: ${outcome.expr}\n    ${outcome.message ?? ''}`
}

/** Counts by status. */
export function tally(outcomes: readonly CaseOutcome[]): Record<CaseOutcome['status'], number> {
  const counts = { passed: 0, failed: 0, 'start timestamps': 0 }
  for (const { status } of outcomes) counts[status]++
  return counts
}
