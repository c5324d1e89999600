import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { groupBy } from '../../base/group-by.ts'
import { AlertRuns, AlertStrips, AuditEntries, type AlertRun } from '../../contract/alert-history.ts'
import type { AlertRunPlace, AlertRunSpan, StoredAlertRun } from '../../model/alert-run.ts'
import { severityOf } from '../../model/alert.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import { paramsOf, type Params } from '../prometheus/params.ts'
import { cutPage, opaque, partsOf } from './cursor.ts'
import { ownRoute } from '../server/own-route.ts'
import { pick } from './query.ts'
import type { ApiPeople } from './people.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** The history of alerts: stored occurrences, when they fired, and the audit of user actions. */

export const optionalText = (description: string) => Type.Optional(Type.String({ description }))
const optionalNumber = (description: string) => Type.Optional(Type.Number({ description }))
export const LOOSE_PAGE = {
  limit: optionalNumber('Maximum number of items per page.'),
  cursor: optionalText('`nextCursor` of the previous page.'),
} as const

const PAGE_DEFAULT = 100
const PAGE_MAX = 1000
const STRIP_FINGERPRINTS_MAX = 500
const STRIP_BLOCKS_MAX = 500
const HOUR_MS = 3_600_000
const WINDOW_DEFAULT_MS = 7 * 24 * HOUR_MS

export function registerAlertHistory(
  app: FastifyInstance,
  ports: PortsOf<{ readonly people: ApiPeople }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/alerts/history', {
    summary: 'Occurrences of alerts, newest first.',
    documentedQuery: Type.Object({
      fromMs: optionalNumber('Milliseconds since the epoch; default: 7 days ago.'),
      toMs: optionalNumber('Milliseconds since the epoch; default: now.'),
      alertname: optionalText('Alert name.'),
      cluster: optionalText('Cluster name.'),
      fingerprint: optionalText('Fingerprint of the alert.'),
      ...LOOSE_PAGE,
    }),
    answer: AlertRuns,
    handler: async ({ request }) => {
      const params = paramsOf(request)
      const limit = numberParam(params, 'limit', PAGE_DEFAULT, 1, PAGE_MAX)
      const toMs = numberParam(params, 'toMs', clock.nowMs() + 1)
      const fromMs = numberParam(params, 'fromMs', toMs - WINDOW_DEFAULT_MS)
      const cursor = params.get('cursor')
      const runs = await ports(request).people.runs.page({
        fromMs,
        toMs,
        ...textParam(params, 'alertname'),
        ...textParam(params, 'cluster'),
        ...textParam(params, 'fingerprint'),
        limit: limit + 1, // one more shows whether there is a next page
        ...(cursor === '' ? {} : { after: readCursor(cursor) }),
      })
      const { shown, last } = cutPage(runs, limit)
      return { runs: shown.map(runView), ...(last !== undefined && { nextCursor: writeCursor(last) }) }
    },
  })

  ownRoute(app, 'GET /api/fleet/v1/alerts/strip', {
    summary: 'Share of each time interval in which alerts fired.',
    documentedQuery: Type.Object({
      fingerprint: Type.Optional(
        Type.Array(Type.String(), { description: 'Fingerprint of an alert; repeat the parameter for several.' }),
      ),
      hours: optionalNumber('Length of the range in hours; default: 24.'),
      blocks: optionalNumber('Number of intervals; default: 24.'),
    }),
    answer: AlertStrips,
    handler: async ({ request }) => {
      const params = paramsOf(request)
      const fingerprints = [...new Set(params.all('fingerprint'))]
      if (fingerprints.length > STRIP_FINGERPRINTS_MAX) {
        const message = `got ${fingerprints.length} fingerprints, want at most ${STRIP_FINGERPRINTS_MAX}`
        throw new FleetError('bad_request', message)
      }
      const hours = numberParam(params, 'hours', 24, 1, 24 * 366)
      const blocks = Math.floor(numberParam(params, 'blocks', 24, 1, STRIP_BLOCKS_MAX))
      const nowMs = clock.nowMs()
      const blockMs = (hours * HOUR_MS) / blocks
      const fromMs = nowMs - hours * HOUR_MS
      const spans = await ports(request).people.runs.spans(fingerprints, fromMs, nowMs)
      const byFingerprint = groupBy(spans, ({ fingerprint }) => fingerprint)
      const strips = fingerprints.map((fingerprint) => {
        const own = byFingerprint.get(fingerprint) ?? []
        const shares = Array.from({ length: blocks }, (_, i) =>
          firingShare(own, fromMs + i * blockMs, fromMs + (i + 1) * blockMs, nowMs),
        )
        return [fingerprint, shares] as const
      })
      return { fromMs, blockMs, strips: Object.fromEntries(strips) }
    },
  })

  ownRoute(app, 'GET /api/fleet/v1/audit', {
    summary: 'User actions, newest first.',
    documentedQuery: Type.Object(LOOSE_PAGE),
    answer: AuditEntries,
    handler: async ({ request }) => {
      const params = paramsOf(request)
      const limit = numberParam(params, 'limit', PAGE_DEFAULT, 1, PAGE_MAX)
      const before = params.get('cursor') === '' ? undefined : numberParam(params, 'cursor', 0)
      const { shown, last } = cutPage(await ports(request).people.audit(limit + 1, before), limit)
      return { entries: shown, ...(last !== undefined && { nextCursor: String(last.id) }) }
    },
  })
}

