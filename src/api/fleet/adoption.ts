import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import {
  BehindQuery,
  OlderQuery,
  ShareQuery,
  SpreadQuery,
  UsageQuery,
  WorkloadsQuery,
  type OperatorsAnswer,
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
import { readQuery } from './query.ts'

/**
 * Adoption: `/api/adoption/v1`. Answers come from the daily cubes and read no samples. An answer about past days stays
 * the same, unless late data changes those days: then its `digest` changes.
 */
export interface ApiAdoption extends Pick<AdoptionReader, 'usage' | 'days' | 'operators'> {
  query(query: AdoptionQuery): Promise<AdoptionAnswer>
}

type Format = 'json' | 'csv' | undefined

export function registerAdoption(app: FastifyInstance, adoption: ApiAdoption, clock: Clock): void {
  const config = { access: 'viewer', dialect: 'own' } as const
  const find = async (request: AdoptionQuery): Promise<AdoptionFound> => foundOf(request, await adoption.query(request))

  app.get('/api/adoption/v1/share', { config }, async (request, reply) => {
    const { by = 'version', format, ...rest } = readQuery(ShareQuery, request)
    const found = await find(adoptionRequestOf(rest, by, clock.nowMs()))
    const body = shareAnswer(found, found.shares.series)
    return send(reply, format, 'share', shareCsv(body), withBasis(found, body))
  })
  app.get('/api/adoption/v1/older-than', { config }, async (request, reply) => {
    const { version, format, ...rest } = readQuery(OlderQuery, request)
    const found = await find(adoptionRequestOf(rest, 'version', clock.nowMs()))
    const body = shareAnswer(found, [olderThan(found.shares, version, compareReleases)])
    return send(reply, format, 'older-than', shareCsv(body), withBasis(found, body))
  })
  app.get('/api/adoption/v1/spread', { config }, async (request, reply) => {
    const { by = 'version', format, ...rest } = readQuery(SpreadQuery, request)
    const found = await find(adoptionRequestOf(rest, by, clock.nowMs()))
    const spreads = spreadsOf(found.shares, compareReleases)
    const versions = spreads.map(spreadItem)
    const body = { versions, forecast: forecastItem(spreads) }
    return send(reply, format, 'spread', spreadCsv(versions), withBasis(found, body))
  })
  app.get('/api/adoption/v1/behind', { config }, async (request, reply) => {
    const { format, ...rest } = readQuery(BehindQuery, request)
    const found = await find(adoptionRequestOf(rest, 'version', clock.nowMs()))
    const body = behindAnswer(found)
    return send(reply, format, 'behind', behindCsv(body), withBasis(found, body))
  })
  app.get('/api/adoption/v1/workloads', { config }, async (request, reply) => {
    const { format, ...rest } = readQuery(WorkloadsQuery, request)
    const found = await find(adoptionRequestOf(rest, 'version', clock.nowMs()))
    const body = workloadsAnswer(found)
    return send(reply, format, 'workloads', workloadsCsv(body), withBasis(found, body))
  })
  app.get('/api/adoption/v1/usage', { config }, async (request, reply) => {
    const { subject, format, ...rest } = readQuery(UsageQuery, request)
    const selection = adoptionRequestOf(rest, 'flavour', clock.nowMs())
    const [rows, counted, { sums }] = await Promise.all([
      adoption.usage(selection.fromDay, selection.toDay),
      adoption.days(),
      adoption.query(selection),
    ])
    const wanted = subject === undefined ? rows : rows.filter((row) => row.subject === subject)
    const body = usageAnswer(wanted, counted, [...sums.known], selection)
    return send(reply, format, 'usage', usageCsv(body), (digest) => ({ ...body, digest }))
  })
  app.get('/api/adoption/v1/operators', { config }, async (): Promise<OperatorsAnswer> => {
    const [operators, days] = await Promise.all([adoption.operators(), adoption.days()])
    return { operators: [...operators], firstDay: days[0]?.day ?? null, lastDay: days.at(-1)?.day ?? null }
  })
}

function withBasis({ basis }: AdoptionFound, body: object): (digest: string) => object {
  return (digest) => ({ basis: { ...basis, digest }, ...body })
}

function send(
  reply: FastifyReply,
  format: Format,
  name: string,
  csv: string,
  answerOf: (digest: string) => object,
): unknown {
  if (format !== 'csv') return answerOf(digestOf(csv))
  const disposition = `attachment; filename="adoption-${name}.csv"`
  void reply.type('text/csv; charset=utf-8').header('Content-Disposition', disposition)
  return csv
}
