import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
} from '../../src/contract/prometheus-status.ts'
import {
  AlertList,
  ExemplarList,
  MetadataMap,
  QueryAnswer,
  RuleList,
  SeriesList,
  TextList,
} from '../../src/contract/prometheus.ts'
import { FIXED64, ProtobufWriter, VARINT } from '../../src/wire/protobuf.ts'
import { encodeSnappy } from '../../src/wire/snappy.ts'
import { histogramBytes } from '../support/histograms.ts'
import { settled, skipInScaleOut } from '../support/mode.ts'
import { postWrite } from '../support/remote-write.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'

// What stock clients send, parameter by parameter, to the real program: Grafana's Prometheus data source, Perses in the
// browser and behind its proxy, vmalert, promtool, Prometheus' own pages, and a Prometheus that federates.

const folder = tempDir('clients')
const NOW_MS = Math.floor(Date.now() / 1000) * 1000
const NOW = NOW_MS / 1000
const PERSES = 'https://perses.example'
let server: RunningServer

/** A write request with all that a series can bring: floats, a native histogram, exemplars, and metadata of two families. */
function sentByPrometheus(): Uint8Array {
  const request = new ProtobufWriter()
  const point = (value: number, timeMs: number): ProtobufWriter => {
    const writer = new ProtobufWriter()
    writer.tag(1, FIXED64)
    writer.double(value)
    writer.tag(2, VARINT)
    writer.int64(timeMs)
    return writer
  }
  const label = (into: ProtobufWriter, name: string, value: string): void => {
    const pair = new ProtobufWriter()
    pair.text(1, name)
    pair.text(2, value)
    into.bytes(1, pair.finish())
  }
  const series = (labels: Record<string, string>, fill: (writer: ProtobufWriter) => void): void => {
    const writer = new ProtobufWriter()
    for (const name of Object.keys(labels).sort()) label(writer, name, labels[name]!)
    fill(writer)
    request.bytes(1, writer.finish())
  }
  const common = { cluster: 'prague', instance: 'i1', job: 'hco' }
  for (const [name, value] of [
    ['up', 1],
    ['scrape_duration_seconds', 0.25],
  ] as const) {
    series({ ...common, __name__: name }, (writer) => {
      for (let ago = 60; ago >= 0; ago -= 15) writer.bytes(2, point(value, NOW_MS - ago * 1000).finish())
    })
  }
  series({ ...common, __name__: 'rpc_requests_total' }, (writer) => {
    for (let ago = 60; ago >= 0; ago -= 15) writer.bytes(2, point(600 - ago, NOW_MS - ago * 1000).finish())
    const exemplar = new ProtobufWriter()
    label(exemplar, 'trace_id', 'abc')
    exemplar.tag(2, FIXED64)
    exemplar.double(0.5)
    exemplar.tag(3, VARINT)
    exemplar.int64(NOW_MS - 1000)
    writer.bytes(3, exemplar.finish())
  })
  series({ ...common, __name__: 'rpc_seconds' }, (writer) => {
    const spans = [{ offset: 0, length: 2 }]
    const histogram = {
      countInteger: 3,
      sum: 4.5,
      schema: 0,
      zeroThreshold: 0.001,
      positiveSpans: spans,
      positiveDeltas: [1, 1],
    }
    writer.bytes(4, histogramBytes({ ...histogram, timeMs: NOW_MS - 1000 }))
  })
  for (const [type, name, help] of [
    [1, 'rpc_requests_total', 'Requests.'],
    [3, 'rpc_seconds', 'Seconds.'],
  ] as const) {
    const metadata = new ProtobufWriter()
    metadata.tag(1, VARINT)
    metadata.varint(type)
    metadata.text(2, name)
    metadata.text(4, help)
    request.bytes(3, metadata.finish())
  }
  return encodeSnappy(request.finish())
}

beforeAll(async () => {
  server = await startServer([
    'serve',
    ...['--listen', '127.0.0.1:0', '--data', folder.path, '--web.cors-origins', PERSES, '--no-own-metrics'],
    ...['--alertmanager', 'http://me:secret@127.0.0.1:9'],
  ])
  expect((await postWrite(server.url, sentByPrometheus())).status).toBe(204)
  await settled(server.url)
})
afterAll(async () => {
  await server.stop()
  folder.remove()
})

interface Sent {
  /** Form fields make it a POST. */
  readonly form?: Readonly<Record<string, string | readonly string[]>>
  readonly headers?: Readonly<Record<string, string>>
}

function pairsOf(fields: NonNullable<Sent['form']>): [string, string][] {
  return Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  )
}

async function send(
  path: string,
  { form, headers = {} }: Sent = {},
): Promise<{ status: number; headers: Headers; data: unknown }> {
  const post = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(pairsOf(form)) }
  const answer = await fetch(`${server.url}${path}`, { ...post, headers })
  const body = (await answer.json()) as { data: unknown }
  return { status: answer.status, headers: answer.headers, data: body.data }
}

