/** The rule engine with the real PromQL engine over a store in memory; tests own the time. */
import type { AlertRecord, AlertStateStore } from '../../src/model/alert.ts'
import type { AppendDerived, DerivedSample } from '../../src/model/appender.ts'
import { Labels } from '../../src/model/labels.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { createRuleEngine, type RuleEngine, type RuleEngineOptions } from '../../src/rules/engine.ts'
import type { EvaluationReport } from '../../src/rules/rule-status.ts'
import { loadRuleFiles } from '../../src/rules/rule-file.ts'
import type { RuleGroup } from '../../src/rules/rule.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'

/** 2026-08-20T10:00:00Z. */
export const T0 = 1_787_220_000_000
export const MINUTE_MS = 60_000

const LANGUAGE = { experimental: true }

/** Groups of one file; it must be without errors. */
export function groupsOf(text: string, path = 'r.yaml'): RuleGroup[] {
  const { groups, diagnostics } = loadRuleFiles([{ path, text }], { language: LANGUAGE })
  if (diagnostics.length > 0) throw new Error(diagnostics.map(({ message }) => message).join('; '))
  return groups
}

export class MemoryAlertStates implements AlertStateStore {
  readonly groups = new Map<string, readonly AlertRecord[]>()
  writes = 0
  failure: Error | undefined

  load(): Promise<ReadonlyMap<string, readonly AlertRecord[]>> {
    return Promise.resolve(new Map(this.groups))
  }

  replaceGroup(groupKey: string, records: readonly AlertRecord[]): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure)
    this.writes++
    if (records.length === 0) this.groups.delete(groupKey)
    else this.groups.set(groupKey, records)
    return Promise.resolve()
  }
}

export class Harness {
  readonly store = new MemoryQueryable()
  readonly states: MemoryAlertStates
  /** One entry per call of `appendDerived`. */
  readonly appended: (readonly DerivedSample[])[] = []
  appendFailure: Error | undefined
  readonly rules: RuleEngine

  constructor(
    rules: string | readonly RuleGroup[],
    over: Partial<RuleEngineOptions> = {},
    states = new MemoryAlertStates(),
  ) {
    this.states = states
    const options = { ...DEFAULT_ENGINE_OPTIONS, ...LANGUAGE }
    const promql = createLocalEngine({ queryable: this.store, options, nowMs: () => 0 })
    const appendDerived: AppendDerived = (samples) => {
      if (this.appendFailure !== undefined) return Promise.reject(this.appendFailure)
      this.appended.push(samples)
      for (const { labels, timeMs, value, isStale } of samples) {
        if (isStale) this.store.appendStale(labels, timeMs)
        else this.store.append(labels, timeMs, value)
      }
      return Promise.resolve()
    }
    this.rules = createRuleEngine({
      groups: typeof rules === 'string' ? groupsOf(rules) : rules,
      query: (expr, timeMs) => promql.instant({ expr, timeMs }),
      appendDerived,
      states,
      externalUrl: 'http://daytwo.example/',
      // Beats on whole minutes, as tests evaluate.
      offsetOf: () => 0,
      ...over,
    })
    this.#ask = async (expr, timeMs) => {
      const { value } = await promql.instant({ expr, timeMs })
      if (value.type !== 'vector') throw new Error(`${expr} is a ${value.type}`)
      return value.samples.map((sample) => `${sample.labels.toString()} ${sample.value}`).sort()
    }
  }

  readonly #ask: (expr: string, timeMs: number) => Promise<string[]>

  /** Writes one sample. */
  put(series: Readonly<Record<string, string>>, value: number, nowMs: number): void {
    this.store.append(Labels.of(series), nowMs, value)
  }

  /** What a query sees, one line per series. */
  ask(expr: string, nowMs: number): Promise<string[]> {
    return this.#ask(expr, nowMs)
  }

  evaluate(nowMs: number): Promise<EvaluationReport> {
    return this.rules.evaluate(nowMs)
  }

  /** `name state` of each alert with its distinguishing labels. */
  alerts(): string[] {
    return this.rules.alerts().map(({ labels, state }) => `${labels.toString()} ${state}`)
  }
}

/** `A: inactive > pending`, one line per transition. */
export function transitionsOf(report: EvaluationReport): string[] {
  return report.transitions.map(({ alert, from, to }) => `${alert.labels.get('alertname')}: ${from} > ${to}`)
}
