import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { sortInSteps } from '../../base/sort-in-steps.ts'
import { eachInSteps, inSlices, ownTurn, type Steps } from '../../base/thread-slices.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import type { AlertMarks } from '../../contract/alerts.ts'
import type { Erasures } from '../../fleet/clusters/erasures.ts'
import { CLUSTER_ALIASES, CLUSTER_LABEL } from '../../model/cluster-identity.ts'
import type { Labels } from '../../model/labels.ts'
import { compileMatchers } from '../../model/matcher-text.ts'
import type { ShareLimit } from '../../notify/alert-shares.ts'
import { isExternal, type PostedAlert } from '../../notify/external-alert.ts'
import { compareByLabels, generatorUrl } from '../../notify/message.ts'
import { REPEATS_UNTIL_END } from '../../notify/receivers/alertmanager.ts'
import type { AlertGroup } from '../../notify/pipeline-state.ts'
import { marksReader } from '../fleet/alert-marks.ts'
import { ownerOf } from '../server/access.ts'
import { VALUES_OF_ALERT } from '../server/pieces.ts'
import {
  filterParam,
  flagParam,
  goKind,
  isRecord,
  jsonBody,
  readTime,
  receiverParam,
  Refused,
  sendJson,
  sendList,
  ShapeError,
  timeText,
  unreadable,
} from './http.ts'
import { RETRY_AFTER_SECONDS } from '../server/error-handler.ts'
import { paramsOf, type Params } from '../prometheus/params.ts'
import type { AnyAlert } from '../../notify/alerts.ts'
import type { ApiPeople } from '../fleet/people.ts'
import type { PipelineView } from '../../notify/pipeline.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** Alertmanager's `/api/v2/alerts` and `/api/v2/alerts/groups`. Facts: wire.md 7.1. */
export interface AlertmanagerDeps {
  readonly ports: PortsOf<AlertmanagerPorts>
  readonly clock: Clock
  readonly metrics: OwnMetrics
  readonly externalUrl: string
  /** How long an external alert without an end counts as firing. */
  readonly resolveTimeoutMs: () => number
}

interface AlertmanagerPorts {
  readonly people: ApiPeople
  readonly pipeline?: PipelineView
  readonly erasures: Pick<Erasures, 'refused'>
}

/** Alertmanager's `gettableAlert`. */
interface GettableAlert {
  readonly annotations: Readonly<Record<string, string>>
  readonly endsAt: string
  readonly fingerprint: string
  readonly receivers: readonly { readonly name: string }[]
  readonly startsAt: string
  readonly status: {
    readonly inhibitedBy: readonly string[]
    readonly silencedBy: readonly string[]
    readonly mutedBy: readonly string[]
    readonly state: 'active' | 'suppressed'
  }
  readonly updatedAt: string
  readonly generatorURL?: string
  readonly labels: Readonly<Record<string, string>>
}

const ERASED = 'got an alert of a cluster that was erased, want an admin to allow its data'
const NAMING: ReadonlySet<string> = new Set([CLUSTER_LABEL, ...CLUSTER_ALIASES])

/** The names that an alert has for its cluster. */
function clusterNamesOf({ labels }: PostedAlert): readonly string[] {
  return Object.entries(labels).flatMap(([name, value]) => (NAMING.has(name) ? [value] : []))
}

/** Of one request; Prometheus sends 64. */
const POSTED_ALERTS_MAX = 10_000

/** The minimum interval at which a sender repeats a firing alert. */
const REPETITION_MS = 60_000

