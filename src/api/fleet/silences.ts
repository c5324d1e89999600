import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { rankInstances } from '../../catalog/rank-instances.ts'
import { MatcherItem, SilenceItem, SilenceItems, SilencePreview, SilenceRequest } from '../../contract/silences.ts'
import { severityOf } from '../../model/alert.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import type { Labels } from '../../model/labels.ts'
import { compileMatchers } from '../../model/matcher-text.ts'
import { RegexError } from '../../model/regex.ts'
import { silenceStateAt, type Silence } from '../../model/silence.ts'
import type { Silences } from '../../notify/silences.ts'
import { compareSilences } from '../alertmanager/silences.ts'
import type { AnyAlert } from '../../notify/alerts.ts'
import { actorOf, type ApiPeople } from './people.ts'
import { ownRoute } from '../server/own-route.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** `/api/fleet/v1/silences`: as Alertmanager's routes, with the alerts that each silence hides, and a preview. */

const PREVIEW_MAX = 100
const PREVIEW_PAST_MS = 7 * 86_400_000

const PreviewRequest = Type.Object({ matchers: Type.Array(MatcherItem, { minItems: 1 }) })
const ID = { id: 'ID of the silence.' } as const

export function registerSilences(
  app: FastifyInstance,
  ports: PortsOf<{ readonly people: ApiPeople }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/silences', {
    summary: 'All silences.',
    answer: SilenceItems,
    handler: ({ request }) => {
      const { people } = ports(request)
      const { silences } = people
      const nowMs = clock.nowMs()
      const itemOf = silenceItems(silences, people.alerts(), nowMs)
      const sorted = [...silences.all()].sort((a, b) => compareSilences(a, b, nowMs))
      return { asOfMs: nowMs, silences: sorted.map(itemOf) }
    },
  })

  ownRoute(app, 'GET /api/fleet/v1/silences/:id', {
    summary: 'One silence.',
    path: ID,
    answer: SilenceItem,
    handler: async ({ params: { id }, request }) => {
      const { people } = ports(request)
      const { silences } = people
      const silence = await silences.get(id)
      if (silence === undefined) throw unknown(id)
      return silenceItems(silences, people.alerts(), clock.nowMs())(silence)
    },
  })

  const set = async (
    wish: SilenceRequest,
    id: string | undefined,
    by: string,
    people: ApiPeople,
  ): Promise<SilenceItem> => {
    const { silences } = people
    const nowMs = clock.nowMs()
    const change = await silences.set(
      {
        ...(id === undefined ? {} : { id }),
        matchers: wish.matchers,
        ...(wish.startsAtMs === undefined
          ? await startOf(silences, id, nowMs)
          : { startsAtMs: Math.round(wish.startsAtMs) }),
        endsAtMs: Math.round(wish.endsAtMs),
        createdBy: by,
        comment: wish.comment,
        untilResolved: wish.untilResolved ?? false,
      },
      by,
      nowMs,
    )
    if (change.kind === 'not_found') throw unknown(id ?? '')
    if (change.kind === 'refused') throw new FleetError('bad_request', change.message)
    return silenceItems(silences, people.alerts(), nowMs)(change.silence)
  }
  /** A change of a silence that has not expired may omit its start. */
  const startOf = async (
    silences: Silences,
    id: string | undefined,
    nowMs: number,
  ): Promise<{ startsAtMs?: number }> => {
    const previous = id === undefined ? undefined : await silences.get(id)
    const isRunning = previous !== undefined && silenceStateAt(previous, nowMs) !== 'expired'
    return isRunning ? { startsAtMs: previous.startsAtMs } : {}
  }

  ownRoute(app, 'POST /api/fleet/v1/silences', {
    access: 'responder',
    summary: 'Creates a silence.',
    body: SilenceRequest,
    answer: SilenceItem,
    status: 201,
    handler: ({ body, request }) => set(body, undefined, actorOf(request, body.createdBy), ports(request).people),
  })

  ownRoute(app, 'PUT /api/fleet/v1/silences/:id', {
    access: 'responder',
    summary: 'Updates a silence.',
    path: ID,
    body: SilenceRequest,
    answer: SilenceItem,
    handler: ({ params, body, request }) =>
      set(body, params.id, actorOf(request, body.createdBy), ports(request).people),
  })

  ownRoute(app, 'DELETE /api/fleet/v1/silences/:id', {
    access: 'responder',
    summary: 'Expires a silence.',
    path: ID,
    answer: SilenceItem,
    handler: async ({ params: { id }, request }) => {
      const { silences } = ports(request).people
      const nowMs = clock.nowMs()
      const ended = await silences.expire(id, actorOf(request), nowMs)
      if (ended === undefined) throw unknown(id)
      return silenceItems(silences, [], nowMs)(ended)
    },
  })

  ownRoute(app, 'POST /api/fleet/v1/silences/preview', {
    summary: 'Preview of the alerts that a silence would suppress.',
    body: PreviewRequest,
    answer: SilencePreview,
    handler: async ({ body: { matchers }, request }) => {
      const { people } = ports(request)
      const matches = compiled(matchers)
      const nowMs = clock.nowMs()
      const pastFromMs = nowMs - PREVIEW_PAST_MS
      const past = await people.runs.matching(matchers, pastFromMs, nowMs)
      const alerts = people.alerts()
      const hidden = rankInstances(alerts.filter(({ state, labels }) => state !== 'resolved' && matches(labels)))
      return {
        asOfMs: nowMs,
        now: hidden.slice(0, PREVIEW_MAX).map(({ fingerprint, labels, state }) => {
          const [alertname, cluster, severity] = [labels.get('alertname'), clusterOf(labels), severityOf(labels)]
          return { fingerprint, alertname, cluster, severity, state }
        }),
        nowCount: hidden.length,
        past,
        pastRuns: past.reduce((sum, { runs }) => sum + runs, 0),
        pastFromMs,
      }
    },
  })
}

