/**
 * Runs one unit test: its series are appended interval by interval, the server's code evaluates the groups at each
 * evaluation interval, and the firing alerts are compared with the expected ones. Has the same results as promtool, with the
 * query language of Prometheus 3.
 */
import { FleetError } from '../../base/errors.ts'
import type { AlertStateStore } from '../../model/alert.ts'
import type { DerivedSample } from '../../model/appender.ts'
import { formatDuration } from '../../model/duration.ts'
import type { Histogram } from '../../model/histogram.ts'
import { compareLabels } from '../../model/labels.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../promql/engine-options.ts'
import { createLocalEngine } from '../../promql/engine.ts'
import { areEqual } from '../../promql/histogram/equals.ts'
import { formatHistogram } from '../../promql/histogram/text.ts'
import type { ParseOptions } from '../../promql/parse-options.ts'
import type { QueryEngine, QueryResult, VectorSample } from '../../promql/query-engine.ts'
import type { Range } from '../../yaml/yaml-reader.ts'
import { ALERT_NAME_LABEL } from '../alerting-rule.ts'
import { evaluateGroup, vectorOf, type GroupPorts } from '../group.ts'
import { createGroupState, type GroupState } from '../rule-state.ts'
import type { RuleGroup } from '../rule.ts'
import { storedHint } from './histogram-notation.ts'
import { SampleStore } from './sample-store.ts'
import type { AlertCase, ExpectedSample, ExprCase, UnitTest, UnitTestFile } from './unit-test-file.ts'

/** Maximum evaluations of one test: a long time with a short interval is a mistake. */
const EVALUATIONS_MAX = 500_000

export interface UnitTestOutcome {
  readonly test: UnitTest
  /** Empty when the test passed. */
  readonly failures: readonly UnitTestFailure[]
}

export interface UnitTestFailure {
  /** Position of the failed case in the file; for a failed rule, that of the test. */
  readonly at: Range
  readonly message: string
  /** Expected and actual alerts or samples, sorted. Absent when there is nothing to compare. */
  readonly difference?: { readonly wanted: readonly string[]; readonly got: readonly string[] }
}

/** @param groups of the file's rule files, in the order of the files */
export async function runUnitTest(
  file: UnitTestFile,
  test: UnitTest,
  groups: readonly RuleGroup[],
  language: ParseOptions,
): Promise<UnitTestOutcome> {
  return { test, failures: await new Run(file, test, groups, language).failures() }
}

/** Stores no alert states. */
const NO_STATES: AlertStateStore = {
  load: () => Promise.resolve(new Map()),
  replaceGroup: () => Promise.resolve(),
}

class Run {
  readonly #file: UnitTestFile
  readonly #test: UnitTest
  readonly #store = new SampleStore()
  readonly #engine: QueryEngine
  readonly #groups: readonly GroupState[]
  readonly #ports: GroupPorts
  /** Number of intervals whose values are in the store. */
  #appended = 0

