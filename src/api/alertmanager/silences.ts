import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import type { Matcher } from '../../model/matcher.ts'
import { silenceStateAt, SILENCE_STATES, type Silence } from '../../model/silence.ts'
import type { SilenceRequest } from '../../notify/silence-change.ts'
import {
  filterParam,
  flagParam,
  goKind,
  isRecord,
  jsonBody,
  readTime,
  Refused,
  sendJson,
  ShapeError,
  timeText,
  unreadable,
} from './http.ts'
import { paramsOf } from '../prometheus/params.ts'
import { actorOf } from '../fleet/people.ts'
import type { ApiPeople } from '../fleet/people.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/**
 * Alertmanager's `/api/v2/silences` and `/api/v2/silence/{id}`. `createdBy` stays as it was sent: operators look for their
 * own silences by it. Who really sent it is in the audit.
 */
export function registerAlertmanagerSilences(
  scope: FastifyInstance,
  ports: PortsOf<{ readonly people: ApiPeople }>,
  clock: Clock,
): void {
  const viewer = { access: 'viewer', dialect: 'alertmanager', scope: 'clusters' } as const
  const responder = { access: 'responder', dialect: 'alertmanager', scope: 'clusters' } as const
  type Params = { Params: { silenceID: string } }

  scope.get('/api/v2/silences', { config: viewer }, (request, reply) => {
    const params = paramsOf(request)
    const filters = filterParam(params)
    const nowMs = clock.nowMs()
    const states = new Set(SILENCE_STATES.filter((state) => flagParam(params, state, true)))
    const shown = [...ports(request).people.silences.all()]
      .filter((silence) => states.has(silenceStateAt(silence, nowMs)) && hasMatchers(silence, filters))
      .sort((a, b) => compareSilences(a, b, nowMs))
    return sendJson(
      reply,
      shown.map((silence) => gettable(silence, nowMs)),
    )
  })

  scope.post('/api/v2/silences', { config: responder }, async (request, reply) => {
    const { silences } = ports(request).people
    const written = readWish(jsonBody(request, 'silence'))
    // Alertmanager's clients do not know this field, so their changes keep it.
    const untilResolved = written.id !== undefined && (await silences.get(written.id))?.untilResolved === true
    const wish = { ...written, untilResolved }
    const change = await silences.set(wish, actorOf(request, wish.createdBy), clock.nowMs())
    if (change.kind === 'not_found') throw new Refused(404, 'silence not found')
    if (change.kind === 'refused') throw new Refused(400, change.message)
    return sendJson(reply, { silenceID: change.silence.id })
  })

  scope.get<Params>('/api/v2/silence/:silenceID', { config: viewer }, async (request, reply) => {
    const silence = await ports(request).people.silences.get(silenceId(request.params.silenceID))
    return silence === undefined ? reply.code(404).send() : sendJson(reply, gettable(silence, clock.nowMs()))
  })

  scope.delete<Params>('/api/v2/silence/:silenceID', { config: responder }, async (request, reply) => {
    const id = silenceId(request.params.silenceID)
    const ended = await ports(request).people.silences.expire(id, actorOf(request), clock.nowMs())
    // 0.25 answers 500 with a text here; its successors, and its specification, 404.
    return reply.code(ended === undefined ? 404 : 200).send()
  })
}

/** Active ones that end next first, then pending ones that start next, then those that ended last. */
export function compareSilences(a: Silence, b: Silence, nowMs: number): number {
  const [state, other] = [silenceStateAt(a, nowMs), silenceStateAt(b, nowMs)]
  const byId = a.id < b.id ? -1 : 1
  if (state !== other) return STATE_ORDER[state] - STATE_ORDER[other]
  switch (state) {
    case 'active':
      return a.endsAtMs - b.endsAtMs || byId
    case 'pending':
      return a.startsAtMs - b.startsAtMs || byId
    case 'expired':
      return b.endsAtMs - a.endsAtMs || byId
  }
}

const STATE_ORDER = { active: 0, pending: 1, expired: 2 } as const

