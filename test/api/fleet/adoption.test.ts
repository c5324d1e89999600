import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  BehindAnswer,
  OperatorsAnswer,
  ShareAnswer,
  SpreadAnswer,
  UsageAnswer,
  WorkloadsAnswer,
} from '../../../src/contract/adoption.ts'
import { addDays } from '../../../src/fleet/adoption/day.ts'
import type { AdoptionRow } from '../../../src/model/adoption.ts'
import { createFacts } from '../../../src/store/facts/facts.ts'
import { migrate } from '../../../src/store/migrations.ts'
import { ConnectionLock } from '../../../src/store/connection-lock.ts'
import { adoptionOver } from '../../support/adoption.ts'
import { makeServer, type TestServer } from '../test-server.ts'

// The server's clock stands at 2026-08-20T10:00Z. Five days were counted before; the fourth is missing.
const FIRST = '2026-08-16'
const COUNTS: Readonly<Record<string, readonly (readonly [version: string, channel: string, clusters: number])[]>> = {
  '2026-08-16': [['1.16.0', 'stable', 10]],
  '2026-08-17': [
    ['1.16.0', 'stable', 8],
    ['1.17.0', 'candidate', 2],
  ],
  '2026-08-18': [
    ['1.16.0', 'stable', 4],
    ['1.17.0', 'candidate', 4],
    ['', '', 2],
  ],
  '2026-08-20': [
    ['1.16.0', 'stable', 1],
    ['1.17.0', 'candidate', 4],
    ['1.17.0', 'stable', 3],
    ['', '', 2],
  ],
}

const EMPTY_ROW = {
  ...{ version: '', channel: '', platform: '', region: '', flavour: '', environment: '' },
  ...{ clusters: 0, vms: 0, outdatedVms: 0 },
} as const

let server: TestServer
beforeAll(async () => {
  const database = new Database(':memory:')
  migrate(database, ':memory:')
  const { adoption } = createFacts(database, new ConnectionLock())
  for (const [day, counts] of Object.entries(COUNTS)) {
    const rows = counts.map(([version, channel, clusters]): AdoptionRow => {
      const rest = { platform: 'kubernetes', region: 'eu', flavour: 'community', environment: '' }
      return {
        day,
        operator: 'kubevirt-hyperconverged',
        version,
        channel,
        clusters,
        ...rest,
        vms: clusters * 10,
        outdatedVms: version === '1.17.0' ? clusters * 4 : 0,
      }
    })
    const usage = { day, subject: 'instance_type', name: 'u1.small', clusters: rows.length, count: 7 } as const
    await adoption.putDay(day, rows, [usage], Date.parse('2026-08-20T09:50:00Z'))
  }
  server = await makeServer({ adoption: adoptionOver(adoption) })
})
afterAll(() => server.app.close())

async function get<T>(path: string, schema?: TSchema): Promise<T> {
  const answer = await server.app.inject({ url: `/api/adoption/v1/${path}` })
  expect({ status: answer.statusCode, body: answer.statusCode === 200 ? '' : answer.body }).toEqual({
    status: 200,
    body: '',
  })
  const body: unknown = answer.json()
  if (schema !== undefined) expect([...Value.Errors(schema, body)]).toEqual([])
  return body as T
}

const RANGE = `from=${FIRST}&to=2026-08-20`

test('shares have their denominators, coverage and freshness beside them', async () => {
  const answer = await get<ShareAnswer>(`share?${RANGE}`, ShareAnswer)
  expect(answer.basis).toEqual({
    operator: 'kubevirt-hyperconverged',
    from: FIRST,
    to: '2026-08-20',
    known: 10,
    telling: 8,
    coverage: 0.8,
    missingDays: ['2026-08-19'],
    updatedAt: '2026-08-20T09:50:00.000Z',
    digest: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
  })
  expect(answer.days).toEqual([0, 1, 2, 3, 4].map((n) => addDays(FIRST, n)))
  expect(answer.series).toEqual([
    { value: '1.17.0', clusters: [0, 2, 4, 0, 7], share: [0, 0.2, 0.5, null, 0.875] },
    { value: '1.16.0', clusters: [10, 8, 4, 0, 1], share: [1, 0.8, 0.5, null, 0.125] },
  ])
})

