import { parse as parseYaml } from 'yaml'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { features } from '../../../src/api/prometheus/features.ts'
import {
  AlertmanagerList,
  BuildInfo,
  ConfigFile,
  Features,
  Flags,
  RuntimeInfo,
  ScrapePools,
  TargetList,
  TsdbStatus,
  WalReplay,
} from '../../../src/contract/prometheus-status.ts'
import { Labels } from '../../../src/model/labels.ts'
import { createLocalEngine } from '../../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../../src/promql/engine-options.ts'
import { diagnose } from '../../../src/promql/parse.ts'
import { STABLE_LANGUAGE, type ParseOptions } from '../../../src/promql/parse-options.ts'
import { NOW_MS as STORE_NOW_MS, TempStore } from '../../store/temp-store.ts'
import { MemoryQueryable } from '../../support/memory-queryable.ts'
import { NOW_MS, makeServer, type TestServer } from '../test-server.ts'

/** Open in the tests that make one. */
let store: TempStore | undefined
let server: TestServer
beforeAll(async () => {
  const queryable = new MemoryQueryable()
  const scraped = (job: string, instance: string, isUp: number, agoMs: number, seconds?: number): void => {
    queryable.append(Labels.of({ __name__: 'up', job, instance }), NOW_MS - agoMs, isUp)
    if (seconds === undefined) return
    queryable.append(Labels.of({ __name__: 'scrape_duration_seconds', job, instance }), NOW_MS - agoMs, seconds)
  }
  scraped('hco', 'a:8443', 1, 12_345, 0.25)
  scraped('hco', 'b:8443', 0, 20_000)
  scraped('cdi', 'c:8443', 1, 1_000, 0.5)
  scraped('cdi', 'gone:8443', 1, 400_000, 0.5)
  server = await makeServer({
    query: createLocalEngine({ queryable, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => NOW_MS }),
    storeStatus: (top) => Promise.resolve({ ...store!.reader.status(top), headPages: 7 }),
    settings: {
      options: { 'retention.raw': '30d', rules: '/etc/it\'s "rules"', alertmanager: 'http://me:xxxxx@am:9093' },
      alertmanagers: ['http://me:xxxxx@am:9093', 'https://am.example/base'],
    },
  })
})
afterAll(() => server.app.close())

const get = async (path: string, schema: TSchema): Promise<unknown> => {
  const answer = await server.app.inject(`/api/v1/${path}`)
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json'])
  expect([...Value.Errors(schema, answer.json())]).toEqual([])
  return answer.json<{ data: unknown }>().data
}

describe('/api/v1/status', () => {
  test('buildinfo has a version that clients can compare, and no features', async () => {
    expect(await get('status/buildinfo', BuildInfo)).toEqual({
      version: '3.14.0',
      revision: 'daytwo 0.0.0-test',
      branch: '',
      buildUser: '',
      buildDate: '',
      goVersion: '',
    })
  })

  test('runtimeinfo is of this process', async () => {
    expect(await get('status/runtimeinfo', RuntimeInfo)).toMatchObject({
      startTime: '2026-08-20T09:00:00Z',
      serverTime: '2026-08-20T10:00:00Z',
      hostname: 'test',
      CWD: '/srv/daytwo',
      goroutineCount: 3,
      storageRetention: '30d',
    })
  })

  test('flags and config are the options, and config is a file that can be read', async () => {
    const flags = await get('status/flags', Flags)
    const { yaml } = (await get('status/config', ConfigFile)) as { yaml: string }
    expect(parseYaml(yaml)).toEqual(flags)
    expect(flags).toMatchObject({ rules: '/etc/it\'s "rules"', alertmanager: 'http://me:xxxxx@am:9093' })
  })

  test('tsdb tells what the series are made of', async () => {
    store = new TempStore()
    for (const [metric, clusters] of [
      ['up', 3],
      ['kubevirt_info', 2],
    ] as const) {
      for (let i = 0; i < clusters; i++) {
        const ref = store.resolve({ __name__: metric, cluster: `c${i}`, pod: 'virt-operator' })
        store.writer.appender.append(ref, STORE_NOW_MS + i * 1000, 1)
      }
    }
    await store.writer.appender.commit()
    expect(await get('status/tsdb', TsdbStatus)).toEqual({
      headStats: {
        numSeries: 5,
        numLabelPairs: 6,
        chunkCount: 7,
        minTime: STORE_NOW_MS + 2000,
        maxTime: STORE_NOW_MS + 2000,
      },
      seriesCountByMetricName: [
        { name: 'up', value: 3 },
        { name: 'kubevirt_info', value: 2 },
      ],
      labelValueCountByLabelName: [
        { name: 'cluster', value: 3 },
        { name: '__name__', value: 2 },
        { name: 'pod', value: 1 },
      ],
      memoryInBytesByLabelName: [
        { name: 'pod', value: 5 * 'virt-operator'.length },
        { name: '__name__', value: 3 * 'up'.length + 2 * 'kubevirt_info'.length },
        { name: 'cluster', value: 10 },
      ],
      seriesCountByLabelValuePair: [
        { name: 'pod=virt-operator', value: 5 },
        { name: '__name__=up', value: 3 },
        { name: '__name__=kubevirt_info', value: 2 },
        { name: 'cluster=c0', value: 2 },
        { name: 'cluster=c1', value: 2 },
        { name: 'cluster=c2', value: 1 },
      ],
    })
    expect(await get('status/tsdb?limit=1', TsdbStatus)).toMatchObject({
      seriesCountByMetricName: [{ name: 'up', value: 3 }],
      labelValueCountByLabelName: [{ name: 'cluster', value: 3 }],
    })
  })

  test.each([
    ['0', 'limit must be a positive number'],
    ['x', 'limit must be a positive number'],
    ['10001', 'limit must not exceed 10000'],
  ])('tsdb with limit=%s is refused', async (limit, error) => {
    const answer = await server.app.inject(`/api/v1/status/tsdb?limit=${limit}`)
    expect([answer.statusCode, answer.json()]).toEqual([400, { status: 'error', errorType: 'bad_data', error }])
  })

  test('walreplay is over', async () => {
    expect(await get('status/walreplay', WalReplay)).toEqual({ min: 0, max: 0, current: 0 })
  })
})

