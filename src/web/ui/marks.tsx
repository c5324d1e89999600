import type { ReactNode } from 'react'
import type { AlertMark, MarkKind } from '../lib/alert-marks.ts'
import { toHealthImpact, toSeverity, type AlertState, type HealthImpact, type Severity } from '../lib/severity.ts'
import { classNames } from './class-names.ts'
import { Shape, type ShapeName } from './shapes.tsx'

/** Severity, health impact and state of an alert: each a shape, a word and, where it means something, a color. */

export interface Look {
  readonly shape?: ShapeName
  readonly tone?: string
}

interface MarkProps extends Look {
  readonly title?: string | undefined
  readonly children: ReactNode
}

/** A shape and words on one line. */
export function Mark({ shape, tone, title, children }: MarkProps): ReactNode {
  return (
    <span className={classNames('mark', tone)} title={title}>
      {shape === undefined ? null : <Shape name={shape} />}
      {children}
    </span>
  )
}

const SEVERITY_SHAPES: Readonly<Record<Severity, ShapeName>> = {
  critical: 'triangle',
  warning: 'diamond',
  info: 'disc',
  none: 'dash',
}

export function SeverityMark({ severity }: { readonly severity: string }): ReactNode {
  const known = toSeverity(severity)
  return (
    <Mark shape={SEVERITY_SHAPES[known]} tone={`severity severity-${known} tone-${known}`}>
      <span className="severity-word">{known}</span>
    </Mark>
  )
}

/** The number of alerts of one severity, as `4 critical`. */
export function SeverityCount({ severity, count }: { readonly severity: Severity; readonly count: string }): ReactNode {
  return (
    <Mark shape={SEVERITY_SHAPES[severity]} tone={`tone-${severity}`}>
      {count} {severity}
    </Mark>
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
  const look: Look = known === 'none' ? { tone: 'quiet' } : { shape: 'ring', tone: `impact-${known}` }
  return (
    <Mark {...look} title={`operator_health_impact: ${known}`}>
      {IMPACT_WORDS[known]}
    </Mark>
  )
}

const ALERT_LOOKS: Readonly<Record<AlertState, Look>> = {
  firing: {},
  pending: { shape: 'clock', tone: 'quiet' },
  resolved: { shape: 'check', tone: 'tone-good text-strong' },
}

export function StateMark({ state }: { readonly state: AlertState }): ReactNode {
  return <Mark {...ALERT_LOOKS[state]}>{state}</Mark>
}

const MARK_SHAPES: Readonly<Record<MarkKind, ShapeName>> = {
  silenced: 'slash',
  acknowledged: 'eye',
  expected: 'up',
  inhibited: 'slash',
  muted: 'clock',
  external: 'out',
}

/** What keeps an alert from notifying, or who handles it: each a shape and a word; the reason on hover and for screen readers. */
export function AlertMarkList({ marks }: { readonly marks: readonly AlertMark[] }): ReactNode {
  return marks.map(({ kind, word, reason }) => (
    <Mark key={kind} shape={MARK_SHAPES[kind]} tone="quiet" title={reason || undefined}>
      {word}
      {reason === '' ? null : <span className="visually-hidden">: {reason}</span>}
    </Mark>
  ))
}
