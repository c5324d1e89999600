import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import type { Matcher } from '../../src/model/matcher.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import type { QueryResult } from '../../src/promql/query-engine.ts'
import { NO_LAG, type Lag, type ProcessLag } from '../../src/remote/lag.ts'
import type { RemoteStore } from '../../src/remote/remote-store.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'
import { engineOver, FakeStore, series, storeAt } from './fake-store.ts'

const T0 = 1_787_220_000_000
const MINUTE_MS = 60_000
let fake: FakeStore
let store: RemoteStore
let lag: Lag

beforeEach(async () => {
  lag = NO_LAG
  fake = await new FakeStore().start()
  store = storeAt(fake.url, {}, () => lag)
  for (const cluster of ['a', 'b']) {
    for (let i = 0; i <= 60; i++) {
      fake.memory.append(
        series('up', { cluster, job: 'api', instance: 'i' }),
        T0 + i * MINUTE_MS,
        cluster === 'a' ? 1 : i,
      )
    }
    fake.memory.append(series('target_info', { cluster, job: 'api', instance: 'i', version: `v-${cluster}` }), T0, 1)
  }
})
afterEach(async () => {
  store.close()
  await fake.stop()
})

const values = ({ value }: QueryResult): Record<string, number> =>
  Object.fromEntries(value.type === 'vector' ? value.samples.map((one) => [one.labels.toString(), one.value]) : [])

describe('a query is sent as a whole', () => {
  test('with its time, lookback and time limit', async () => {
    const result = await engineOver(store).instant({
      expr: 'sum(up)',
      timeMs: T0 + 500,
      lookbackMs: 120_000,
      timeoutMs: 5000,
    })
    expect(values(result)).toEqual({ '{}': 1 })
    const { method, params, headers } = fake.lastTo('/api/v1/query')!
    expect(method).toBe('POST')
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(Object.fromEntries(params)).toEqual({
      ...{ query: 'sum(up)', time: '1787220000.5', lookback_delta: '120', timeout: '5' },
    })
    expect(store.counters.totals().queries).toEqual({ pushed: 1 })
    expect(result.stats).toMatchObject({ samplesRead: 1, seriesRead: 1 })
  })

  test('as a range, in parts when it has too many steps', async () => {
    const query = { expr: 'up{cluster="b"}', startMs: T0, endMs: T0 + 11_500 * 100, stepMs: 100 }
    const { value } = await engineOver(store).range(query)
    expect(fake.requests.filter(({ path }) => path === '/api/v1/query_range')).toHaveLength(2)
    const memory = createLocalEngine({ queryable: fake.memory, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => 0 })
    expect(value).toEqual((await memory.range(query)).value)
  })

  test('fixed at an end of its range it is not divided', async () => {
    const query = { startMs: T0, endMs: T0 + 11_500 * 100, stepMs: 100 }
    await engineOver(store).range({ ...query, expr: 'up @ end()' })
    expect(fake.queries()).toEqual([])
    expect(store.counters.totals().queries).toEqual({ local_split: 1 })
  })

  test('counts of samples by step are those of the store', async () => {
    const query = { expr: 'up', startMs: T0, endMs: T0 + MINUTE_MS, stepMs: MINUTE_MS, countsSteps: true }
    const { stats } = await engineOver(store).range(query)
    expect(stats.samplesByStep).toEqual([
      { timeMs: T0, samples: 2 },
      { timeMs: T0 + MINUTE_MS, samples: 2 },
    ])
  })

  test('types: scalar and string need no store, a range vector keeps its samples', async () => {
    const engine = engineOver(store)
    expect((await engine.instant({ expr: 'scalar(sum(up))', timeMs: T0 })).value).toEqual({
      type: 'scalar',
      timeMs: T0,
      value: 1,
    })
    expect((await engine.instant({ expr: '"a"', timeMs: T0 })).value).toEqual({
      type: 'string',
      timeMs: T0,
      value: 'a',
    })
    const { value } = await engine.instant({ expr: 'up{cluster="b"}[90s]', timeMs: T0 + 2 * MINUTE_MS })
    expect(value).toMatchObject({ type: 'matrix', series: [{ values: Float64Array.of(1, 2) }] })
    expect(store.counters.totals().queries).toEqual({ pushed: 2, local_constant: 1 })
  })

  test('a scalar has a value at each step, also where VictoriaMetrics omits NaN', async () => {
    const range = { expr: 'scalar(up)', startMs: T0, endMs: T0 + 3 * MINUTE_MS, stepMs: MINUTE_MS }
    const respond = (result: unknown): void => {
      fake.answers.set('/api/v1/query_range', (_request, response) => {
        response.end(JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } }))
      })
    }
    const point = (minute: number): [number, string] => [T0 / 1000 + minute * 60, '5']
    respond([{ metric: {}, values: [point(1), point(3)] }])
    const series = {
      labels: expect.objectContaining({ key: '' }) as unknown,
      timesMs: Float64Array.from([0, 1, 2, 3], (minute) => T0 + minute * MINUTE_MS),
    }
    const engine = engineOver(store)
    expect((await engine.range(range)).value).toMatchObject({
      series: [{ ...series, values: Float64Array.of(NaN, 5, NaN, 5) }],
    })
    respond([])
    expect((await engine.range(range)).value).toMatchObject({
      series: [{ ...series, values: new Float64Array(4).fill(NaN) }],
    })
  })

  test('a text that was changed has annotations without places, and its own text has them', async () => {
    const engine = engineOver(store)
    const own = await engine.instant({ expr: 'rate(up[5m])', timeMs: T0 + 5 * MINUTE_MS })
    expect(own.infos).toEqual([expect.stringMatching(/not be a counter.*\(1:6\)$/)])
    const changed = await engine.instant({ expr: 'rate(up[2m + 3m])', timeMs: T0 + 5 * MINUTE_MS })
    expect(fake.queries().at(-1)).toBe('rate(up[5m])')
    expect(changed.infos).toEqual([expect.stringMatching(/not be a counter[^(]*$/)])
    expect(values(changed)).toEqual(values(own))
    expect(store.counters.totals().queries).toEqual({ pushed: 1, rewritten: 1 })
  })
})

