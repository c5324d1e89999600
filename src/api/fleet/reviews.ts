import type { FastifyInstance } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import { escapeLink } from '../../base/quoting.ts'
import { ReviewAnswer } from '../../contract/runbook-work.ts'
import { UPGRADE_WINDOW_MS } from '../../fleet/outcomes/end-cause.ts'
import { UPGRADE_START_BEFORE_MS, type OutcomeRun } from '../../fleet/outcomes/outcome-runs.ts'
import { nameOf, reviewOf, type Review, type ReviewDelivery } from '../../fleet/outcomes/review.ts'
import { reviewMarkdown, type ReviewLinks } from '../../fleet/outcomes/review-markdown.ts'
import type { StoredAlertRun } from '../../model/alert-run.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { ownRoute } from '../server/own-route.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import type { ApiNotify } from './deliveries.ts'
import { outcomesOf, type WorkDeps, type WorkPorts } from './outcome-facts.ts'
import { endItem, runItem } from './outcome-items.ts'
import { occurrence, OCCURRENCE } from './runbook-work.ts'

interface ReviewPorts extends WorkPorts {
  readonly notify: Pick<ApiNotify, 'deliveries'>
}

interface ReviewDeps extends WorkDeps {
  readonly ports: PortsOf<ReviewPorts>
  /** Empty: links are paths. */
  readonly externalUrl: string
}

/** Alerts of the review of an upgrade, and notifications of one alert. */
const ALERTS_MAX = 100
const DELIVERIES_MAX = 100
/** Upgrades of the review of an alert. */
const UPGRADES_MAX = 20

/** `/api/runbooks/v1/reviews`: a post-incident review of an alert or of an upgrade, as Markdown and as data. */
export function registerReviews(app: FastifyInstance, deps: ReviewDeps): void {
  const { ports, clock } = deps

  ownRoute(app, 'GET /api/runbooks/v1/reviews/alerts/:fingerprint/:activeAtMs', {
    summary: 'Post-incident review of one occurrence of an alert: timeline, work, what ended it; Markdown and data.',
    path: OCCURRENCE,
    answer: ReviewAnswer,
    handler: async ({ params, request }) => {
      const used = ports(request)
      const run = await occurrence(used.people, params)
      const nowMs = clock.nowMs()
      const upgrades = await upgradesAround(used, run, nowMs)
      const title = `Review of ${nameOf({ run })}`
      return answerOf(deps, await review(used, title, [run], upgrades, [], nowMs), fileNameOf(run))
    },
  })

  ownRoute(app, 'GET /api/runbooks/v1/reviews/upgrades/:id', {
    summary: 'Post-incident review of an upgrade with the alerts of its cluster during it; Markdown and data.',
    path: { id: 'ID of the upgrade.' },
    answer: ReviewAnswer,
    handler: async ({ params: { id }, request }) => {
      const used = ports(request)
      const nowMs = clock.nowMs()
      const record = await used.fleet({ nowMs }).upgrade(id)
      if (record === undefined) throw new FleetError('not_found', `no upgrade has the id ${JSON.stringify(id)}`)
      const { cluster, operator, to, startedMs, endedMs } = record.upgrade
      const [fromMs, toMs] = [startedMs ?? endedMs ?? nowMs, (endedMs ?? nowMs) + UPGRADE_WINDOW_MS]
      const runs = await used.people.runs.page({ fromMs, toMs, cluster, limit: ALERTS_MAX + 1 })
      const unknown = [
        ...(startedMs === undefined
          ? ['The start of the upgrade is not known: alerts before its end are missing.']
          : []),
        ...(runs.length > ALERTS_MAX ? [`Only the newest ${ALERTS_MAX} alerts of the upgrade are listed.`] : []),
      ]
      const title = `Review of the upgrade of ${operator} to ${to} on ${cluster}`
      const made = await review(used, title, runs.slice(0, ALERTS_MAX), [record], unknown, nowMs)
      return answerOf(deps, made, `review-upgrade-${cluster}-${to}`)
    },
  })
}