  constructor(file: UnitTestFile, test: UnitTest, groups: readonly RuleGroup[], language: ParseOptions) {
    this.#file = file
    this.#test = test
    // A subquery without a step takes the evaluation interval.
    const engineOptions = { ...DEFAULT_ENGINE_OPTIONS, ...language, subqueryStepMs: file.evaluationIntervalMs }
    this.#engine = createLocalEngine({ queryable: this.#store, options: engineOptions, nowMs: () => 0 })
    this.#groups = inOrder(groups, file.groupOrder).map((group) => createGroupState(group))
    this.#ports = {
      query: (expr, timeMs) => this.#engine.instant({ expr, timeMs }),
      appendDerived: (samples) => this.#append(samples),
      states: NO_STATES,
      externalUrl: test.externalUrl,
      externalLabels: test.externalLabels,
      stopwatchMs: undefined,
    }
  }

  async failures(): Promise<UnitTestFailure[]> {
    const { startMs, alertCases, exprCases } = this.#test
    const stepMs = this.#file.evaluationIntervalMs
    const longestMs = Math.max(0, ...[...alertCases, ...exprCases].map(({ evalMs }) => evalMs))
    if (longestMs / stepMs > EVALUATIONS_MAX) {
      const message = `${formatDuration(longestMs)} are more than ${EVALUATIONS_MAX} evaluations each ${formatDuration(stepMs)}`
      return [{ at: this.#test.at, message }]
    }
    const failures: UnitTestFailure[] = []
    const waiting = [...alertCases].sort((a, b) => a.evalMs - b.evalMs)
    for (let elapsedMs = 0; elapsedMs <= longestMs; elapsedMs += stepMs) {
      this.#appendInputs(elapsedMs)
      const errors = await this.#evaluate(startMs + elapsedMs, elapsedMs)
      if (errors.length > 0) return [...failures, ...errors]
      // A case between two evaluations is compared with the first of them.
      while (waiting[0] !== undefined && waiting[0].evalMs < elapsedMs + stepMs) {
        failures.push(...this.#compareAlerts(waiting.shift()!))
      }
    }
    for (const one of exprCases) failures.push(...(await this.#compareSamples(one)))
    return failures
  }

  /** Appends the samples up to this time, so that no evaluation reads later samples. */
  #appendInputs(elapsedMs: number): void {
    const { inputs, intervalMs, startMs } = this.#test
    for (; this.#appended * intervalMs <= elapsedMs; this.#appended++) {
      const timeMs = startMs + this.#appended * intervalMs
      for (const { labels, values } of inputs) {
        const value = values[this.#appended]
        if (value === undefined) continue
        if (typeof value !== 'object') this.#store.put(labels, timeMs, value)
        else {
          const { histogram } = value
          const counterReset = storedHint(histogram, this.#store.newestHistogram(labels))
          this.#store.put(labels, timeMs, { ...histogram, counterReset })
        }
      }
      if (inputs.every(({ values }) => values.length <= this.#appended)) {
        this.#appended = Infinity
        return
      }
    }
  }

  #append(samples: readonly DerivedSample[]): Promise<void> {
    for (const { labels, timeMs, value, histogram, isStale } of samples) {
      const stored = isStale ? 'stale' : (histogram ?? value)
      if (this.#store.append(labels, timeMs, stored) || isStale) continue
      const message = `${labels.toString()} has another sample of this time or a newer one`
      return Promise.reject(new FleetError('query_execution', message))
    }
    return Promise.resolve()
  }

  async #evaluate(timeMs: number, elapsedMs: number): Promise<UnitTestFailure[]> {
    const failures: UnitTestFailure[] = []
    for (const group of this.#groups) {
      const { report } = await evaluateGroup(group, this.#ports, timeMs, 0)
      for (const { rule, message } of report.errors) {
        failures.push({ at: this.#test.at, message: `rule ${rule} at ${formatDuration(elapsedMs)}: ${message}` })
      }
    }
    return failures
  }

  /** Several rules of several groups may have the alert's name. */
  #compareAlerts({ at, evalMs, alertname, alerts }: AlertCase): UnitTestFailure[] {
    const firing = this.#groups.flatMap(({ rules }) =>
      rules
        .filter(({ rule }) => rule.kind === 'alerting' && rule.name === alertname)
        .flatMap((rule) => [...rule.alerts.values()].filter(({ phase }) => phase.state === 'firing')),
    )
    const got = firing.map(({ labels, annotations }) => describeAlert(labels.toObject(), annotations)).sort()
    const wanted = alerts
      .map(({ labels, annotations }) => describeAlert({ ...labels, [ALERT_NAME_LABEL]: alertname }, annotations))
      .sort()
    if (got.length === wanted.length && got.every((text, i) => text === wanted[i])) return []
    const message = `${alertname} at ${formatDuration(evalMs)}: ${countsOf(wanted.length, got.length)}`
    return [{ at, message, difference: { wanted, got } }]
  }

  async #compareSamples({ at, evalMs, expr, samples }: ExprCase): Promise<UnitTestFailure[]> {
    const fail = (message: string): UnitTestFailure[] => [
      { at, message: `${expr.text.trim()} at ${formatDuration(evalMs)}: ${message}` },
    ]
    let result: QueryResult
    try {
      result = await this.#engine.instant({ expr: expr.text, timeMs: this.#test.startMs + evalMs })
    } catch (thrown) {
      if (thrown instanceof FleetError) return fail(thrown.message)
      throw thrown
    }
    const vector = vectorOf(result.value)
    if (vector === undefined) return fail(`the result is a ${result.value.type}; want a vector or a scalar`)
    const got = [...vector].sort((a, b) => compareLabels(a.labels, b.labels))
    const wanted = [...samples].sort((a, b) => compareLabels(a.labels, b.labels))
    const isSame = got.length === wanted.length && wanted.every((one, i) => this.#isSame(one, got[i]!))
    if (isSame) return []
    const difference = {
      wanted: wanted.map((sample) => describeSample(sample, sample.histogram?.histogram)),
      got: got.map((sample) => describeSample(sample, sample.histogram)),
    }
    return fail(countsOf(wanted.length, got.length)).map((failure) => ({ ...failure, difference }))
  }

  #isSame(wanted: ExpectedSample, got: VectorSample): boolean {
    if (!wanted.labels.equals(got.labels)) return false
    if (wanted.histogram === undefined || got.histogram === undefined) {
      return wanted.histogram === got.histogram && isSameFloat(wanted.value, got.value, this.#file.isFuzzy)
    }
    const { histogram, hasHint } = wanted.histogram
    return areEqual(histogram, got.histogram) && (!hasHint || histogram.counterReset === got.histogram.counterReset)
  }
}

/** As in promtool, groups that `order` does not name rank with its first group. */
function inOrder(groups: readonly RuleGroup[], order: readonly string[]): RuleGroup[] {
  const rankOf = ({ name }: RuleGroup): number => Math.max(0, order.indexOf(name))
  return [...groups].sort((a, b) => rankOf(a) - rankOf(b))
}

/** NaN does not equal NaN, as in promtool. */
function isSameFloat(wanted: number, got: number, isFuzzy: boolean): boolean {
  return wanted === got || (isFuzzy && (neighbour(wanted, 1n) === got || neighbour(wanted, -1n) === got))
}

/** The next float above (1) or below (-1). */
function neighbour(value: number, direction: 1n | -1n): number {
  if (value === 0) return direction === 1n ? Number.MIN_VALUE : -Number.MIN_VALUE
  if (!Number.isFinite(value)) return value
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? direction : -direction))
  return view.getFloat64(0)
}

function countsOf(wanted: number, got: number): string {
  return wanted === got ? 'not what was expected' : `expected ${wanted}, got ${got}`
}

function describeAlert(
  labels: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>>,
): string {
  return `labels ${describeRecord(labels)}\nannotations ${describeRecord(annotations)}`
}

function describeRecord(record: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${pairs.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(', ')}}`
}

function describeSample({ labels, value }: Pick<VectorSample, 'labels' | 'value'>, histogram?: Histogram): string {
  const labelText = labels.size === 0 ? '{}' : labels.toString()
  return `${labelText} ${histogram === undefined ? value : formatHistogram(histogram)}`
}