export function registerAlertmanagerAlerts(scope: FastifyInstance, deps: AlertmanagerDeps): void {
  const { ports, clock } = deps
  const viewer = { access: 'viewer', dialect: 'alertmanager', scope: 'clusters' } as const

  scope.get('/api/v2/alerts', { config: viewer }, async (request, reply) => {
    const { people, pipeline } = ports(request)
    const params = paramsOf(request)
    const keeps = alertFilter(params)
    const isReceiver = receiverParam(params)
    const alerts = people.alerts()
    const nowMs = clock.nowMs()
    const marksOf = marksReader(people, pipeline, nowMs)
    const firing = await inSlices(firingInOrder(alerts), ownTurn)
    return sendList(reply, firing.length * VALUES_OF_ALERT, function* () {
      for (const alert of firing) {
        const marks = marksOf(alert)
        if (isReceiver !== undefined && !marks.receivers.some(isReceiver)) continue
        if (keeps(alert.labels, marks)) yield JSON.stringify(gettable(alert, marks, nowMs, deps.externalUrl))
      }
    })
  })

  scope.get('/api/v2/alerts/groups', { config: viewer }, async (request, reply) => {
    const { people, pipeline } = ports(request)
    const params = paramsOf(request)
    const keeps = alertFilter(params)
    const isReceiver = receiverParam(params) ?? (() => true)
    const withMuted = flagParam(params, 'muted', true)
    const alerts = await inSlices(firingAlerts(people.alerts()), ownTurn)
    const nowMs = clock.nowMs()
    const marksOf = marksReader(people, pipeline, nowMs)
    const groups = [...(pipeline?.groups(nowMs) ?? [])].sort(compareGroups)
    const inOrder = new Map<AlertGroup, AlertGroup['alerts']>()
    for (const group of groups) {
      inOrder.set(group, await inSlices(sortInSteps([...group.alerts], byFingerprint), ownTurn))
    }
    return sendList(reply, alerts.size * VALUES_OF_ALERT, function* () {
      for (const group of groups) {
        if (isReceiver(group.receiver) && (withMuted || group.mutedBy.length === 0)) yield groupJson(group)
      }
    })
    /** Nothing for a group without an alert that is shown. */
    function* groupJson(group: AlertGroup): Generator<string> {
      const { receiver, labels } = group
      let before = '{"alerts":['
      for (const { fingerprint } of inOrder.get(group)!) {
        const alert = alerts.get(fingerprint)
        if (alert === undefined) continue
        const marks = marksOf(alert)
        if (!keeps(alert.labels, marks)) continue
        // A filter of receivers applies to these lists too.
        const receivers = marks.receivers.filter(isReceiver).sort()
        yield before + JSON.stringify(gettable(alert, { ...marks, receivers }, nowMs, deps.externalUrl))
        before = ','
      }
      if (before === ',')
        yield `],${JSON.stringify({ labels: labels.toObject(), receiver: { name: receiver } }).slice(1)}`
    }
  })

  const reporter = { access: 'reporter', dialect: 'alertmanager', scope: 'clusters' } as const
  scope.post('/api/v2/alerts', { config: reporter }, async (request, reply) => {
    const posted = readPostedAlerts(jsonBody(request, 'alerts'))
    const { principal } = request
    const erased = new Set(await ports(request).erasures.refused([...new Set(posted.flatMap(clusterNamesOf))]))
    const isErased = (alert: PostedAlert): boolean => clusterNamesOf(alert).some((name) => erased.has(name))
    const stored = erased.size === 0 ? posted : posted.filter((alert) => !isErased(alert))
    const {
      taken,
      faults: found,
      refused,
      evicted,
    } = await ports(request).people.external.post(stored, {
      nowMs: clock.nowMs(),
      resolveTimeoutMs: deps.resolveTimeoutMs(),
      sender: ownerOf(request),
      ...(principal?.cluster === undefined ? {} : { cluster: principal.cluster }),
    })
    const faults = [...found, ...Array.from({ length: posted.length - stored.length }, () => ERASED)]
    const { externalAlerts } = deps.metrics
    externalAlerts.inc({ outcome: 'taken' }, taken)
    externalAlerts.inc({ outcome: 'invalid' }, faults.length)
    externalAlerts.inc({ outcome: 'evicted' }, evicted)
    for (const { limit } of LIMITS) externalAlerts.inc({ outcome: limit }, refused[limit])
    if (faults.length > 0) throw new Refused(400, faults.join('; '))
    const reasons = LIMITS.flatMap(({ limit, option, room }) =>
      refused[limit] === 0 ? [] : [`${refused[limit]} new alerts refused: no room for more ${room} (${option})`],
    )
    if (reasons.length === 0) return reply.code(200).send()
    return sendJson(reply.code(429).header('retry-after', RETRY_AFTER_SECONDS), reasons.join('; '))
  })
}

/** Why new alerts are refused, with the option of the limit. */
const LIMITS = [
  { limit: 'cluster_limit', option: 'alerts.external-cluster-max', room: 'alerts of one cluster from this sender' },
  { limit: 'sender_limit', option: 'alerts.external-sender-max', room: 'alerts of this sender' },
  { limit: 'total_limit', option: 'alerts.external-max', room: 'alerts of all senders' },
] as const satisfies readonly { readonly limit: ShareLimit; readonly option: string; readonly room: string }[]

function byFingerprint(a: { readonly fingerprint: string }, b: { readonly fingerprint: string }): number {
  return a.fingerprint < b.fingerprint ? -1 : 1
}

/** Firing alerts by fingerprint. Of alerts with equal labels only the first is shown, which is that of a rule. */
function* firingAlerts(alerts: readonly AnyAlert[]): Steps<ReadonlyMap<string, AnyAlert>> {
  const firing = new Map<string, AnyAlert>()
  yield* eachInSteps(alerts, (alert) => {
    if (alert.state !== 'firing' || firing.has(alert.fingerprint)) return
    firing.set(alert.fingerprint, alert)
  })
  return firing
}

function* firingInOrder(alerts: readonly AnyAlert[]): Steps<AnyAlert[]> {
  const firing = yield* firingAlerts(alerts)
  return yield* sortInSteps([...firing.values()], byFingerprint)
}