describe('targets', () => {
  test('are what senders say in `up`, at the time of their scrape', async () => {
    const { activeTargets, droppedTargets } = (await get('targets', TargetList)) as {
      activeTargets: { labels: object; health: string; lastScrape: string; lastScrapeDuration: number }[]
      droppedTargets: unknown[]
    }
    expect(droppedTargets).toEqual([])
    expect(
      activeTargets.map(({ labels, health, lastScrape, lastScrapeDuration }) => [
        labels,
        health,
        lastScrape,
        lastScrapeDuration,
      ]),
    ).toEqual([
      [{ job: 'hco', instance: 'a:8443' }, 'up', '2026-08-20T09:59:47.655Z', 0.25],
      [{ job: 'hco', instance: 'b:8443' }, 'down', '2026-08-20T09:59:40Z', 0],
      [{ job: 'cdi', instance: 'c:8443' }, 'up', '2026-08-20T09:59:59Z', 0.5],
    ])
  })

  test.each([
    ['?scrapePool=cdi', 1],
    ['?scrapePool=a%22b', 0],
    ['?state=active', 3],
    ['?state=any', 3],
    ['?state=dropped', 0],
  ])('%s leaves %i', async (search, count) => {
    expect(((await get(`targets${search}`, TargetList)) as { activeTargets: unknown[] }).activeTargets).toHaveLength(
      count,
    )
  })

  test('pools are their jobs', async () => {
    expect(await get('scrape_pools', ScrapePools)).toEqual({ scrapePools: ['cdi', 'hco'] })
  })

  test('metadata is not known by target', async () => {
    const search = '?match_target={job="hco"}&metric=up&limit=3'
    expect((await server.app.inject(`/api/v1/targets/metadata${search}`)).json()).toEqual({
      status: 'success',
      data: [],
    })
  })

  test.each([
    ['?match_target={', /^invalid parameter "match_target": 1:\d+: parse error: /],
    ['?limit=x', /^limit must be a number$/],
  ])('metadata%s is refused', async (search, error) => {
    const answer = await server.app.inject(`/api/v1/targets/metadata${search}`)
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { status: 'error', errorType: 'bad_data', error: expect.stringMatching(error) as string },
    ])
  })
})

test('Alertmanagers are those that are told', async () => {
  expect(await get('alertmanagers', AlertmanagerList)).toEqual({
    activeAlertmanagers: [
      { url: 'http://me:xxxxx@am:9093/api/v2/alerts' },
      { url: 'https://am.example/base/api/v2/alerts' },
    ],
    droppedAlertmanagers: [],
  })
})

test('notifications: none, and no stream of them', async () => {
  expect((await server.app.inject('/api/v1/notifications')).json()).toEqual({ status: 'success', data: [] })
  expect((await server.app.inject('/api/v1/notifications/live')).statusCode).toBe(204)
})

describe('features', () => {
  test('are answered by area', async () => {
    expect(await get('features', Features)).toEqual(features(STABLE_LANGUAGE))
  })

  // A part that can be used is refused for its arguments only, if at all.
  const isRefused = (expr: string, language: ParseOptions): boolean =>
    diagnose(expr, language).some(({ message }) => /experimental|not supported|unknown function/.test(message))

  test.each([STABLE_LANGUAGE, { experimental: true }])('are those that work: %j', (language) => {
    const { promql_functions = {}, promql_operators = {}, promql = {} } = features(language)
    expect(promql_functions).toMatchObject({ rate: true, mad_over_time: language.experimental })
    expect(promql).toMatchObject({ offset: true, duration_expr: language.experimental })
    for (const [name, isOn] of Object.entries(promql_functions)) {
      expect({ name, isOn: !isRefused(`${name}()`, language) }).toEqual({ name, isOn })
    }
    for (const [name, isOn] of Object.entries(promql_operators).filter(([name]) => /^[a-z_]+$/.test(name))) {
      expect({ name, isOn: !isRefused(`${name} (1, up)`, language) }).toEqual({ name, isOn })
    }
  })
})

describe('what would change the store or the process', () => {
  test.each(['delete_series?match[]=up', 'clean_tombstones', 'snapshot'])('%s is off', async (action) => {
    for (const method of ['POST', 'PUT'] as const) {
      const answer = await server.app.inject({ method, url: `/api/v1/admin/tsdb/${action}` })
      expect([answer.statusCode, answer.json()]).toEqual([
        500,
        { status: 'error', errorType: 'unavailable', error: 'admin APIs disabled' },
      ])
    }
  })

  test('/-/quit is off', async () => {
    const answer = await server.app.inject({ method: 'POST', url: '/-/quit' })
    expect([answer.statusCode, answer.body]).toEqual([403, 'Lifecycle API is not enabled.'])
  })
})
