import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import {
  GateAnswer,
  GateRequest,
  RolloutAnswer,
  RolloutItems,
  RolloutQuery,
  RolloutsQuery,
} from '../../contract/fleet-rollouts.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import type { RolloutQuery as Asked } from '../../fleet/verdicts/cohorts.ts'
import { ROLLOUT_DECISIONS, type RolloutDecision } from '../../model/rollout-verdict.ts'
import { UPGRADE_OPERATORS } from '../../model/upgrade.ts'
import { ownRoute } from '../server/own-route.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import { fleetAt } from './moment.ts'
import { pick } from './query.ts'
import { policyItem, rolloutDetailItem, rolloutItem } from './rollout-items.ts'

/** Verdicts on rollouts: whether the other clusters may follow. */
export function registerRollouts(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/rollouts', {
    summary: 'Verdicts on the versions that clusters started to upgrade to in the last 30 days, at most 50.',
    query: RolloutsQuery,
    answer: RolloutItems,
    handler: async ({ query, request }) => {
      const { view, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const [{ policy, rollouts }, head] = await Promise.all([view.rollouts(query.operator ?? HCO), listHead([])])
      return { ...head, policy: policyItem(policy), rollouts: rollouts.map(rolloutItem) }
    },
  })

  ownRoute(app, 'GET /api/fleet/v1/rollouts/:version', {
    summary:
      'The verdict on one version, for all its upgrades or for a canary of some of them, with changes by phase and alert.',
    path: { version: 'The version that clusters upgrade to.' },
    query: RolloutQuery,
    answer: RolloutAnswer,
    handler: async ({ query, params, request }) => {
      const { view, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const asked = rolloutAsked(params.version, query)
      const [{ policy, rollout }, head] = await Promise.all([view.rollout(asked), listHead([])])
      return { ...head, policy: policyItem(policy), rollout: rolloutDetailItem(rollout) }
    },
  })

  ownRoute(app, 'POST /api/fleet/v1/rollouts/:version/gate', {
    summary: 'The verdict for a webhook of Flagger: 200 when the decision is accepted, else 409. Nothing is changed.',
    path: { version: 'The version that clusters upgrade to.' },
    body: GateRequest,
    answer: GateAnswer,
    handler: async ({ body, params, request, reply }) => {
      const { view } = fleetAt(ports(request).fleet, clock, undefined)
      const metadata = new Map(Object.entries(body.metadata ?? {}))
      const accepted = acceptedOf(metadata)
      const { rollout } = await view.rollout(rolloutAsked(params.version, gateQuery(metadata)))
      const { decision, reason, operator, version, canariesNeeded, daysNeeded } = rolloutItem(rollout)
      const isAccepted = accepted.includes(decision)
      if (!isAccepted) void reply.code(409)
      return { isAccepted, operator, version, decision, reason, canariesNeeded, daysNeeded }
    },
  })
}

const HCO = 'kubevirt-hyperconverged'

/** What a request asks for. */
export function rolloutAsked(version: string, query: Omit<RolloutQuery, 'at'>): Asked {
  const { operator = HCO, first, cluster, environment } = query
  const filter = pick(query, 'channel', 'platform', 'region', 'text')
  return {
    ...{ operator, version },
    cohort: {
      ...(first === undefined ? {} : { first }),
      ...(cluster === undefined ? {} : { clusters: new Set(cluster) }),
      ...(environment === undefined ? {} : { environment }),
      ...(Object.keys(filter).length === 0 ? {} : { filter }),
    },
  }
}

type Metadata = ReadonlyMap<string, string>

/** Throws `bad_request`. */
function acceptedOf(metadata: Metadata): readonly RolloutDecision[] {
  return wordsOf(metadata.get('accept') ?? 'proceed').map((word) => {
    const found = ROLLOUT_DECISIONS.find((decision) => decision === word)
    if (found === undefined) throw wrong('accept', word, `some of ${ROLLOUT_DECISIONS.join(', ')}`)
    return found
  })
}

/** Throws `bad_request`. */
function gateQuery(metadata: Metadata): Omit<RolloutQuery, 'at'> {
  const [operatorName, first, cluster] = ['operator', 'first', 'cluster'].map((name) => metadata.get(name))
  const operator = UPGRADE_OPERATORS.find((one) => one === operatorName)
  if (operatorName !== undefined && operator === undefined) {
    throw wrong('operator', operatorName, `one of ${UPGRADE_OPERATORS.join(', ')}`)
  }
  if (first !== undefined && !/^[1-9]\d{0,8}$/.test(first)) throw wrong('first', first, 'a whole number, 1 or more')
  const texts = ['channel', 'platform', 'region', 'environment', 'text'].flatMap((name) => {
    const value = metadata.get(name)
    return value === undefined ? [] : [[name, value]]
  })
  return {
    ...(Object.fromEntries(texts) as Omit<RolloutQuery, 'at'>),
    ...(operator === undefined ? {} : { operator }),
    ...(first === undefined ? {} : { first: Number(first) }),
    ...(cluster === undefined ? {} : { cluster: wordsOf(cluster) }),
  }
}

function wordsOf(text: string): string[] {
  return text.split(',').flatMap((word) => word.trim() || [])
}

function wrong(name: string, got: string, want: string): FleetError {
  return new FleetError('bad_request', `metadata.${name}: got ${JSON.stringify(got)}, want ${want}`)
}