describe('a query is evaluated here', () => {
  const facts = new MemoryQueryable()
  facts.append(series('daytwo_cluster_info', { cluster: 'a', region: 'eu' }), T0, 1)
  const ownNames = ['daytwo_cluster_info']

  test('with series of facts, which are joined with fetched ones', async () => {
    fake.memory.append(series('daytwo_cluster_info', { cluster: 'old' }), T0, 1)
    const engine = engineOver(store, { facts, ownNames })
    const expr = 'up * on (cluster) group_left (region) daytwo_cluster_info'
    expect(values(await engine.instant({ expr, timeMs: T0 }))).toEqual({
      '{cluster="a", instance="i", job="api", region="eu"}': 1,
    })
    // Stored series of that name are of an earlier version.
    expect(
      values(await engine.instant({ expr: 'count by (__name__) ({__name__=~"daytwo.+|up"})', timeMs: T0 })),
    ).toEqual({
      daytwo_cluster_info: 1,
      up: 2,
    })
    expect(fake.queries()).toEqual([])
    expect(fake.requests.filter(({ path }) => path === '/api/v1/read').length).toBeGreaterThan(1)
    expect(store.counters.totals()).toMatchObject({ queries: { local_facts: 2 } })
  })

  test('what depends on what was read is fetched in a second round', async () => {
    const engine = engineOver(store, { facts, ownNames, scope: () => ({ name: 'cluster', op: '=~', value: 'a' }) })
    expect(values(await engine.instant({ expr: 'info(up)', timeMs: T0 }))).toEqual({
      'up{cluster="a", instance="i", job="api", version="v-a"}': 1,
    })
    expect(store.counters.totals().queries).toEqual({ local_scope: 1 })
  })

  test('when the store refuses it, in the words of this engine', async () => {
    fake.answers.set('/api/v1/query', (_, response) => {
      response.statusCode = 422
      response.end('{"status":"error","errorType":"execution","error":"expanding series"}')
    })
    const engine = engineOver(store)
    expect(values(await engine.instant({ expr: 'sum(up)', timeMs: T0 }))).toEqual({ '{}': 1 })
    await expect(
      engine.instant({ expr: 'label_replace(up, "cluster", "", "cluster", ".*")', timeMs: T0 }),
    ).rejects.toThrow('vector cannot contain metrics with the same labelset')
    expect(store.counters.totals().queries).toEqual({ pushed: 2, local_rejected: 2 })
  })

  test('within the limit on samples', async () => {
    const engine = engineOver(store, { facts, ownNames }, { samplesMax: 50 })
    const query = {
      expr: 'up + on (cluster) daytwo_cluster_info',
      startMs: T0,
      endMs: T0 + 60 * MINUTE_MS,
      stepMs: MINUTE_MS,
    }
    await expect(engine.range(query)).rejects.toMatchObject({ code: 'query_limit' })
    await expect(engine.range({ ...query, expr: 'up' })).rejects.toMatchObject({ code: 'query_limit' })
    // Each of two selectors is within it, and both together are not.
    const both = { ...query, expr: 'up{cluster="a"} or up{cluster="b"} or daytwo_cluster_info' }
    const narrow = engineOver(store, { facts, ownNames }, { samplesMax: 100 })
    await expect(narrow.range(both)).rejects.toMatchObject({
      code: 'query_limit',
      message: expect.stringContaining('100 samples, the value of query.samples-max') as string,
    })
    expect((await engineOver(store, { facts, ownNames }, { samplesMax: 200 }).range(both)).stats.samplesRead).toBe(123)
  })

  test('an invalid query is refused before it is sent', async () => {
    await expect(engineOver(store).instant({ expr: 'up +', timeMs: T0 })).rejects.toMatchObject({ code: 'query_parse' })
    await expect(engineOver(store).range({ expr: 'up[5m]', startMs: T0, endMs: T0, stepMs: 1 })).rejects.toThrow(
      'invalid expression type "range vector" for range query',
    )
    expect(fake.queries()).toEqual([])
  })
})