function unknown(id: string): FleetError {
  return new FleetError('not_found', `no silence has the id ${JSON.stringify(id)}`)
}

/** Throws `bad_request` for an invalid pattern. */
function compiled(matchers: readonly MatcherItem[]): (labels: Labels) => boolean {
  try {
    return compileMatchers(matchers)
  } catch (thrown) {
    if (!(thrown instanceof RegexError)) throw thrown
    throw new FleetError('bad_request', thrown.message)
  }
}

/**
 * Creates silences of the contract's shape, each with the alerts that it matches until it expires. Active silences are
 * found through the index; a pending one is tested against all alerts.
 */
function silenceItems(
  silences: Silences,
  alerts: readonly AnyAlert[],
  nowMs: number,
): (silence: Silence) => SilenceItem {
  const active = alerts.filter(({ state }) => state !== 'resolved')
  const hidden = new Map<string, Set<string>>()
  for (const { labels, fingerprint } of active) {
    for (const id of silences.silencedBy(labels, nowMs)) {
      hidden.set(id, (hidden.get(id) ?? new Set()).add(fingerprint))
    }
  }
  const matched = (silence: Silence): Iterable<string> => {
    const matches = compileMatchers(silence.matchers)
    return new Set(active.flatMap(({ labels, fingerprint }) => (matches(labels) ? [fingerprint] : [])))
  }
  return (silence) => {
    const state = silenceStateAt(silence, nowMs)
    const hides = state === 'pending' ? matched(silence) : (hidden.get(silence.id) ?? [])
    const { id, matchers, startsAtMs, endsAtMs, updatedAtMs, createdBy, comment, untilResolved } = silence
    // In one order, whether it was created here or read from the store.
    return {
      ...{ id, matchers, startsAtMs, endsAtMs, updatedAtMs, createdBy, comment, untilResolved },
      ...{ state, hides: [...hides] },
    }
  }
}
