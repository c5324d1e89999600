import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import {
  BehindAnswer,
  BehindQuery,
  OlderQuery,
  OperatorsAnswer,
  ShareAnswer,
  ShareQuery,
  SpreadAnswer,
  SpreadQuery,
  UsageAnswer,
  UsageQuery,
  WorkloadsAnswer,
  WorkloadsQuery,
} from '../../contract/adoption.ts'
import type { AdoptionAnswer, AdoptionQuery } from '../../fleet/adoption/adoption-index.ts'
import { compareReleases } from '../../fleet/version-order.ts'
import { olderThan } from '../../fleet/adoption/share.ts'
import { spreadsOf } from '../../fleet/adoption/spread.ts'
import type { AdoptionReader } from '../../model/adoption.ts'
import {
  behindAnswer,
  forecastItem,
  foundOf,
  shareAnswer,
  spreadItem,
  usageAnswer,
  workloadsAnswer,
  type AdoptionFound,
} from './adoption-answers.ts'
import { adoptionRequestOf } from './adoption-request.ts'
import { behindCsv, digestOf, shareCsv, spreadCsv, usageCsv, workloadsCsv } from './adoption-csv.ts'
import { ownRoute } from '../server/own-route.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/**
 * Adoption: `/api/adoption/v1`. Answers come from the daily cubes and read no samples. An answer about past days stays
 * the same, unless late data changes those days: then its `digest` changes.
 */
export interface ApiAdoption extends Pick<AdoptionReader, 'usage' | 'days' | 'operators'> {
  query(query: AdoptionQuery): Promise<AdoptionAnswer>
}

type Format = 'json' | 'csv' | undefined

export function registerAdoption(
  app: FastifyInstance,
  ports: PortsOf<{ readonly adoption: ApiAdoption }>,
  clock: Clock,
): void {
  const find = async (request: FastifyRequest, query: AdoptionQuery): Promise<AdoptionFound> =>
    foundOf(query, await ports(request).adoption.query(query))

  ownRoute(app, 'GET /api/adoption/v1/share', {
    summary: 'Shares of clusters over time, by version or another dimension.',
    query: ShareQuery,
    answer: ShareAnswer,
    handler: async ({ query: { by = 'version', format, ...rest }, reply, request }) => {
      const found = await find(request, adoptionRequestOf(rest, by, clock.nowMs()))
      const body = shareAnswer(found, found.shares.series)
      return send(reply, format, 'share', shareCsv(body), withBasis(found, body))
    },
  })
  ownRoute(app, 'GET /api/adoption/v1/older-than', {
    summary: 'The share of clusters below a version over time.',
    query: OlderQuery,
    answer: ShareAnswer,
    handler: async ({ query: { version, format, ...rest }, reply, request }) => {
      const found = await find(request, adoptionRequestOf(rest, 'version', clock.nowMs()))
      const body = shareAnswer(found, [olderThan(found.shares, version, compareReleases)])
      return send(reply, format, 'older-than', shareCsv(body), withBasis(found, body))
    },
  })
  ownRoute(app, 'GET /api/adoption/v1/spread', {
    summary: 'Spread of each version: days to 10 %, 50 % and 90 %, half-life, stage.',
    query: SpreadQuery,
    answer: SpreadAnswer,
    handler: async ({ query: { by = 'version', format, ...rest }, reply, request }) => {
      const found = await find(request, adoptionRequestOf(rest, by, clock.nowMs()))
      const spreads = spreadsOf(found.shares, compareReleases)
      const versions = spreads.map(spreadItem)
      const body = { versions, forecast: forecastItem(spreads) }
      return send(reply, format, 'spread', spreadCsv(versions), withBasis(found, body))
    },
  })
  ownRoute(app, 'GET /api/adoption/v1/behind', {
    summary: 'Distance of clusters from the newest version in the fleet.',
    query: BehindQuery,
    answer: BehindAnswer,
    handler: async ({ query: { format, ...rest }, reply, request }) => {
      const found = await find(request, adoptionRequestOf(rest, 'version', clock.nowMs()))
      const body = behindAnswer(found)
      return send(reply, format, 'behind', behindCsv(body), withBasis(found, body))
    },
  })
  ownRoute(app, 'GET /api/adoption/v1/workloads', {
    summary: 'The version of the control plane, and the VMs that run its virt-launcher.',
    query: WorkloadsQuery,
    answer: WorkloadsAnswer,
    handler: async ({ query: { format, ...rest }, reply, request }) => {
      const found = await find(request, adoptionRequestOf(rest, 'version', clock.nowMs()))
      const body = workloadsAnswer(found)
      return send(reply, format, 'workloads', workloadsCsv(body), withBasis(found, body))
    },
  })
  ownRoute(app, 'GET /api/adoption/v1/usage', {
    summary: 'Instance types, preferences and deprecated API versions in use.',
    query: UsageQuery,
    answer: UsageAnswer,
    handler: async ({ query: { subject, format, ...rest }, reply, request }) => {
      const { adoption } = ports(request)
      const selection = adoptionRequestOf(rest, 'flavour', clock.nowMs())
      const [rows, counted, { sums }] = await Promise.all([
        adoption.usage(selection.fromDay, selection.toDay),
        adoption.days(),
        adoption.query(selection),
      ])
      const wanted = subject === undefined ? rows : rows.filter((row) => row.subject === subject)
      const body = usageAnswer(wanted, counted, [...sums.known], selection)
      return send(reply, format, 'usage', usageCsv(body), (digest) => ({ ...body, digest }))
    },
  })
  ownRoute(app, 'GET /api/adoption/v1/operators', {
    summary: 'Counted operators, and the counted days.',
    answer: OperatorsAnswer,
    handler: async ({ request }) => {
      const { adoption } = ports(request)
      const [operators, days] = await Promise.all([adoption.operators(), adoption.days()])
      return { operators, firstDay: days[0]?.day ?? null, lastDay: days.at(-1)?.day ?? null }
    },
  })
}

function withBasis<T extends object>({ basis }: AdoptionFound, body: T) {
  return (digest: string) => ({ basis: { ...basis, digest }, ...body })
}

function send<T>(
  reply: FastifyReply,
  format: Format,
  name: string,
  csv: string,
  answerOf: (digest: string) => T,
): T | FastifyReply {
  if (format !== 'csv') return answerOf(digestOf(csv))
  const disposition = `attachment; filename="adoption-${name}.csv"`
  return reply.type('text/csv; charset=utf-8').header('Content-Disposition', disposition).send(csv)
}