describe('samples that are not in the store yet', () => {
  const buffer = new MemoryQueryable()
  buffer.append(series('up', { cluster: 'a', job: 'api', instance: 'i' }), T0 + 60 * MINUTE_MS, 1)
  buffer.append(series('up', { cluster: 'a', job: 'api', instance: 'i' }), T0 + 61 * MINUTE_MS, 7)
  buffer.append(series('up', { cluster: 'new', job: 'api', instance: 'i' }), T0 + 61 * MINUTE_MS, 8)
  const nowMs = T0 + 61 * MINUTE_MS

  const own = (seconds: number): ProcessLag => ({ name: 'a', isOwn: true, samples: 9, seconds })
  const other = (name: string, seconds: number, more: Partial<ProcessLag> = {}): ProcessLag => {
    return { name, isOwn: false, samples: 1200, seconds, ...more }
  }
  const facts = { facts: new MemoryQueryable(), ownNames: ['daytwo_cluster_info'] }

  test('are a warning of a query that is sent, with the processes that have them', async () => {
    lag = { behind: [own(6), other('b', 40)], atMs: nowMs }
    const engine = engineOver(store, { buffer })
    const { warnings } = await engine.instant({ expr: 'sum(up)', timeMs: nowMs })
    expect(warnings).toEqual(['samples of the last 40 s of a, b are not in the metrics store yet'])
    expect((await engine.explain({ expr: 'sum(up)', timeMs: nowMs })).warnings).toEqual(warnings)
    expect((await engine.instant({ expr: 'sum(up)', timeMs: nowMs - 40_000 })).warnings).toEqual([])
    expect((await engine.instant({ expr: 'sum(up)', timeMs: nowMs - 39_999 })).warnings).toHaveLength(1)
    lag = { behind: [{ ...own(40), name: '' }], atMs: nowMs }
    expect((await engine.instant({ expr: 'sum(up)', timeMs: nowMs })).warnings).toEqual([
      'samples of the last 40 s are not in the metrics store yet',
    ])
  })

  test('are read from this process by a query that is evaluated here', async () => {
    lag = { behind: [own(60)], atMs: nowMs }
    const engine = engineOver(store, { buffer, ...facts })
    const result = await engine.instant({ expr: 'max by (cluster) (up or daytwo_cluster_info)', timeMs: nowMs })
    expect(values(result)).toEqual({ '{cluster="a"}': 7, '{cluster="b"}': 60, '{cluster="new"}': 8 })
    expect(result.warnings).toEqual([])
    lag = { behind: [own(60), other('b', 20)], atMs: nowMs }
    const query = { expr: 'max(up or daytwo_cluster_info)', timeMs: nowMs }
    const sentence = 'samples of the last 20 s of b are not in the metrics store yet'
    expect((await engine.instant(query)).warnings).toEqual([sentence])
    expect((await engine.explain(query)).warnings).toEqual([sentence])
  })

  test('without a lag the buffer is not read, and a short lag is not reported', async () => {
    const engine = engineOver(store, { buffer, ...facts })
    const expr = 'max by (cluster) (up or daytwo_cluster_info)'
    expect(values(await engine.instant({ expr, timeMs: nowMs }))).not.toHaveProperty(['{cluster="new"}'])
    lag = { behind: [other('b', 4.9)], atMs: nowMs }
    expect((await engine.instant({ expr: 'up', timeMs: nowMs })).warnings).toEqual([])
    lag = { behind: [other('b', 5)], atMs: nowMs }
    expect((await engine.instant({ expr: 'up', timeMs: nowMs })).warnings).toHaveLength(1)
  })

  test('of a process that has stopped are named, however short its lag was', async () => {
    const engine = engineOver(store, { buffer })
    const query = { expr: 'up', timeMs: nowMs }
    lag = { behind: [other('b', 303, { stoppedSeconds: 300 })], atMs: nowMs }
    expect((await engine.instant(query)).warnings).toEqual([
      '1200 samples of b may be missing: it stopped 5m ago, and its data folder has them until it runs again',
    ])
    expect((await engine.instant({ ...query, timeMs: nowMs - 303_000 })).warnings).toEqual([])
    lag = { behind: [other('b', 3, { samples: 0, stoppedSeconds: 1 })], atMs: nowMs }
    expect((await engine.instant(query)).warnings).toEqual([
      'the last seconds of b may be missing: it stopped 1s ago, and its data folder has them until it runs again',
    ])
    const many = Array.from({ length: 9 }, (_, i) => other(`p${i}`, 30, i > 6 ? {} : { stoppedSeconds: 20 }))
    lag = { behind: many, atMs: nowMs }
    expect((await engine.instant(query)).warnings).toHaveLength(6)
    lag = { behind: Array.from({ length: 7 }, (_, i) => other(`p${i}`, 30)), atMs: nowMs }
    expect((await engine.instant(query)).warnings).toEqual([
      'samples of the last 30 s of p0, p1, p2, p3, p4 and 2 more are not in the metrics store yet',
    ])
  })

  test('are unknown while PostgreSQL does not answer', async () => {
    lag = { behind: [], atMs: nowMs, unknownSeconds: 40 }
    const engine = engineOver(store, { buffer })
    expect((await engine.instant({ expr: 'up', timeMs: nowMs })).warnings).toEqual([
      'how far other processes have forwarded has been unknown for 40s: PostgreSQL does not answer',
    ])
    expect((await engine.instant({ expr: 'up', timeMs: nowMs - 40_000 })).warnings).toEqual([])
  })
})