/** Sends, and holds the answer to its contract. */
async function ask(schema: TSchema, path: string, sent: Sent = {}): Promise<unknown> {
  const post = sent.form === undefined ? {} : { method: 'POST', body: new URLSearchParams(pairsOf(sent.form)) }
  const answer = await fetch(`${server.url}${path}`, { ...post, headers: sent.headers ?? {} })
  const body: unknown = await answer.json()
  expect({ path, status: answer.status, errors: [...Value.Errors(schema, body)] }).toEqual({
    path,
    status: 200,
    errors: [],
  })
  return (body as { data: unknown }).data
}

describe('Grafana', () => {
  const headers = {
    'x-grafana-org-id': '1',
    'x-dashboard-uid': 'adx8g',
    'x-panel-id': '2',
    'x-datasource-uid': 'daytwo',
    'user-agent': 'Grafana/12.0.0',
    'accept-encoding': 'gzip',
  }
  const times = { start: String(NOW - 60.123), end: String(NOW + 0.456) }

  test('saves and tests its data source', async () => {
    expect(await ask(QueryAnswer, '/api/v1/query', { form: { query: '1+1', time: '4' }, headers })).toEqual({
      resultType: 'scalar',
      result: [4, '2'],
    })
    const build = (await ask(BuildInfo, '/api/v1/status/buildinfo', { headers })) as Record<string, string>
    expect(build['version']).toMatch(/^3\.\d+\.\d+$/)
    expect(build).not.toHaveProperty('features')
    await ask(Flags, '/api/v1/status/flags', { headers })
  })

  test('draws a panel', async () => {
    const form = { query: 'rate(rpc_requests_total[30s])', ...times, step: '15.000', timeout: '30s', nonsense: 'x' }
    const data = (await ask(QueryAnswer, '/api/v1/query_range', { form, headers })) as QueryAnswer['data']
    expect(data).toMatchObject({ resultType: 'matrix', result: [{ metric: { cluster: 'prague' } }] })
    const instant = { query: 'up', time: String(NOW + 0.123456) }
    expect(await ask(QueryAnswer, '/api/v1/query', { form: instant, headers })).toMatchObject({
      result: [{ value: [NOW + 0.123, '1'] }],
    })
  })

  test('draws a native histogram and its exemplars', async (context) => {
    skipInScaleOut(context, 'VictoriaMetrics stores neither native histograms nor exemplars')
    const { result } = (await ask(QueryAnswer, '/api/v1/query', { form: { query: 'rpc_seconds' }, headers })) as {
      result: { histogram: [number, unknown] }[]
    }
    expect(result[0]!.histogram[1]).toEqual({
      count: '3',
      sum: '4.5',
      buckets: [
        [0, '0.5', '1', '1'],
        [0, '1', '2', '2'],
      ],
    })
    const form = { query: 'rate(rpc_requests_total[5m])', ...times }
    expect(await ask(ExemplarList, '/api/v1/query_exemplars', { form, headers })).toMatchObject([
      {
        seriesLabels: { __name__: 'rpc_requests_total' },
        exemplars: [{ labels: { trace_id: 'abc' }, value: '0.5', timestamp: NOW - 1 }],
      },
    ])
  })

  test('helps to write a query', async () => {
    expect(
      await ask(TextList, '/api/v1/labels', { form: { 'match[]': 'up', ...times, limit: '40000' }, headers }),
    ).toContain('job')
    const search = new URLSearchParams({ 'match[]': '{job="hco"}', ...times, limit: '40000' }).toString()
    expect(await ask(TextList, `/api/v1/label/__name__/values?${search}`, { headers })).toContain('rpc_seconds')
    expect(
      await ask(SeriesList, '/api/v1/series', { form: { 'match[]': ['up', 'rpc_seconds'], ...times }, headers }),
    ).toHaveLength(2)
    expect(await ask(MetadataMap, '/api/v1/metadata?limit=40000&limit_per_metric=1', { headers })).toMatchObject({
      rpc_requests_total: [{ type: 'counter', help: 'Requests.', unit: '' }],
      rpc_seconds: [{ type: 'histogram', help: 'Seconds.', unit: '' }],
    })
  })

  test('lists rules and alerts', async () => {
    const { groups } = (await ask(RuleList, '/api/v1/rules?type=alert&exclude_alerts=true&group_limit=2', {
      headers,
    })) as {
      groups: unknown[]
    }
    expect(groups).toHaveLength(2)
    await ask(AlertList, '/api/v1/alerts', { headers })
  })
})

