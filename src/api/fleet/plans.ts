import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import {
  CLUSTERS_AT_ONCE_DEFAULT,
  PLAN_LIMIT_DEFAULT,
  PlanAnswer,
  PlanRequest,
  type ClusterPlanItem,
  type PlanScheduleItem,
  type PlanStepItem,
} from '../../contract/fleet-plans.ts'
import { planCalendar } from '../../fleet/plan/calendar.ts'
import { PLAN_CLUSTERS_MAX } from '../../fleet/plan/fleet-plan.ts'
import { weeklyWindowOf, WINDOW_FORM } from '../../fleet/plan/maintenance-windows.ts'
import { planMarkdown } from '../../fleet/plan/markdown.ts'
import type { PlanQuery } from '../../fleet/plan/plan-query.ts'
import { TARGET_FORM, targetOf } from '../../fleet/plan/target.ts'
import { timeZoneOf } from '../../fleet/plan/time-zone.ts'
import type { ClusterPlan, FleetPlan, PlanSchedule, PlanStep } from '../../model/plan.ts'
import { fewAtOnce } from './few-at-once.ts'
import { knownOrNull, timeOf } from './items.ts'
import { fleetAt } from './moment.ts'
import { msOf, pick } from './query.ts'
import { ownRoute } from '../server/own-route.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** Each plan keeps the query worker busy for up to seconds. */
const PLANS_MAX = 4

/** Plans of upgrades: computed for the request, and not stored. */
export function registerFleetPlans(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  const limited = fewAtOnce(PLANS_MAX, 'plans are computed')
  ownRoute(app, 'POST /api/fleet/v1/plans', {
    summary: 'Plan of an upgrade: path, steps and durations of each cluster, and the schedule of all.',
    body: PlanRequest,
    lane: 'query',
    answer: PlanAnswer,
    handler: ({ body, request }) =>
      limited(async () => {
        const { view, nowMs, listHead } = fleetAt(ports(request).fleet, clock, undefined)
        const [plan, head] = await Promise.all([view.plan(queryOf(body, nowMs)), listHead([])])
        if (plan.selected >= PLAN_CLUSTERS_MAX) {
          throw new FleetError('bad_request', `the selector matches ${plan.selected} clusters or more`, {
            hint: `a plan has fewer than ${PLAN_CLUSTERS_MAX}`,
          })
        }
        return { ...head, ...planItem(plan), export: exportOf(plan, body.export, nowMs) }
      }),
  })
}

/** Throws `bad_request`. */
function queryOf(body: PlanRequest, nowMs: number): PlanQuery {
  const { target, selector = {}, windows = [], timeZone = 'UTC', start, limit = PLAN_LIMIT_DEFAULT } = body
  const { version, state, cluster } = selector
  if (targetOf(target) === undefined) throw wrong('target', target, TARGET_FORM)
  if (timeZoneOf(timeZone) === undefined) throw wrong('timeZone', timeZone, 'an IANA time zone such as Europe/Prague')
  const invalid = windows.find((text) => weeklyWindowOf(text) === undefined)
  if (invalid !== undefined) throw wrong('windows', invalid, WINDOW_FORM)
  const startMs = start === undefined ? nowMs : msOf(start)
  if (!Number.isFinite(startMs)) throw wrong('start', start ?? '', 'a time such as 2026-11-21T23:38:01Z')
  return {
    filter: {
      ...pick(selector, 'channel', 'platform', 'flavour', 'region', 'text'),
      ...(version === undefined || version.length === 0 ? {} : { versions: version }),
      ...(state === undefined || state.length === 0 ? {} : { states: state }),
    },
    ...(cluster === undefined || cluster.length === 0 ? {} : { clusters: cluster }),
    ...{ target, windows, timeZone, limit },
    clustersAtOnce: body.clustersAtOnce ?? CLUSTERS_AT_ONCE_DEFAULT,
    // A plan does not start in the past.
    startMs: Math.max(startMs, nowMs),
  }
}

function wrong(field: string, got: string, want: string): FleetError {
  return new FleetError('bad_request', `${field}: got ${JSON.stringify(got)}, want ${want}`)
}

function exportOf(plan: FleetPlan, format: PlanRequest['export'], nowMs: number): PlanAnswer['export'] {
  if (format === undefined) return null
  const name = `upgrade-to-${plan.target.replace(/[^A-Za-z0-9.]/g, '-')}`
  return format === 'markdown'
    ? { fileName: `${name}.md`, mediaType: 'text/markdown', text: planMarkdown(plan, nowMs) }
    : { fileName: `${name}.ics`, mediaType: 'text/calendar', text: planCalendar(plan, nowMs) }
}

function planItem({ target, selected, outcomes, blocked, clusters, schedule }: FleetPlan) {
  return {
    ...{ target, selected, outcomes, blocked },
    clusters: clusters.map(clusterItem),
    schedule: scheduleItem(schedule),
  }
}

function clusterItem(plan: ClusterPlan): ClusterPlanItem {
  const { cluster, outcome, summary, blockers, steps, total } = plan
  return {
    ...{ cluster, outcome, summary },
    ...knownOrNull(plan, 'installed', 'platform', 'nodes', 'vms'),
    blockers: blockers.map((one) => {
      const { name, severity, text, fix } = one
      return { name, severity, text, fix, ...knownOrNull(one, 'command') }
    }),
    steps: steps.map(stepItem),
    total: { ...knownOrNull(total, 'p50Seconds', 'p90Seconds'), unknownSteps: total.unknownSteps },
  }
}

function stepItem(step: PlanStep): PlanStepItem {
  const { kind, title, state, precondition, commands, check, onFailure, window } = step
  const { source, runs, censored, basis } = window
  return {
    ...{ kind, title, state, precondition, commands, check, onFailure },
    ...knownOrNull(step, 'from', 'to'),
    window: { source, runs, censored, basis, ...knownOrNull(window, 'p50Seconds', 'p90Seconds', 'learnedFrom') },
  }
}

function scheduleItem(schedule: PlanSchedule): PlanScheduleItem {
  const { startMs, clustersAtOnce, windows, timeZone, waves, unknownSteps, overlongSteps, draws } = schedule
  return {
    ...{ clustersAtOnce, windows, timeZone, unknownSteps, overlongSteps, draws },
    startAt: timeOf(startMs),
    waves: waves.map(({ clusters, ...wave }) => ({
      clusters,
      startP50At: timeOf(wave.startP50Ms),
      startP90At: timeOf(wave.startP90Ms),
      endP50At: timeOf(wave.endP50Ms),
      endP90At: timeOf(wave.endP90Ms),
    })),
    endP50At: timeOf(schedule.endP50Ms),
    endP90At: timeOf(schedule.endP90Ms),
  }
}