describe('metrics about the server itself', () => {
  const buffer = new MemoryQueryable()
  const own = (value: string) => series('daytwo_forward_lag_seconds', { instance: value })
  const timeMs = T0 + 60 * MINUTE_MS
  const serverMetrics = new Set(['daytwo_forward_lag_seconds'])
  const expr = 'max by (instance) (daytwo_forward_lag_seconds) > 300'
  buffer.append(own('a'), timeMs, 400)
  const parts = { buffer, serverMetrics, recordedNames: () => [...serverMetrics] }

  beforeEach(() => {
    fake.memory.append(own('a'), timeMs - MINUTE_MS, 301)
    fake.memory.append(own('b'), timeMs, 500)
  })

  test('are read by rules from the store and from this process, which may not be able to forward them', async () => {
    const result = await engineOver(store, parts).instant({ expr, timeMs })
    expect(values(result)).toEqual({ '{instance="a"}': 400, '{instance="b"}': 500 })
    expect(result.isPartial).toBeUndefined()
  })

  test.each([
    ['rules', parts],
    ['requests', { buffer, serverMetrics }],
  ])('of this process are answered while the store does not answer: %s', async (_, some) => {
    const engine = engineOver(store, some)
    // Known, and then away.
    await engine.instant({ expr: 'up', timeMs })
    fake.answers.set('/api/v1/query', (_request, response) => void response.writeHead(503).end())
    fake.answers.set('/api/v1/read', (_request, response) => void response.writeHead(503).end())
    for (let i = 0; i < 5; i++) {
      const result = await engine.instant({ expr, timeMs })
      expect(values(result)).toEqual({ '{instance="a"}': 400 })
      expect(result.isPartial).toBe(true)
      expect(result.warnings).toEqual([expect.stringContaining('only what this process measured itself')])
    }
    await expect(engine.instant({ expr: `up or ${expr}`, timeMs })).rejects.toMatchObject({
      code: 'remote_unavailable',
    })
    expect((await engine.explain({ expr, timeMs })).warnings).toHaveLength(1)
  })

  test('are answered although the store was never reached', async () => {
    const gone = storeAt('http://127.0.0.1:1', {}, () => lag)
    const engine = engineOver(gone, { buffer, serverMetrics })
    const result = await engine.instant({ expr, timeMs })
    expect(values(result)).toEqual({ '{instance="a"}': 400 })
    await expect(engine.instant({ expr: 'up', timeMs })).rejects.toMatchObject({ code: 'remote_unavailable' })
    await expect(engine.instant({ expr: `up or ${expr}`, timeMs })).rejects.toMatchObject({
      code: 'remote_unavailable',
    })
    gone.close()
  })

  test('a query that the store refuses is not answered from here alone', async () => {
    const engine = engineOver(store, parts)
    await engine.instant({ expr, timeMs })
    fake.answers.set('/api/v1/read', (_request, response) => void response.writeHead(413).end())
    await expect(engine.instant({ expr, timeMs })).rejects.toMatchObject({ code: 'query_limit' })
  })
})

