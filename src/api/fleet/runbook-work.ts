import type { FastifyInstance } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import { resolveRunbook } from '../../catalog/resolve-runbook.ts'
import { revisionOf } from '../../catalog/runbook-revision.ts'
import { WorkAnswer, WorkRequest } from '../../contract/runbook-work.ts'
import type { OutcomeRun } from '../../fleet/outcomes/outcome-runs.ts'
import { runKeyOf, type StoredAlertRun } from '../../model/alert-run.ts'
import type { AuditAction } from '../../model/audit.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import {
  CORRECTIONS,
  RUN_ENTRIES_MAX,
  RUN_TEXT_CHARS_MAX,
  type NewWorkEntry,
  type RunbookRevision,
  type WorkKind,
} from '../../model/runbook-work.ts'
import { ownRoute } from '../server/own-route.ts'
import { actorOf, type ApiPeople } from './people.ts'
import { outcomesOf, type WorkDeps, type WorkPorts } from './outcome-facts.ts'
import { endItem, runItem } from './outcome-items.ts'
import { timeOf } from './items.ts'
import type { RunbookCatalog } from './runbooks.ts'

export const OCCURRENCE = {
  fingerprint: 'Fingerprint of the alert: 16 hex digits, as in Alertmanager.',
  activeAtMs: 'When the occurrence started to hold: `activeAtMs` of the alert.',
} as const

/** `/api/runbooks/v1/work`: steps, notes and the outcome that people record for one occurrence of an alert. */
export function registerRunbookWork(app: FastifyInstance, { ports, catalog, clock }: WorkDeps): void {
  ownRoute(app, 'GET /api/runbooks/v1/work/:fingerprint/:activeAtMs', {
    summary: 'Work on one occurrence of an alert: steps, notes, and what ended it.',
    path: OCCURRENCE,
    answer: WorkAnswer,
    handler: async ({ params, request }) => {
      const used = ports(request)
      return workAnswer(used, catalog, await occurrence(used.people, params), clock.nowMs())
    },
  })

  ownRoute(app, 'POST /api/runbooks/v1/work/:fingerprint/:activeAtMs', {
    access: 'responder',
    summary: 'Records a step, a note, or what ended an alert.',
    path: OCCURRENCE,
    body: WorkRequest,
    answer: WorkAnswer,
    handler: async ({ params, body, request }) => {
      const used = ports(request)
      const run = await occurrence(used.people, params)
      const nowMs = clock.nowMs()
      const current = currentRevision(catalog, run)
      const known = new Set(current?.steps.map(({ key }) => key))
      if (body.step !== undefined && !known.has(body.step)) {
        // A step that was ticked under an earlier text can still be marked, or its tick removed.
        const earlier = await used.people.runbookWork.revisions(current?.runbook)
        for (const { steps } of current === undefined ? [] : earlier) for (const { key } of steps) known.add(key)
      }
      const entry = entryOf(run, current, body, known, actorOf(request, body.by), nowMs)
      const { activeAtMs, cluster, fingerprint, kind, step, text } = entry
      const detail = JSON.stringify({ activeAtMs, cluster, kind, step, text })
      const added = await used.people.runbookWork.add(entry, body.seen, {
        ...{ atMs: nowMs, by: entry.by, action: ACTIONS[kind], subject: fingerprint, detail },
      })
      switch (added.kind) {
        case 'conflict':
          throw new FleetError('conflict', `${added.by} recorded the opposite at ${timeOf(added.atMs)}`, {
            hint: 'read the work again, and repeat the change if it still applies',
          })
        case 'run_full':
          throw new FleetError(
            'bad_request',
            `the alert has ${RUN_ENTRIES_MAX} entries or ${RUN_TEXT_CHARS_MAX} characters of notes, which is the limit`,
          )
        case 'full':
          throw new FleetError('storage_full', 'the limit for work on all alerts is reached', {
            hint: 'entries are removed with their alerts: a shorter retention.alerts makes room',
          })
        case 'added':
        case 'same':
          return workAnswer(used, catalog, run, nowMs)
      }
    },
  })
}

const ACTIONS: Readonly<Record<WorkKind, AuditAction>> = {
  tick: 'runbook.step',
  untick: 'runbook.step',
  helped: 'runbook.step',
  not_helped: 'runbook.step',
  note: 'runbook.note',
  end: 'runbook.outcome',
}

