/** Stages that hold back single alerts of a group that is due: they are grouped and shown with the reason, and not sent. */
import { eachInSteps } from '../base/thread-slices.ts'
import type { Alert } from '../model/alert.ts'
import { decide, type NotifyReason, type PipelineState, type Stage, type PipelineAlert } from './pipeline-state.ts'
import type { ExpectedMark } from './ports.ts'
import type { Route } from './route.ts'
import { namesHoldingAt } from './time-interval.ts'

/** Another firing alert inhibits it. */
export const inhibited = holdingBack(
  (state) =>
    ({ labels }) =>
      because('inhibited_by', state.inhibitor.inhibitedBy(labels)),
)

/** A healthy upgrade explains it. The resolution of such an occurrence is not sent either. */
export const expectedInUpgrade = holdingBack((state, _route, nowMs) => (alert) => {
  const entry = state.alerts.get(alert.fingerprint)
  const mark = expectedMark(state, alert, nowMs)
  if (mark !== undefined) {
    if (entry !== undefined) entry.expectedRunMs = alert.activeAtMs
    return because('expected_in_upgrade', [mark.title, `phase ${mark.phase}`])
  }
  if (entry?.expectedRunMs === alert.activeAtMs && alert.state === 'resolved') {
    return because('expected_in_upgrade', ['the alert resolved before the first notification'])
  }
  if (entry !== undefined) entry.expectedRunMs = undefined
  return undefined
})

/** The route is muted now, or not active. */
export const muted = holdingBack((state, route, nowMs) => {
  const reason = because('muted_by', mutedBy(state, route, nowMs))
  return () => reason
})

/** A silence of a user matches it. */
export const silenced = holdingBack((state, _route, nowMs) => ({ labels }) => {
  return because('silenced_by', state.silences.silencedBy(labels, nowMs))
})

/** Names of the mute intervals that hold, or of the active ones when none of them does. */
export function mutedBy(
  { config: { intervals } }: PipelineState,
  { muteTimeIntervals, activeTimeIntervals }: Route,
  nowMs: number,
): readonly string[] {
  const isActive = activeTimeIntervals.length === 0 || namesHoldingAt(activeTimeIntervals, intervals, nowMs).length > 0
  return isActive ? namesHoldingAt(muteTimeIntervals, intervals, nowMs) : activeTimeIntervals
}

export function expectedMark({ upgrades }: PipelineState, alert: Alert, nowMs: number): ExpectedMark | undefined {
  return alert.state === 'firing' ? upgrades.expectedFor(alert, nowMs) : undefined
}

/** A stage from a function that returns the reason to hold back an alert of a route, or `undefined` to let it pass. */
function holdingBack(
  reasonsFor: (state: PipelineState, route: Route, nowMs: number) => (alert: PipelineAlert) => string | undefined,
): Stage {
  return function* (state, { flushes, nowMs }) {
    for (const flush of flushes) {
      yield
      const { route } = flush.group
      const reasonOf = reasonsFor(state, route, nowMs)
      const passing: PipelineAlert[] = []
      yield* eachInSteps(flush.passing, (alert) => {
        const reason = reasonOf(alert)
        if (reason === undefined) passing.push(alert)
        else decide(state, alert.fingerprint, { receiver: route.receiver, sends: false, reason, atMs: nowMs })
      })
      flush.passing = passing
    }
  }
}

/** `silenced_by: <id>, <id>`; `undefined` without a cause. */
function because(reason: NotifyReason, causes: readonly string[]): string | undefined {
  return causes.length === 0 ? undefined : `${reason}: ${causes.join(', ')}`
}