test('series that rules record are read here by the next rule, with and without a lag', async () => {
  const buffer = new MemoryQueryable()
  buffer.append(series('up:sum'), T0 + 60 * MINUTE_MS, 60)
  fake.memory.append(series('up:sum'), T0 + 59 * MINUTE_MS, 59)
  const timeMs = T0 + 60 * MINUTE_MS
  const ofRules = engineOver(store, { buffer, recordedNames: () => ['up:sum'] })
  expect(values(await ofRules.instant({ expr: 'up:sum', timeMs }))).toEqual({ 'up:sum': 60 })
  expect(values(await ofRules.instant({ expr: 'max_over_time(up:sum[5m]) - up:sum offset 1m', timeMs }))).toEqual({
    '{}': 1,
  })
  expect(store.counters.totals().queries).toEqual({ local_recorded: 2 })
  expect(values(await engineOver(store, { buffer }).instant({ expr: 'up:sum', timeMs }))).toEqual({ 'up:sum': 59 })
})

describe('lists', () => {
  const facts = new MemoryQueryable()
  facts.append(series('daytwo_cluster_info', { cluster: 'a', region: 'eu' }), T0, 1)
  const buffer = new MemoryQueryable()
  buffer.append(series('up', { cluster: 'new', zone: 'z' }), T0, 1)
  const range = { fromMs: T0 - MINUTE_MS, toMs: T0 + MINUTE_MS }
  const named: Matcher[] = [{ name: '__name__', op: '=', value: 'up' }]
  const all: Matcher[] = [{ name: '__name__', op: '!=', value: '' }]

  test('have series of the store, of facts and of the buffer, once', async () => {
    const engine = engineOver(store, { facts, buffer, ownNames: ['daytwo_cluster_info'] })
    expect((await engine.series([named, all], range)).map(String)).toEqual([
      'daytwo_cluster_info{cluster="a", region="eu"}',
      'target_info{cluster="a", instance="i", job="api", version="v-a"}',
      'target_info{cluster="b", instance="i", job="api", version="v-b"}',
      'up{cluster="a", instance="i", job="api"}',
      'up{cluster="b", instance="i", job="api"}',
      'up{cluster="new", zone="z"}',
    ])
    expect(await engine.labelNames([], range)).toEqual([
      '__name__',
      'cluster',
      'instance',
      'job',
      'region',
      'version',
      'zone',
    ])
    expect(await engine.labelValues('cluster', [named], range)).toEqual(['a', 'b', 'new'])
    expect(fake.lastTo('/api/v1/label/cluster/values')?.params.getAll('match[]')).toEqual(['{__name__="up"}'])
    await engine.series([[{ name: '__name__', op: '=', value: 'daytwo_cluster_info' }]], range)
    expect(fake.requests.filter(({ path }) => path === '/api/v1/series')).toHaveLength(1)
  })

  test('of a scope have nothing of other clusters', async () => {
    const scope = (): Matcher => ({ name: 'cluster', op: '=~', value: 'a' })
    const engine = engineOver(store, { facts, buffer, ownNames: ['daytwo_cluster_info'], scope })
    expect(await engine.labelValues('cluster', [], range)).toEqual(['a'])
    expect(await engine.labelNames([], range)).not.toContain('zone')
    expect((await engine.series([all], range)).every((labels) => labels.get('cluster') === 'a')).toBe(true)
  })

  test('exemplars and metadata as Prometheus answers them', async () => {
    fake.answers.set('/api/v1/query_exemplars', (_, response) => {
      const exemplars = [{ labels: { trace_id: 't' }, value: '6', timestamp: 1787220000.123 }]
      response.end(
        JSON.stringify({ status: 'success', data: [{ seriesLabels: { __name__: 'up', cluster: 'a' }, exemplars }] }),
      )
    })
    fake.answers.set('/api/v1/metadata', (_, response) => {
      response.end(
        '{"status":"success","data":{"up":[{"type":"gauge","help":"Up.","unit":""}],"other":[{"type":"odd"}]}}',
      )
    })
    const engine = engineOver(store)
    const [found] = await engine.exemplars([named], range)
    expect(found!.labels.toString()).toBe('up{cluster="a"}')
    expect(found!.exemplars).toMatchObject([{ value: 6, timeMs: 1787220000123 }])
    expect(await engine.metadata()).toEqual([
      { name: 'other', metadata: [{ type: 'unknown', help: '', unit: '' }] },
      { name: 'up', metadata: [{ type: 'gauge', help: 'Up.', unit: '' }] },
    ])
    const scoped = engineOver(store, { scope: () => ({ name: 'cluster', op: '=~', value: 'a' }) })
    expect((await scoped.metadata()).map(({ name }) => name)).toEqual(['up'])
  })

  test('exemplars and metadata are empty where the store has no such lists', async () => {
    for (const path of ['/api/v1/query_exemplars', '/api/v1/metadata']) {
      fake.answers.set(path, (_, response) => {
        response.statusCode = 404
        response.end()
      })
    }
    expect(await engineOver(store).exemplars([named], range)).toEqual([])
    expect(await engineOver(store).metadata()).toEqual([])
    fake.answers.set('/api/v1/metadata', (_, response) => {
      response.statusCode = 500
      response.end()
    })
    await expect(engineOver(store).metadata()).rejects.toMatchObject({ code: 'remote_unavailable' })
  })

  test('the newest sample of each series', async () => {
    fake.memory.appendStale(series('up', { cluster: 'b', job: 'api', instance: 'i' }), T0 + 61 * MINUTE_MS)
    const newest = await engineOver(store).newest([named], { fromMs: T0, toMs: T0 + 61 * MINUTE_MS })
    expect(newest.map(({ labels, timeMs, value }) => [String(labels), timeMs, value])).toEqual([
      ['up{cluster="a", instance="i", job="api"}', T0 + 60 * MINUTE_MS, 1],
    ])
  })
})

