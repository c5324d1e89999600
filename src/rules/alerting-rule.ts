/**
 * One evaluation of an alerting rule: samples become alerts by their labels, each alert takes its step, and what is
 * left is written as `ALERTS`. Nothing changes when the result cannot be used: the alerts that were there stay.
 */
import { fingerprintOf } from '../model/alert.ts'
import type { DerivedSample } from '../model/appender.ts'
import { Labels, METRIC_NAME } from '../model/labels.ts'
import type { VectorSample } from '../promql/query-engine.ts'
import { stepAlert } from './alert-state.ts'
import type { AlertPhase, Hold } from './alert-state.ts'
import { alertSamples } from './derived-series.ts'
import type { AlertingRule } from './rule.ts'
import { compileTemplate, expandTemplate, isTemplate, isVolatile } from './template.ts'
import type { Template, TemplateScope } from './template.ts'

export const ALERT_NAME_LABEL = 'alertname'

/** An alert between two evaluations. */
export interface TrackedAlert {
  readonly fingerprint: string
  readonly labels: Labels
  readonly annotations: Readonly<Record<string, string>>
  readonly phase: AlertPhase
  readonly lastHeldAtMs: number
  readonly value: number
  /** Key of the sample's labels: with the value, what the annotations were made from. */
  readonly sourceKey?: string
  /** Restored after a long outage and not seen since: not ended for want of data before this time. */
  readonly unconfirmedUntilMs?: number
}

/** By the key of the alert's labels. */
export type TrackedAlerts = ReadonlyMap<string, TrackedAlert>

export interface CompiledAlerting {
  readonly rule: AlertingRule
  readonly hold: Hold
  readonly labels: readonly (readonly [string, Template])[]
  readonly annotations: readonly (readonly [string, Template])[]
  readonly areAnnotationsVolatile: boolean
}

export interface AlertChange {
  readonly before: TrackedAlert | undefined
  readonly after: TrackedAlert | undefined
}

export type AlertingOutcome =
  | { readonly kind: 'refused'; readonly error: string }
  | {
      readonly kind: 'alerting'
      readonly alerts: TrackedAlerts
      readonly changes: readonly AlertChange[]
      readonly samples: readonly DerivedSample[]
    }

export interface AlertingInput {
  readonly samples: readonly VectorSample[]
  readonly nowMs: number
  /** The time of the samples written: `nowMs` less the group's query offset. */
  readonly sampleTimeMs: number
  /** 0 is no limit. */
  readonly limit: number
  readonly scope: TemplateScope
}

/** A template that does not parse stands as its text: the loader refused such a file long before. */
export function compileAlerting(rule: AlertingRule): CompiledAlerting {
  const compile = (record: Readonly<Record<string, string>>): (readonly [string, Template])[] =>
    Object.entries(record).map(([name, text]) => {
      const compiled = compileTemplate(text)
      return [name, isTemplate(compiled) ? compiled : { text, tree: undefined }]
    })
  const annotations = compile(rule.annotations)
  return {
    rule,
    hold: { forMs: rule.forMs, keepFiringForMs: rule.keepFiringForMs },
    labels: compile(rule.labels),
    annotations,
    areAnnotationsVolatile: annotations.some(([, template]) => isVolatile(template)),
  }
}

export async function evaluateAlerting(
  compiled: CompiledAlerting,
  before: TrackedAlerts,
  input: AlertingInput,
): Promise<AlertingOutcome> {
  const held = await heldAlerts(compiled, before, input)
  if (held === undefined) {
    return { kind: 'refused', error: 'vector contains metrics with the same labelset after applying alert labels' }
  }
  const alerts = new Map<string, TrackedAlert>()
  const changes: AlertChange[] = []
  let activeCount = 0
  for (const key of new Set([...before.keys(), ...held.keys()])) {
    const was = before.get(key)
    const is = stepTracked(was, held.get(key), input.nowMs, compiled.hold)
    if (is !== undefined) alerts.set(key, is)
    if (is !== undefined && is.phase.state !== 'resolved') activeCount++
    if (hasChanged(was, is)) changes.push({ before: was, after: is })
  }
  if (input.limit > 0 && activeCount > input.limit) {
    return { kind: 'refused', error: `exceeded limit of ${input.limit} with ${activeCount} alerts` }
  }
  const samples = [...alerts.values()].flatMap(({ labels, phase }) => alertSamples(labels, phase, input.sampleTimeMs))
  return { kind: 'alerting', alerts, changes, samples }
}

type HeldAlert = Omit<TrackedAlert, 'phase' | 'unconfirmedUntilMs'>

/** What the expression yields now, under the labels of its alerts; `undefined` when two samples end up under the same. */
async function heldAlerts(
  compiled: CompiledAlerting,
  before: TrackedAlerts,
  { samples, nowMs, scope }: AlertingInput,
): Promise<Map<string, HeldAlert> | undefined> {
  const held = new Map<string, HeldAlert>()
  for (const sample of samples) {
    const subject = { labels: sample.labels.toObject(), value: sample.value }
    const expand = async (template: Template): Promise<string> =>
      template.tree === undefined ? template.text : expandTemplate(template, subject, scope)

    const pairs = new Map(sample.labels.pairs())
    pairs.delete(METRIC_NAME)
    for (const [name, template] of compiled.labels) pairs.set(name, await expand(template))
    pairs.set(ALERT_NAME_LABEL, compiled.rule.name)
    const labels = Labels.fromPairs(pairs)
    if (held.has(labels.key)) return undefined

    const was = before.get(labels.key)
    const sourceKey = sample.labels.key
    const canReuse =
      !compiled.areAnnotationsVolatile && was?.sourceKey === sourceKey && Object.is(was.value, sample.value)
    const annotations: Record<string, string> = {}
    if (!canReuse) for (const [name, template] of compiled.annotations) annotations[name] = await expand(template)
    held.set(labels.key, {
      fingerprint: was?.fingerprint ?? fingerprintOf(labels),
      labels: was?.labels ?? labels,
      annotations: canReuse ? was.annotations : annotations,
      lastHeldAtMs: nowMs,
      value: sample.value,
      sourceKey,
    })
  }
  return held
}

function stepTracked(
  was: TrackedAlert | undefined,
  held: HeldAlert | undefined,
  nowMs: number,
  hold: Hold,
): TrackedAlert | undefined {
  if (held === undefined && was?.unconfirmedUntilMs !== undefined && nowMs < was.unconfirmedUntilMs) return was
  const phase = stepAlert(was?.phase, held !== undefined, nowMs, hold)
  if (phase === undefined) return undefined
  if (held !== undefined) return { ...held, phase }
  return was === undefined || was.phase === phase ? was : { ...was, phase }
}

/** Forgetting a resolved alert is housekeeping, not news. */
function hasChanged(was: TrackedAlert | undefined, is: TrackedAlert | undefined): boolean {
  if (was?.phase.state === 'resolved' && is === undefined) return false
  return was?.phase.state !== is?.phase.state
}