async function review(
  ports: ReviewPorts,
  title: string,
  runs: readonly StoredAlertRun[],
  upgrades: readonly UpgradeRecord[],
  unknown: readonly string[],
  nowMs: number,
): Promise<Review> {
  const oldestFirst = [...runs].sort((a, b) => a.firedAtMs - b.firedAtMs)
  const alerts = await outcomesOf(ports, oldestFirst, undefined, nowMs)
  const deliveries = new Map<number, ReviewDelivery>()
  for (const fingerprint of new Set(runs.map((run) => run.fingerprint))) {
    const found = await ports.notify.deliveries.list({ fingerprint, limit: DELIVERIES_MAX })
    for (const delivery of found) deliveries.set(delivery.id, delivery)
  }
  return reviewOf({ title, alerts, upgrades, deliveries: [...deliveries.values()], unknown }, nowMs)
}

/** Upgrades of the cluster that ran while the alert fired, or shortly before. */
async function upgradesAround(
  { fleet }: WorkPorts,
  { labels, activeAtMs, resolvedAtMs }: StoredAlertRun,
  nowMs: number,
): Promise<readonly UpgradeRecord[]> {
  const cluster = clusterOf(labels)
  if (cluster === '') return []
  const records = await fleet({ nowMs }).upgrades({
    ...{ cluster, fromMs: activeAtMs - UPGRADE_START_BEFORE_MS, toMs: resolvedAtMs ?? nowMs },
    ...{ sort: 'started', isDescending: true, limit: UPGRADES_MAX },
  })
  return records.filter(
    ({ upgrade: { endedMs } }) => endedMs === undefined || endedMs >= activeAtMs - UPGRADE_WINDOW_MS,
  )
}

function fileNameOf({ labels, firedAtMs }: StoredAlertRun): string {
  return `review-${labels.get('alertname')}-${clusterOf(labels)}-${new Date(firedAtMs).toISOString().slice(0, 16)}`
}

function answerOf({ externalUrl }: ReviewDeps, made: Review, name: string): ReviewAnswer {
  const links: ReviewLinks = {
    alert: ({ fingerprint, activeAtMs }) =>
      `${externalUrl.replace(/\/$/, '')}/alerts/review/${escapeLink(fingerprint)}/${activeAtMs}`,
    upgrade: (id) => `${externalUrl.replace(/\/$/, '')}/fleet/upgrades/${escapeLink(id)}`,
  }
  const { title, asOfMs, alerts, upgrades, timeline, unknown } = made
  return {
    fileName: name
      .replace(/[^A-Za-z0-9.]+/g, '-')
      .replace(/-+$/, '')
      .slice(0, 120),
    markdown: reviewMarkdown(made, links),
    review: {
      ...{ title, asOfMs, unknown },
      alerts: alerts.map((one) => alertItem(one, links)),
      upgrades: upgrades.map(({ upgrade: { id, cluster, operator, from, to, state, startedMs, endedMs } }) => {
        const times = { startedMs: startedMs ?? null, endedMs: endedMs ?? null }
        return { ...{ id, cluster, operator, from: from ?? null, to, state }, ...times, link: links.upgrade(id) }
      }),
      timeline: timeline.map(({ by, ...event }) => ({ ...event, by: by ?? null })),
    },
  }
}

function alertItem({ run, revision, acknowledged, end }: OutcomeRun, links: ReviewLinks) {
  const { firedAtMs, resolvedAtMs } = run
  const secondsTo = (ms: number | undefined): number | null =>
    ms === undefined ? null : Math.max(0, ms - firedAtMs) / 1000
  return {
    run: runItem(run),
    summary: run.annotations['summary'] ?? '',
    ...{ revision: revision ?? null, acknowledged: acknowledged ?? null, end: endItem(end) },
    ...{ acknowledgeSeconds: secondsTo(acknowledged?.atMs), resolveSeconds: secondsTo(resolvedAtMs) },
    link: links.alert(run),
  }
}
