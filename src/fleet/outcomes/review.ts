/**
 * A post-incident review: what happened to one occurrence of an alert, or to all of one upgrade, in the order of time, with what ended
 * them. Only what is recorded; what is missing is named. Pure.
 */
import type { StoredDelivery } from '../../model/delivery.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { durationText } from './end-cause.ts'
import type { OutcomeRun } from './outcome-runs.ts'

export interface ReviewEvent {
  readonly atMs: number
  readonly kind: 'alert' | 'notification' | 'acknowledgement' | 'step' | 'note' | 'outcome' | 'upgrade'
  readonly text: string
  readonly by?: string
}

export interface Review {
  readonly title: string
  readonly asOfMs: number
  readonly alerts: readonly OutcomeRun[]
  readonly upgrades: readonly UpgradeRecord[]
  /** Oldest first. */
  readonly timeline: readonly ReviewEvent[]
  /** What is missing, in sentences. */
  readonly unknown: readonly string[]
}

export type ReviewDelivery = Pick<StoredDelivery, 'atMs' | 'receiver' | 'outcome' | 'fingerprints'>

export interface ReviewFacts {
  readonly title: string
  readonly alerts: readonly OutcomeRun[]
  readonly upgrades: readonly UpgradeRecord[]
  readonly deliveries: readonly ReviewDelivery[]
  readonly unknown: readonly string[]
}

/** Notifications so long after an alert ended are still of it. */
const NOTIFIED_AFTER_MS = 3_600_000

export function reviewOf({ title, alerts, upgrades, deliveries, unknown }: ReviewFacts, asOfMs: number): Review {
  const timeline = [
    ...alerts.flatMap((alert) => [...alertEvents(alert), ...deliveryEvents(alert, deliveries)]),
    ...upgrades.flatMap(upgradeEvents),
  ]
  return {
    ...{ title, asOfMs, alerts, upgrades },
    timeline: timeline.sort((a, b) => a.atMs - b.atMs),
    unknown: [
      ...unknown,
      ...(alerts.some(({ entries }) => entries.length === 0)
        ? ['Of some alerts no step is recorded: the review has their times only.']
        : []),
    ],
  }
}

export function nameOf({ run }: Pick<OutcomeRun, 'run'>): string {
  const cluster = clusterOf(run.labels)
  return `${run.labels.get('alertname')}${cluster === '' ? '' : ` on ${cluster}`}`
}

function alertEvents({ run, entries, acknowledged, steps, end }: OutcomeRun): readonly ReviewEvent[] {
  const name = nameOf({ run })
  const { acknowledgedAtMs, acknowledgedBy, acknowledgedNote } = run
  const events: ReviewEvent[] = [
    { atMs: run.activeAtMs, kind: 'alert', text: `${name}: the condition started to hold` },
    { atMs: run.firedAtMs, kind: 'alert', text: `${name} fired` },
  ]
  if (acknowledgedAtMs !== undefined && acknowledgedBy !== undefined) {
    const note = acknowledgedNote === undefined ? '' : `: ${acknowledgedNote}`
    events.push({ atMs: acknowledgedAtMs, kind: 'acknowledgement', text: `acknowledged${note}`, by: acknowledgedBy })
  } else if (acknowledged !== undefined) {
    events.push({ ...acknowledged, kind: 'acknowledgement', text: 'started to record work' })
  }
  for (const { kind, step = '', text = '', by, atMs } of entries) {
    const stepText = steps.get(step)?.text ?? step
    switch (kind) {
      case 'tick':
        events.push({ atMs, kind: 'step', text: `ticked: ${stepText}`, by })
        break
      case 'untick':
        events.push({ atMs, kind: 'step', text: `removed the tick: ${stepText}`, by })
        break
      case 'helped': {
        const what = steps.get(step)?.section === 'diagnosis' ? 'found the cause' : 'marked as the fix'
        events.push({ atMs, kind: 'step', text: `${what}: ${stepText}`, by })
        break
      }
      case 'not_helped':
        events.push({ atMs, kind: 'step', text: `removed the mark: ${stepText}`, by })
        break
      case 'note':
        events.push({ atMs, kind: 'note', text, by })
        break
      case 'end':
        events.push({ atMs, kind: 'outcome', text: `stated what ended the alert: ${causeText(text)}`, by })
        break
    }
  }
  if (run.resolvedAtMs !== undefined) {
    const after = durationText(run.resolvedAtMs - run.firedAtMs)
    const cause = end === undefined ? '' : `; ended by: ${causeText(end.cause)}`
    events.push({ atMs: run.resolvedAtMs, kind: 'alert', text: `${name} ended after ${after}${cause}` })
  }
  return events
}

export function causeText(cause: string): string {
  switch (cause) {
    case 'fix':
      return 'a fix'
    case 'upgrade_ended':
      return 'the end of the upgrade'
    case 'by_itself':
      return 'no intervention'
    case 'derived':
      return 'as derived (statement withdrawn)'
    default:
      return 'unknown'
  }
}

function deliveryEvents({ run }: OutcomeRun, deliveries: readonly ReviewDelivery[]): readonly ReviewEvent[] {
  const untilMs = (run.resolvedAtMs ?? Infinity) + NOTIFIED_AFTER_MS
  return deliveries
    .filter(
      ({ fingerprints, atMs }) => fingerprints.includes(run.fingerprint) && atMs >= run.activeAtMs && atMs <= untilMs,
    )
    .map(({ atMs, receiver, outcome }) => {
      return { atMs, kind: 'notification', text: `notification to ${receiver}: ${outcome} (${nameOf({ run })})` }
    })
}

function upgradeEvents({ upgrade }: UpgradeRecord): readonly ReviewEvent[] {
  const { operator, from, to, cluster, startedMs, endedMs, state, phases } = upgrade
  const name = `upgrade of ${operator} on ${cluster}${from === undefined ? '' : ` from ${from}`} to ${to}`
  const at = (atMs: number | undefined, text: string): readonly ReviewEvent[] =>
    atMs === undefined ? [] : [{ atMs, kind: 'upgrade', text }]
  return [
    ...at(startedMs, `${name} started`),
    ...phases.flatMap((phase) => [
      ...at(phase.startedMs, `phase ${phase.name} started`),
      ...at(phase.endedMs, `phase ${phase.name} ended (${phase.state.replaceAll('_', ' ')})`),
    ]),
    ...at(endedMs, `${name} ended (${state.replaceAll('_', ' ')})`),
  ]
}