test('by another dimension, of some clusters', async () => {
  const byChannel = await get<ShareAnswer>(`share?${RANGE}&by=channel&version=1.17.0`, ShareAnswer)
  expect(byChannel.series.map(({ value, clusters }) => [value, clusters])).toEqual([
    ['candidate', [0, 2, 4, 0, 4]],
    ['stable', [0, 0, 0, 0, 3]],
  ])
  const untold = await get<ShareAnswer>(`share?${RANGE}&channel=-`, ShareAnswer)
  expect([untold.basis.known, untold.basis.telling]).toEqual([2, 0])
  const minors = await get<ShareAnswer>(`share?${RANGE}&by=minor`, ShareAnswer)
  expect(minors.series.map(({ value }) => value)).toEqual(['1.17', '1.16'])
})

test('the last ninety days are what is asked without a range', async () => {
  const { basis } = await get<ShareAnswer>('share')
  expect([basis.from, basis.to]).toEqual(['2026-05-22', '2026-08-20'])
})

test('a table for other programs', async () => {
  const answer = await server.app.inject({ url: `/api/adoption/v1/share?from=2026-08-17&to=2026-08-17&format=csv` })
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(answer.body).toBe(
    'day,value,clusters,share,telling,known\r\n2026-08-17,1.17.0,2,0.2,10,10\r\n2026-08-17,1.16.0,8,0.8,10,10\r\n',
  )
})

test.each(['share', 'older-than?version=1.17.0', 'spread', 'behind', 'workloads', 'usage'])(
  'the digest of %s is that of its table',
  async (question) => {
    const path = `${question}${question.includes('?') ? '&' : '?'}${RANGE}`
    const { basis, digest } = await get<{ readonly basis?: { readonly digest: string }; readonly digest?: string }>(
      path,
    )
    const table = await server.app.inject({ url: `/api/adoption/v1/${path}&format=csv` })
    expect(table.headers['content-disposition']).toMatch(/^attachment; filename="adoption-[a-z-]+\.csv"$/)
    expect(table.body.split('\r\n').length).toBeGreaterThan(3)
    expect(basis?.digest ?? digest).toBe(createHash('sha256').update(table.body).digest('hex').slice(0, 16))
  },
)

describe('as it was at a moment', () => {
  test('are the days that were over by then', async () => {
    for (const [at, to] of [
      ['2026-08-18T23:59:59Z', '2026-08-17'],
      ['2026-08-19T00:00:00Z', '2026-08-18'],
      ['2026-08-19T02:00:00%2B02:00', '2026-08-18'],
    ]) {
      expect((await get<ShareAnswer>(`share?at=${at!}`)).basis).toMatchObject({ to })
      expect((await get<UsageAnswer>(`usage?at=${at!}`)).to).toBe(to)
    }
  })

  test('it is the same answer today, until late data changes what is known of it', async () => {
    const database = new Database(':memory:')
    migrate(database, ':memory:')
    const { adoption } = createFacts(database, new ConnectionLock())
    const row = { ...EMPTY_ROW, operator: 'kubevirt-hyperconverged', version: '1.16.0', clusters: 4 }
    const past = '2026-08-17'
    await adoption.putDay(past, [{ ...row, day: past }], [], 1)
    const { app, clock } = await makeServer({ adoption: adoptionOver(adoption) })
    const asked = async (): Promise<ShareAnswer['basis']> => {
      const answer = await app.inject({ url: `/api/adoption/v1/share?from=${past}&at=2026-08-18T00:00:00Z` })
      return answer.json<ShareAnswer>().basis
    }
    const first = await asked()
    await adoption.putDay('2026-08-18', [{ ...row, day: '2026-08-18', version: '1.17.0' }], [], 2)
    clock.advance(86_400_000)
    expect(await asked()).toEqual(first)
    await adoption.putDay(past, [{ ...row, day: past }], [], 3)
    expect(await asked()).toEqual({ ...first, updatedAt: new Date(3).toISOString() })
    await adoption.putDay(past, [{ ...row, day: past, clusters: 5 }], [], 4)
    expect((await asked()).digest).not.toBe(first.digest)
    await app.close()
  })
})

