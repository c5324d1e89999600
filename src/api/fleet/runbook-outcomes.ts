import type { FastifyInstance } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import { groupBy } from '../../base/group-by.ts'
import { nameInLink, resolveRunbook } from '../../catalog/resolve-runbook.ts'
import { OutcomeList, OutcomesAnswer, OutcomesQuery } from '../../contract/runbook-work.ts'
import { revisionOutcomes, stepOutcomes, summaryOf } from '../../fleet/outcomes/outcome-summary.ts'
import type { StoredAlertRun } from '../../model/alert-run.ts'
import { ownRoute } from '../server/own-route.ts'
import { outcomesOf, type WorkDeps } from './outcome-facts.ts'
import { endItem, runItem, summaryItem } from './outcome-items.ts'
import { isKnownAlert } from './runbooks.ts'

const DAY_MS = 86_400_000
/** Newest occurrences that are read, of one alert and of all. */
const RUNS_MAX = 2000
const ALL_RUNS_MAX = 5000
/** Items of `worked`. */
const WORKED_MAX = 50

/** `/api/runbooks/v1/outcomes`: how alerts ended, how long people needed, and which steps of the runbook helped. */
export function registerRunbookOutcomes(app: FastifyInstance, { ports, catalog, clock }: WorkDeps): void {
  ownRoute(app, 'GET /api/runbooks/v1/outcomes', {
    summary: 'How the alerts of the last days ended, with times to acknowledge and to resolve, by alert.',
    query: OutcomesQuery,
    answer: OutcomeList,
    handler: async ({ query: { days = 30 }, request }) => {
      const nowMs = clock.nowMs()
      const used = ports(request)
      const fromMs = nowMs - days * DAY_MS
      const runs = await used.people.runs.page({ fromMs, toMs: nowMs + 1, limit: ALL_RUNS_MAX + 1 })
      const outcomes = await outcomesOf(used, runs.slice(0, ALL_RUNS_MAX), undefined, nowMs)
      const byName = groupBy(outcomes, ({ run }) => {
        const alertname = run.labels.get('alertname')
        return catalog.aliases.get(alertname) ?? alertname
      })
      const alerts = [...byName].map(([name, own]) => {
        return { name, hasRunbook: catalog.pages.has(name), summary: summaryItem(summaryOf(own, nowMs)) }
      })
      alerts.sort((a, b) => b.summary.runs - a.summary.runs || (a.name < b.name ? -1 : 1))
      return { asOfMs: nowMs, fromMs, isPartial: runs.length > ALL_RUNS_MAX, alerts }
    },
  })

  ownRoute(app, 'GET /api/runbooks/v1/outcomes/:name', {
    summary: 'How the occurrences of one alert ended, by revision of its runbook, and which steps helped.',
    path: { name: 'Name of the alert, or of its runbook.' },
    query: OutcomesQuery,
    answer: OutcomesAnswer,
    handler: async ({ params: { name: asked }, query: { days = 365 }, request }) => {
      const nowMs = clock.nowMs()
      const used = ports(request)
      const found = resolveRunbook(catalog, asked)
      const names = 'page' in found ? [found.page.name, ...found.page.aliases] : [nameInLink(asked)]
      const [name = asked] = names
      const fromMs = nowMs - days * DAY_MS
      const read = async (alertname: string): Promise<readonly StoredAlertRun[]> =>
        used.people.runs.page({ fromMs, toMs: nowMs + 1, alertname, limit: RUNS_MAX + 1 })
      const runs = (await Promise.all(names.map(read))).flat().sort((a, b) => b.firedAtMs - a.firedAtMs)
      if (!('page' in found) && runs.length === 0 && !isKnownAlert(catalog, used.people.alerts(), name)) {
        throw new FleetError('not_found', `no runbook, rule or alert is called ${JSON.stringify(asked)}`)
      }
      const [outcomes, revisions] = await Promise.all([
        outcomesOf(used, runs.slice(0, RUNS_MAX), name, nowMs),
        used.people.runbookWork.revisions(name),
      ])
      return {
        ...{ asOfMs: nowMs, fromMs, isPartial: runs.length > RUNS_MAX, name },
        summary: summaryItem(summaryOf(outcomes, nowMs)),
        revisions: revisionOutcomes(outcomes, revisions, nowMs).map(({ revision, fromMs: sinceMs, summary }) => {
          return { revision: revision ?? null, fromMs: sinceMs ?? null, summary: summaryItem(summary) }
        }),
        steps: stepOutcomes(outcomes, revisions).map(({ interval, ...step }) => ({
          ...step,
          interval: interval ?? null,
        })),
        worked: outcomes
          .filter(({ entries }) => entries.length > 0)
          .slice(0, WORKED_MAX)
          .map(({ run, end, steps }) => {
            const step = end?.step === undefined ? undefined : steps.get(end.step)
            return { run: runItem(run), end: endItem(end), stepText: step?.text ?? null }
          }),
      }
    },
  })
}