/** `active`, `silenced`, `inhibited` and `filter`; `unprocessed` has no effect, because a request processes an alert. */
function alertFilter(params: Params): (labels: Labels, marks: AlertMarks) => boolean {
  const matches = compileMatchers(filterParam(params))
  const withActive = flagParam(params, 'active', true)
  const withSilenced = flagParam(params, 'silenced', true)
  const withInhibited = flagParam(params, 'inhibited', true)
  return (labels, marks) =>
    (withActive || isSuppressed(marks)) &&
    (withSilenced || marks.silencedBy.length === 0) &&
    (withInhibited || marks.inhibitedBy.length === 0) &&
    matches(labels)
}

function isSuppressed({ silencedBy, inhibitedBy }: AlertMarks): boolean {
  return silencedBy.length > 0 || inhibitedBy.length > 0
}

function gettable(alert: AnyAlert, marks: AlertMarks, nowMs: number, externalUrl: string): GettableAlert {
  const link = isExternal(alert) ? alert.external.generatorUrl : generatorUrl(externalUrl, alert.rule.expr)
  return {
    annotations: alert.annotations,
    endsAt: timeText(isExternal(alert) ? alert.external.endsAtMs : endOf(alert.rule.intervalMs, nowMs)),
    fingerprint: alert.fingerprint,
    receivers: marks.receivers.map((name) => ({ name })),
    startsAt: timeText(alert.firedAtMs ?? alert.activeAtMs),
    status: {
      inhibitedBy: marks.inhibitedBy,
      silencedBy: marks.silencedBy,
      mutedBy: marks.mutedBy,
      state: isSuppressed(marks) ? 'suppressed' : 'active',
    },
    updatedAt: timeText(isExternal(alert) ? alert.external.updatedAtMs : alert.lastHeldAtMs),
    ...(link === '' ? {} : { generatorURL: link }),
    labels: alert.labels.toObject(),
  }
}

function endOf(intervalMs: number, nowMs: number): number {
  return nowMs + REPEATS_UNTIL_END * Math.max(intervalMs, REPETITION_MS)
}

/** Alertmanager's order: by the group's labels (the fewer first), then by receiver. */
function compareGroups(a: AlertGroup, b: AlertGroup): number {
  return compareByLabels(a, b) || (a.receiver < b.receiver ? -1 : a.receiver > b.receiver ? 1 : 0)
}

function readPostedAlerts(body: unknown): readonly PostedAlert[] {
  if (!Array.isArray(body)) {
    throw unreadable('alerts', `json: cannot unmarshal ${goKind(body)} into Go value of type models.PostableAlerts`)
  }
  if (body.length > POSTED_ALERTS_MAX) {
    throw new Refused(400, `got ${body.length} alerts in one request, want at most ${POSTED_ALERTS_MAX}`)
  }
  return body.map((item: unknown, i) => readPostedAlert(item, i))
}

function readPostedAlert(item: unknown, at: number): PostedAlert {
  if (!isRecord(item)) {
    throw unreadable('alerts', `json: cannot unmarshal ${goKind(item)} into Go value of type models.PostableAlert`)
  }
  const { labels, annotations, startsAt, endsAt, generatorURL = '' } = item
  if (typeof generatorURL !== 'string') throw mismatch('Alert.generatorURL', generatorURL)
  const startsAtMs = startsAt === undefined || startsAt === null ? undefined : readTime(startsAt, 'alerts')
  const endsAtMs = endsAt === undefined || endsAt === null ? undefined : readTime(endsAt, 'alerts')
  const own = { labels: readPairs(labels, 'Alert.labels'), annotations: readPairs(annotations, 'annotations') }
  if (labels === undefined || labels === null) throw new ShapeError(602, `${at}.labels in body is required`)
  if (generatorURL !== '' && !isRequestUri(generatorURL)) {
    throw new ShapeError(601, `${at}.generatorURL in body must be of type uri: ${JSON.stringify(generatorURL)}`)
  }
  return {
    ...own,
    generatorUrl: generatorURL,
    ...(startsAtMs === undefined ? {} : { startsAtMs }),
    ...(endsAtMs === undefined ? {} : { endsAtMs }),
  }
}

function readPairs(value: unknown, field: string): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {}
  if (!isRecord(value)) throw mismatch(field, value)
  for (const one of Object.values(value)) if (typeof one !== 'string') throw mismatch(field, one)
  return value as Record<string, string>
}

function mismatch(field: string, got: unknown): ShapeError {
  return unreadable('alerts', `json: cannot unmarshal ${goKind(got)} into Go struct field ${field} of type string`)
}

/** What Go's `url.ParseRequestURI` takes: a path, or an address with a scheme; no blanks. */
function isRequestUri(text: string): boolean {
  return /^(?:\/|[a-zA-Z][a-zA-Z0-9+.-]*:)[^\s\p{Cc}]*$/u.test(text)
}