/** The stored occurrence, or one of an alert that is not stored yet: a pending one. Throws `not_found`. */
export async function occurrence(
  people: ApiPeople,
  { fingerprint, activeAtMs: text }: Readonly<Record<keyof typeof OCCURRENCE, string>>,
): Promise<StoredAlertRun> {
  const activeAtMs = /^\d{1,15}$/.test(text) ? Number(text) : NaN
  const key = { fingerprint, activeAtMs }
  const stored = Number.isNaN(activeAtMs) ? undefined : await people.runs.one(key)
  if (stored !== undefined) return stored
  const alert = people.alerts().find((one) => runKeyOf(one) === runKeyOf(key))
  if (alert === undefined) {
    throw new FleetError('not_found', `no alert ${fingerprint} has been active since ${text}`, {
      hint: 'occurrences are in /api/fleet/v1/alerts/history',
    })
  }
  const { labels, annotations, firedAtMs = activeAtMs } = alert
  const acknowledged = people.acknowledgements.of(key)
  return {
    ...{ fingerprint, labels, annotations, activeAtMs, firedAtMs },
    ...(acknowledged && { acknowledgedBy: acknowledged.by, acknowledgedAtMs: acknowledged.atMs }),
  }
}

/** `undefined`: the alert has no runbook. */
export function currentRevision(catalog: RunbookCatalog, run: StoredAlertRun) {
  const found = resolveRunbook(catalog, run.labels.get('alertname'))
  return 'page' in found ? revisionOf(found.page) : undefined
}

/** Throws `bad_request` for an entry that means nothing. */
function entryOf(
  run: StoredAlertRun,
  current: Omit<RunbookRevision, 'fromMs'> | undefined,
  { kind, step, text = '' }: WorkRequest,
  known: ReadonlySet<string>,
  by: string,
  atMs: number,
): NewWorkEntry {
  const refuse = (got: string, want: string): FleetError => new FleetError('bad_request', `got ${got}, want ${want}`)
  const isOfStep = kind !== 'note' && kind !== 'end'
  if (isOfStep && step === undefined) throw refuse(`${kind} without step`, 'the key of a step')
  if (kind === 'note' && step !== undefined) throw refuse('a note with a step', 'a note alone')
  if (step !== undefined && !known.has(step)) {
    throw new FleetError('bad_request', `the runbook has no step ${JSON.stringify(step)}`, {
      hint: 'the runbook has changed: read the page again',
    })
  }
  const written = text.trim()
  if (kind === 'note' && written === '') throw refuse('an empty note', 'a text')
  if (isOfStep && written !== '') throw refuse(`${kind} with a text`, 'the step alone')
  if (kind === 'end') {
    if (!CORRECTIONS.some((cause) => cause === written)) {
      throw refuse(`the cause ${JSON.stringify(written)}`, CORRECTIONS.join(', '))
    }
    if (step !== undefined && written !== 'fix') throw refuse(`a step with the cause ${written}`, 'a step with fix')
  }
  const { fingerprint, activeAtMs, labels } = run
  return {
    ...{ fingerprint, activeAtMs, cluster: clusterOf(labels), alertname: labels.get('alertname') },
    ...{ runbook: current?.runbook ?? '', revision: current?.revision ?? '', atMs, by, kind },
    ...(step === undefined ? {} : { step }),
    ...(isOfStep ? {} : { text: written }),
  }
}

async function workAnswer(
  ports: WorkPorts,
  catalog: RunbookCatalog,
  run: StoredAlertRun,
  nowMs: number,
): Promise<WorkAnswer> {
  const current = currentRevision(catalog, run)
  const [outcome] = await outcomesOf(ports, [run], current?.runbook, nowMs)
  return workItem(outcome!, current, nowMs)
}

function workItem(
  { run, work, steps, acknowledged, end }: OutcomeRun,
  current: Omit<RunbookRevision, 'fromMs'> | undefined,
  nowMs: number,
): WorkAnswer {
  const own = current?.steps ?? []
  const isOwn = new Set(own.map(({ key }) => key))
  const earlier = [...work.steps.keys()]
    .filter((key) => !isOwn.has(key))
    .map((key) => steps.get(key) ?? ({ key, section: 'mitigation', text: key } as const))
  return {
    asOfMs: nowMs,
    run: runItem(run),
    ...{ runbook: current?.runbook ?? null, revision: current?.revision ?? null },
    steps: [...own, ...earlier].map((step) => {
      const { ticked = null, helped = null } = work.steps.get(step.key) ?? {}
      return { ...step, ticked, helped, isCurrent: isOwn.has(step.key) }
    }),
    ...{ notes: work.notes, acknowledged: acknowledged ?? null, end: endItem(end), seen: work.seen },
  }
}