test('older than a version', async () => {
  const { series } = await get<ShareAnswer>(`older-than?${RANGE}&version=1.17.0`, ShareAnswer)
  expect(series).toEqual([
    { value: 'older than 1.17.0', clusters: [10, 8, 4, 0, 1], share: [1, 0.8, 0.5, null, 0.125] },
  ])
})

test('how a version spreads', async () => {
  const { versions, forecast } = await get<SpreadAnswer>(`spread?${RANGE}`, SpreadAnswer)
  expect(forecast).toMatchObject({ version: '1.17.0', reason: 'few_earlier', fan: [], past: [] })
  expect(versions[0]).toMatchObject({
    version: '1.17.0',
    firstDay: '2026-08-17',
    isStartKnown: true,
    to10Days: 0,
    to50Days: 1,
    to90Days: null,
    stage: 'rising',
    clusters: 7,
  })
  expect(versions[1]).toMatchObject({ version: '1.16.0', isStartKnown: false, halfLifeDays: 2, peakShare: 1 })
})

test('how far behind, and the machines that really run it', async () => {
  expect(await get(`behind?${RANGE}`, BehindAnswer)).toMatchObject({
    newest: '1.17.0',
    byMinors: [7, 1],
    byReleases: [7, 1],
  })
  const { versions } = await get<WorkloadsAnswer>(`workloads?${RANGE}`, WorkloadsAnswer)
  expect(versions[0]).toEqual({
    version: '1.17.0',
    clusters: [0, 2, 4, 0, 7],
    machines: [0, 20, 40, 0, 70],
    outdated: [0, 8, 16, 0, 28],
    share: [null, 0.6, 0.6, null, 0.6],
  })
})

test('what is in use, and what was counted', async () => {
  const usage = await get<UsageAnswer>(`usage?${RANGE}&subject=instance_type`, UsageAnswer)
  expect(usage.items).toEqual([
    { subject: 'instance_type', name: 'u1.small', clusters: [1, 2, 3, 0, 4], count: [7, 7, 7, 0, 7] },
  ])
  expect(usage.known).toEqual([10, 10, 10, 0, 10])
  expect((await get<UsageAnswer>(`usage?${RANGE}&subject=preference`, UsageAnswer)).items).toEqual([])
  expect(await get('operators', OperatorsAnswer)).toEqual({
    operators: ['kubevirt-hyperconverged'],
    firstDay: '2026-08-16',
    lastDay: '2026-08-20',
  })
})

test('an operator nobody has is an answer without series', async () => {
  const answer = await get<ShareAnswer>('share?operator=none', ShareAnswer)
  expect(answer).toMatchObject({ series: [], basis: { known: 0, telling: 0, coverage: null } })
})

describe('what cannot be asked is refused with what was got and what is wanted', () => {
  test.each([
    ['share?by=size', /by.*size.*want one of version, minor/],
    ['share?from=yesterday', /from.*yesterday.*want a day such as 2026-11-21/],
    ['share?from=2026-02-30', /want a day/],
    ['share?from=2026-08-20&to=2026-08-01', /from.*not after 2026-08-01/],
    ['share?from=1900-01-01', /at most 3660/],
    ['share?at=today', /at.*today.*want a time/],
    ['share?at=2026-08-20T10:00:00Z&to=2026-08-20', /to.*over at 2026-08-20T10:00:00Z: 2026-08-19 or before/],
    ['share?format=xml', /format.*xml.*json, csv/],
    ['older-than', /version/],
    ['usage?subject=all', /subject.*want one of instance_type/],
    ['share?size=1', /unknown parameter .*size.*want one of at, by, channel/],
  ])('%s', async (path, message) => {
    const answer = await server.app.inject({ url: `/api/adoption/v1/${path}` })
    expect(answer.statusCode).toBe(400)
    expect(answer.body).toMatch(message)
  })
})
