import type { ReactNode } from 'react'
import type { AlertMark, MarkKind } from '../lib/alert-marks.ts'
import { toHealthImpact, toSeverity, type AlertState, type HealthImpact, type Severity } from '../lib/severity.ts'
import { Shape, type ShapeName } from './shapes.tsx'

/** Severity, health impact and state of an alert: each a shape, a word and, where it means something, a colour. */

const SEVERITY_SHAPES: Readonly<Record<Severity, ShapeName>> = {
  critical: 'triangle',
  warning: 'diamond',
  info: 'disc',
  none: 'dash',
}

export function SeverityMark({ severity }: { readonly severity: string }): ReactNode {
  const known = toSeverity(severity)
  return (
    <span className={`severity severity-${known}`}>
      <Shape name={SEVERITY_SHAPES[known]} />
      <span className="severity-word">{known}</span>
    </span>
  )
}

/** The number of alerts of one severity, as `4 critical`. */
export function SeverityCount({ severity, count }: { readonly severity: Severity; readonly count: string }): ReactNode {
  return (
    <span className={`severity-count tone-${severity}`}>
      <Shape name={SEVERITY_SHAPES[severity]} />
      {count} {severity}
    </span>
  )
}

const IMPACT_WORDS: Readonly<Record<HealthImpact, string>> = {
  critical: 'operator unhealthy',
  warning: 'operator degraded',
  none: 'no impact',
}

/** What the alert does to the operator; a ring, because it is not the severity and must not be read as one. */
export function ImpactMark({ impact }: { readonly impact: string }): ReactNode {
  const known = toHealthImpact(impact)
  return (
    <span className={`impact impact-${known}`} title={`operator_health_impact: ${known}`}>
      {known === 'none' ? null : <Shape name="ring" />}
      {IMPACT_WORDS[known]}
    </span>
  )
}

const STATE_SHAPES: Readonly<Record<AlertState, ShapeName | undefined>> = {
  firing: undefined,
  pending: 'clock',
  resolved: 'check',
}

export function StateMark({ state }: { readonly state: AlertState }): ReactNode {
  const shape = STATE_SHAPES[state]
  return (
    <span className={`state state-${state}`}>
      {shape === undefined ? null : <Shape name={shape} />}
      {state}
    </span>
  )
}

const MARK_SHAPES: Readonly<Record<MarkKind, ShapeName>> = {
  silenced: 'slash',
  acknowledged: 'eye',
  expected: 'up',
  inhibited: 'slash',
  muted: 'clock',
  external: 'out',
}

/** What keeps an alert quiet, or who is on it: each a shape and a word; the reason on hover, and read aloud. */
export function AlertMarkList({ marks }: { readonly marks: readonly AlertMark[] }): ReactNode {
  return marks.map(({ kind, word, reason }) => (
    <span key={kind} className="alert-mark" {...(reason === '' ? {} : { title: reason })}>
      <Shape name={MARK_SHAPES[kind]} />
      {word}
      {reason === '' ? null : <span className="visually-hidden">: {reason}</span>}
    </span>
  ))
}