describe('an explanation', () => {
  test('of a query that is sent', async () => {
    const { remote, root, steps } = await engineOver(store).explain({ expr: 'sum(max_over_time(up[1m:]))', timeMs: T0 })
    expect(remote).toMatchObject({ way: 'rewritten', store: 'Prometheus 3.5.0', text: 'sum(max_over_time(up[1m:1m]))' })
    expect(root.kind).toBe('aggregate')
    expect(steps).toBe(1)
  })

  test('of a query that is evaluated here', async () => {
    const engine = engineOver(store, { ownNames: ['up'], facts: fake.memory })
    const { remote, root } = await engine.explain({ expr: 'sum(up)', timeMs: T0 })
    expect(remote).toMatchObject({ way: 'local', reason: 'up may select series that are computed from facts' })
    expect(root.result).toMatchObject({ series: 1 })
  })
})

test('while the store does not answer, queries fail with its name and what to check', async () => {
  await fake.stop()
  const engine = engineOver(store)
  const failure: unknown = await engine.instant({ expr: 'up', timeMs: T0 }).catch((thrown: unknown) => thrown)
  expect(failure).toBeInstanceOf(FleetError)
  expect(failure).toMatchObject({
    code: 'remote_unavailable',
    message: expect.stringContaining(
      `the metrics store at ${fake.url} cannot be queried: connect ECONNREFUSED`,
    ) as string,
    hint: 'check that the metrics store runs and can be reached from here',
  })
  // Constants need no store.
  expect((await engine.instant({ expr: 'vector(1)', timeMs: T0 })).value).toMatchObject({ type: 'vector' })
})