/** The share of [fromMs, toMs) in which at least one run fired, from 0 to 1. Runs of one alert do not overlap. */
function firingShare(spans: readonly AlertRunSpan[], fromMs: number, toMs: number, nowMs: number): number {
  let firingMs = 0
  for (const { firedAtMs, resolvedAtMs = nowMs } of spans) {
    firingMs += Math.max(0, Math.min(toMs, resolvedAtMs) - Math.max(fromMs, firedAtMs))
  }
  return Math.min(1, firingMs / (toMs - fromMs))
}

function runView(run: StoredAlertRun): AlertRun {
  const { fingerprint, labels, annotations, activeAtMs, firedAtMs } = run
  return {
    ...{ fingerprint, annotations, activeAtMs, firedAtMs },
    alertname: labels.get('alertname'),
    cluster: clusterOf(labels),
    severity: severityOf(labels),
    labels: labels.toObject(),
    ...pick(run, 'resolvedAtMs', 'acknowledgedBy', 'acknowledgedNote'),
  }
}

function writeCursor({ firedAtMs, fingerprint, activeAtMs }: AlertRunPlace): string {
  return opaque([firedAtMs, fingerprint, activeAtMs])
}

function readCursor(text: string): AlertRunPlace {
  const [firedAtMs, fingerprint, activeAtMs] = partsOf(text)
  if (typeof firedAtMs === 'number' && typeof fingerprint === 'string' && typeof activeAtMs === 'number') {
    return { firedAtMs, fingerprint, activeAtMs }
  }
  throw new FleetError('bad_request', `cursor ${JSON.stringify(text)} is not a cursor of this route`)
}

function textParam<K extends string>(params: Params, name: K): Partial<Record<K, string>> {
  const text = params.get(name)
  return text === '' ? {} : ({ [name]: text } as Record<K, string>)
}

/** Bounds are inclusive. */
function numberParam(params: Params, name: string, byDefault: number, min = 0, max = Number.MAX_SAFE_INTEGER): number {
  const text = params.get(name)
  if (text === '') return byDefault
  const value = Number(text)
  if (Number.isFinite(value) && value >= min && value <= max) return Math.round(value)
  const want = max === Number.MAX_SAFE_INTEGER ? `a number of at least ${min}` : `a number from ${min} to ${max}`
  throw new FleetError('bad_request', `parameter ${name}: got ${JSON.stringify(text)}, want ${want}`)
}
