/**
 * The schedule of a plan as iCalendar (RFC 5545): one event for each maintenance window that a wave needs, from its start at p50
 * to its end at p90; without windows one event a wave. Times are UTC.
 */
import { createEvents, type EventAttributes } from 'ics'
import { invariant } from '../../base/invariant.ts'
import type { FleetPlan, PlanWave } from '../../model/plan.ts'
import { weeklyWindowOf, windowSpans, type TimeSpan } from './maintenance-windows.ts'
import { timeZoneOf } from './time-zone.ts'

/** More are left out: a calendar with thousands of entries is not useful. */
export const EVENTS_MAX = 500
const NAMES_MAX = 50

export function planCalendar(plan: FleetPlan, asOfMs: number): string {
  const events = plan.schedule.waves
    .flatMap((wave, i) => spansOf(plan, wave).map((span, part) => eventOf(plan, { wave, i, span, part, asOfMs })))
    .slice(0, EVENTS_MAX)
  // The library makes no calendar without events.
  if (events.length === 0) return EMPTY
  const { value, error } = createEvents(events, { productId: 'daytwo/plan', calName: `Upgrade to ${plan.target}` })
  invariant(value !== null, `the events of a plan are valid: ${error?.message ?? ''}`)
  return value
}

const EMPTY = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:daytwo/plan', 'END:VCALENDAR', ''].join('\r\n')

/** A wave that ends beyond the horizon has no event. */
function spansOf({ schedule }: FleetPlan, { startP50Ms, endP90Ms }: PlanWave): readonly TimeSpan[] {
  if (startP50Ms === undefined || endP90Ms === undefined || endP90Ms <= startP50Ms) return []
  const whole = { startMs: startP50Ms, endMs: endP90Ms }
  const zone = timeZoneOf(schedule.timeZone)
  const weekly = schedule.windows.flatMap((text) => weeklyWindowOf(text) ?? [])
  if (zone === undefined || weekly.length === 0) return [whole]
  const spans = windowSpans(weekly, zone, startP50Ms, endP90Ms)
  // A step that is longer than its window runs on after the end: the last event covers it.
  return spans.map(({ startMs, endMs }, i) => {
    const isLast = i === spans.length - 1
    return { startMs, endMs: isLast ? Math.max(startMs + 60_000, endP90Ms) : Math.min(endMs, endP90Ms) }
  })
}

interface EventParts {
  readonly wave: PlanWave
  readonly i: number
  readonly span: TimeSpan
  readonly part: number
  readonly asOfMs: number
}

function eventOf({ target, schedule }: FleetPlan, { wave, i, span, part, asOfMs }: EventParts): EventAttributes {
  const { clusters } = wave
  const more = clusters.length > NAMES_MAX ? ` and ${clusters.length - NAMES_MAX} more` : ''
  const textOf = (ms: number | undefined): string => (ms === undefined ? 'unknown' : new Date(ms).toISOString())
  // The types of the library lack the time stamp, which otherwise is the time of its loading.
  const event: EventAttributes & { readonly timestamp: number } = {
    startInputType: 'utc',
    startOutputType: 'utc',
    endInputType: 'utc',
    endOutputType: 'utc',
    start: span.startMs,
    end: span.endMs,
    title: `Upgrade to ${target}: wave ${i + 1} of ${schedule.waves.length} (${clusters.length} clusters)`,
    description: `Clusters: ${clusters.slice(0, NAMES_MAX).join(', ')}${more}\nEnd p50 ${textOf(wave.endP50Ms)}, p90 ${textOf(wave.endP90Ms)}`,
    uid: `daytwo-plan-${schedule.startMs}-${target.replace(/[^A-Za-z0-9.]/g, '-')}-${i + 1}-${part + 1}@daytwo`,
    timestamp: asOfMs,
    categories: ['maintenance'],
    busyStatus: 'BUSY',
  }
  return event
}