describe('Perses', () => {
  const headers = { origin: PERSES, 'content-type': 'application/x-www-form-urlencoded' }

  test('asks from the browser, after a preflight', async () => {
    const preflight = await fetch(`${server.url}/api/v1/query_range`, {
      method: 'OPTIONS',
      headers: {
        origin: PERSES,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, PERSES])
    const form = { query: 'up', start: String(NOW - 60), end: String(NOW), step: '15' }
    const answer = await send('/api/v1/query_range', { form, headers })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, PERSES])
  })

  test('checks, completes and parses', async () => {
    expect((await fetch(`${server.url}/-/healthy`)).status).toBe(200)
    const range = { start: String(NOW - 60), end: String(NOW) }
    expect(await ask(TextList, '/api/v1/labels', { form: { 'match[]': ['up'], ...range }, headers })).toContain(
      'cluster',
    )
    expect(
      await ask(TextList, `/api/v1/label/job/values?${new URLSearchParams(range).toString()}`, { headers }),
    ).toEqual(['hco'])
    const parsed = await send('/api/v1/parse_query', { form: { query: 'sum by (job) (rate(x_total[5m]))' }, headers })
    expect(parsed.data).toMatchObject({ type: 'aggregation', grouping: ['job'], expr: { func: { name: 'rate' } } })
    expect((await send('/api/v1/metadata?metric=rpc_seconds', { headers })).data).toHaveProperty('rpc_seconds')
  })
})

test('vmalert asks with parameters of its own', async () => {
  const search = new URLSearchParams({
    query: 'up == 1',
    time: String(NOW),
    step: '30s',
    nocache: '1',
    round_digits: '3',
  }).toString()
  expect(await ask(QueryAnswer, `/api/v1/query?${search}`)).toMatchObject({ result: [{ value: [NOW, '1'] }] })
  const replay = new URLSearchParams({
    query: 'up',
    start: '2026-08-20T10:00:00Z',
    end: '2026-08-20T10:01:00Z',
    step: '30s',
  })
  expect(await ask(QueryAnswer, `/api/v1/query_range?${replay.toString()}`)).toMatchObject({ result: [] })
})

test('promtool asks a year back and a year ahead', async () => {
  const year = 31_536_000
  const search = new URLSearchParams({ start: String(NOW - year + 0.1234567), end: String(NOW + year + 0.1234567) })
  search.append('match[]', 'up')
  expect(await ask(SeriesList, `/api/v1/series?${search.toString()}`)).toHaveLength(1)
})

test('the pages of Prometheus find all they ask for', async () => {
  const options = await ask(Flags, '/api/v1/status/flags')
  expect(options).toMatchObject({ data: folder.path, alertmanager: 'http://me:xxxxx@127.0.0.1:9' })
  expect(JSON.stringify(await ask(ConfigFile, '/api/v1/status/config'))).not.toMatch(/secret(?!-file)/)
  const runtime = (await ask(RuntimeInfo, '/api/v1/status/runtimeinfo')) as { startTime: string; CWD: string }
  expect(Math.abs(Date.parse(runtime.startTime) - NOW_MS)).toBeLessThan(10 * 60_000)
  expect(await ask(TsdbStatus, '/api/v1/status/tsdb')).toMatchObject({
    headStats: { numSeries: 4, numLabelPairs: 7, maxTime: NOW_MS },
    seriesCountByLabelValuePair: expect.arrayContaining([{ name: 'job=hco', value: 4 }]) as unknown,
  })
  expect(await ask(TargetList, '/api/v1/targets?state=active')).toMatchObject({
    activeTargets: [{ health: 'up', scrapePool: 'hco', lastScrapeDuration: 0.25 }],
  })
  expect(await ask(AlertmanagerList, '/api/v1/alertmanagers')).toEqual({
    activeAlertmanagers: [{ url: 'http://me:xxxxx@127.0.0.1:9/api/v2/alerts' }],
    droppedAlertmanagers: [],
  })
  await ask(WalReplay, '/api/v1/status/walreplay')
  await ask(Features, '/api/v1/features')
  expect(await ask(ScrapePools, '/api/v1/scrape_pools')).toEqual({ scrapePools: ['hco'] })
  expect((await send('/api/v1/notifications')).data).toEqual([])
})

test('a Prometheus federates, and a native histogram stays behind', async () => {
  const accept =
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.4,*/*;q=0.3'
  const answer = await fetch(`${server.url}/federate?match[]={job="hco"}`, { headers: { accept } })
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8; escaping=allow-utf-8')
  const labels = 'cluster="prague",instance="i1",job="hco"'
  expect(await answer.text()).toBe(
    [
      '# TYPE rpc_requests_total untyped',
      `rpc_requests_total{${labels}} 600 ${NOW_MS}`,
      '# TYPE scrape_duration_seconds untyped',
      `scrape_duration_seconds{${labels}} 0.25 ${NOW_MS}`,
      '# TYPE up untyped',
      `up{${labels}} 1 ${NOW_MS}`,
      '',
    ].join('\n'),
  )
})