/** Whether the silence has each of these matchers as its own, word by word. */
function hasMatchers({ matchers }: Silence, wanted: readonly Matcher[]): boolean {
  return wanted.every((want) =>
    matchers.some(({ name, op, value }) => name === want.name && op === want.op && value === want.value),
  )
}

function gettable(silence: Silence, nowMs: number) {
  return {
    id: silence.id,
    status: { state: silenceStateAt(silence, nowMs) },
    updatedAt: timeText(silence.updatedAtMs),
    comment: silence.comment,
    createdBy: silence.createdBy,
    endsAt: timeText(silence.endsAtMs),
    matchers: silence.matchers.map(({ name, op, value }) => {
      return { isEqual: op === '=' || op === '=~', isRegex: op === '=~' || op === '!~', name, value }
    }),
    startsAt: timeText(silence.startsAtMs),
  }
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

function silenceId(text: string): string {
  if (UUID.test(text)) return text
  throw new ShapeError(601, `silenceID in path must be of type uuid: ${JSON.stringify(text)}`)
}

function readWish(body: unknown): SilenceRequest {
  if (!isRecord(body)) {
    const type = 'struct { ID string "json:\\"id,omitempty\\"" }'
    throw unreadable('silence', `json: cannot unmarshal ${goKind(body)} into Go value of type ${type}`)
  }
  const id = textField(body, 'id') ?? ''
  const comment = textField(body, 'comment')
  const createdBy = textField(body, 'createdBy')
  const endsAtMs = timeField(body, 'endsAt')
  const startsAtMs = timeField(body, 'startsAt')
  const matchers = body['matchers'] ?? undefined
  if (matchers !== undefined && !Array.isArray(matchers)) throw mismatch('matchers', matchers, 'models.Matchers')
  // The order of the generated validation.
  if (comment === undefined) throw required('comment')
  if (createdBy === undefined) throw required('createdBy')
  if (endsAtMs === 'absent') throw required('endsAt')
  if (matchers === undefined) throw required('matchers')
  if (matchers.length === 0) throw new ShapeError(612, 'matchers in body should have at least 1 items')
  const read = matchers.map((matcher: unknown, i) => readMatcher(matcher, i))
  if (startsAtMs === 'absent') throw required('startsAt')
  return {
    ...(id === '' ? {} : { id }),
    matchers: read,
    ...(startsAtMs === undefined ? {} : { startsAtMs }),
    endsAtMs: endsAtMs ?? 0,
    createdBy,
    comment,
    untilResolved: false,
  }
}

function readMatcher(matcher: unknown, at: number): Matcher {
  if (!isRecord(matcher)) throw mismatch('matchers', matcher, 'models.Matcher')
  const { isRegex, isEqual = true } = matcher
  if (isRegex !== undefined && typeof isRegex !== 'boolean') throw mismatch('isRegex', isRegex, 'bool')
  if (isEqual !== null && typeof isEqual !== 'boolean') throw mismatch('isEqual', isEqual, 'bool')
  const name = textField(matcher, 'name')
  const value = textField(matcher, 'value')
  if (isRegex === undefined) throw required(`matchers.${at}.isRegex`)
  if (name === undefined) throw required(`matchers.${at}.name`)
  if (value === undefined) throw required(`matchers.${at}.value`)
  const [yes, no] = isRegex ? (['=~', '!~'] as const) : (['=', '!='] as const)
  return { name, op: isEqual === false ? no : yes, value }
}

function textField(record: Record<string, unknown>, name: string): string | undefined {
  const value = record[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw mismatch(name, value, 'string')
}

/** `undefined` is Go's zero time. */
function timeField(record: Record<string, unknown>, name: string): number | undefined | 'absent' {
  const value = record[name] ?? undefined
  return value === undefined ? 'absent' : readTime(value, 'silence')
}

function mismatch(field: string, got: unknown, type: string): ShapeError {
  return unreadable('silence', `json: cannot unmarshal ${goKind(got)} into Go struct field ${field} of type ${type}`)
}

function required(field: string): ShapeError {
  return new ShapeError(602, `${field} in body is required`)
}
