/**
 * What once stopped the server or filled its memory or disk, each as one attack on a fresh server. An attack ends when its
 * clients have their answers, or have given up.
 */
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { Labels } from '../../src/model/labels.ts'
import { encodeWriteRequest, type WriteSeries } from '../../src/wire/remote-write-encode.ts'
import { encodeSnappy } from '../../src/wire/snappy.ts'
import type { Victim } from './victim.ts'

export interface Attack {
  readonly name: string
  /** Files in its folder, before the server starts; more options of the server. */
  readonly prepare?: (dir: string) => readonly string[]
  /** Returns what else is worth knowing. */
  run(victim: Victim): Promise<string>
}

const MIB = 1024 * 1024
const MINUTE_MS = 60_000
const PROTOBUF = 'application/x-protobuf'

export function attacks(quick: boolean): readonly Attack[] {
  const few = quick ? 0.1 : 1
  return [
    { name: 'nothing', run: () => wait(3000).then(() => '') },
    regexes,
    firingAlerts(10_000 * few),
    firingAlerts(100_000 * few),
    alertsOfOneSender,
    halfSentBodies(150),
    halfSentBodies(400),
    heavyQueries(2000 * few),
    everythingListed(quick ? 30_000 : 300_000),
    recordsOnAFullDisk,
    errorsOfBrowsers,
    longTexts,
    largeTrace,
    largeBodies('13 MiB of OTLP logs, three times', () => [otlpLogs(13 * MIB), '/v1/logs', 'application/json', '']),
    largeBodies('31 MiB of remote write, three times', () => [
      remoteWrite(31 * MIB),
      '/api/v1/write',
      PROTOBUF,
      'snappy',
    ]),
    nestedJson,
    slowHeaders,
    ruleTests,
  ]
}

const regexes: Attack = {
  name: 'exponential regular expressions',
  run: async (victim) => {
    const now = Math.floor(victim.nowMs / 1000)
    await victim.write(bodyOf([series({ __name__: 'm', cluster: 'a', text: 'ab'.repeat(2000) }, victim.nowMs)]))
    const patterns = ['((a|ab)(c|bc))'.repeat(34), '(a|b|c|d)*'.repeat(500), '(x+x+)+y']
    await Promise.all(
      patterns.flatMap((pattern) => {
        const replace = `label_replace(m, "x", "$1", "text", ${JSON.stringify(pattern)})`
        const filter = new URLSearchParams({ filter: `text=~${JSON.stringify(pattern)}` }).toString()
        const silence = {
          ...{
            comment: 'x',
            createdBy: 'x',
            matchers: [{ name: 'text', value: pattern, isRegex: true, isEqual: true }],
          },
          ...{
            startsAt: new Date(victim.nowMs).toISOString(),
            endsAt: new Date(victim.nowMs + MINUTE_MS).toISOString(),
          },
        }
        return [
          victim.ask(`/api/v1/query?${new URLSearchParams({ query: replace, time: String(now) }).toString()}`),
          victim.ask(`/api/v2/alerts?${filter}`),
          victim.json('/api/v2/silences', silence),
        ]
      }),
    )
    return ''
  },
}

/** Alerts of one rule, ten of them per cluster; a receiver, a page, and one alert that a cluster reports too. */
function firingAlerts(count: number): Attack {
  let receiver: Server | undefined
  return {
    name: `${count} alerts fire, are shown and resolve`,
    prepare: (dir) => {
      receiver = createServer((request, response) => request.resume().on('end', () => response.end())).listen(
        0,
        '127.0.0.1',
      )
      const address = receiver.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      const rule =
        '{ alert: A, expr: m > 0, labels: { severity: warning }, annotations: { summary: "{{ $labels.vm }} is {{ $value }}" } }'
      writeFileSync(join(dir, 'rules', 'a.yaml'), `groups: [{ name: g, interval: 5s, rules: [${rule}] }]\n`)
      const route = '{ receiver: hook, group_by: [alertname], group_wait: 1s, group_interval: 5s, repeat_interval: 1h }'
      const hook = `{ name: hook, webhook_configs: [{ url: "http://127.0.0.1:${port}/" }] }`
      writeFileSync(join(dir, 'notify.yml'), `route: ${route}\nreceivers: [${hook}]\n`)
      return ['--notify.config', join(dir, 'notify.yml')]
    },
    run: async (victim) => {
      const labelsOf = (i: number) => ({
        ...{ __name__: 'm', cluster: `cluster-${i % Math.ceil(count / 1000)}`, namespace: `tenant-${i % 50}` },
        ...{ vm: `vm-${i}`, node: `worker-${i % 20}`, job: 'kubevirt-prometheus-metrics', region: 'eu-west-1' },
      })
      await victim.json('/api/v2/alerts', [{ labels: { alertname: 'A', cluster: 'cluster-0', vm: 'vm-0' } }])
      const send = async (value: number): Promise<void> => {
        for (let from = 0; from < count; from += 5000) {
          const part = Array.from({ length: Math.min(5000, count - from) }, (_, i) =>
            series(labelsOf(from + i), victim.nowMs, value),
          )
          await victim.write(bodyOf(part))
        }
      }
      await send(1)
      await victim.reaches(/^daytwo_alerts\{state="firing"\}/, count)
      await wait(8000)
      const page = await victim.ask('/api/fleet/v1/alerts')
      await victim.ask('/api/fleet/v1/now')
      await victim.ask('/api/v1/alerts')
      await victim.ask('/api/v2/alerts')
      await victim.ask('/api/v2/alerts/groups')
      await wait(8000)
      await send(0)
      await victim.reaches(/^daytwo_alerts\{state="resolved"\}/, count)
      await wait(8000)
      receiver?.close()
      return `page of ${(page.length / MIB).toFixed(1)} MiB or more`
    },
  }
}

const alertsOfOneSender: Attack = {
  name: 'one sender posts 20,000 alerts that never end',
  run: async (victim) => {
    const alert = (i: number, severity: string) => ({
      labels: { alertname: `A${i}`, cluster: `c${i % 10}`, severity },
      ...{ startsAt: new Date(victim.nowMs).toISOString(), endsAt: '9999-01-01T00:00:00Z' },
    })
    for (let from = 0; from < 20_000; from += 1000) {
      await victim.json(
        '/api/v2/alerts',
        Array.from({ length: 1000 }, (_, i) => alert(from + i, 'warning')),
      )
    }
    const others = await victim.metric(/^daytwo_external_alerts_total\{outcome="taken"\}/)
    await victim.json('/api/v2/alerts', [alert(0, 'critical')], '127.0.0.2')
    const taken = await victim.metric(/^daytwo_external_alerts_total\{outcome="taken"\}/)
    return `another sender's alert is ${taken > others ? 'taken' : 'refused'}`
  },
}

function halfSentBodies(count: number): Attack {
  return {
    name: `${count} half-sent bodies of 15.5 MiB`,
    run: async (victim) => {
      const length = 15.5 * MIB
      const half = Buffer.alloc(length / 2, 120)
      const head = `POST /v1/logs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
      for (let i = 0; i < count; i++) victim.open(head, half)
      await wait(15_000)
      await victim.write(bodyOf([series({ __name__: 'm', cluster: 'a' }, victim.nowMs)]), '127.0.0.2')
      return 'the last answer is of another sender'
    },
  }
}

function heavyQueries(count: number): Attack {
  return {
    name: `${count} heavy queries at once`,
    run: async (victim) => {
      const { nowMs } = victim
      const many = Array.from({ length: 200 }, (_, i): WriteSeries => {
        const samples = Array.from({ length: 120 }, (_unused, minute) => ({
          timeMs: nowMs - (120 - minute) * 30_000,
          value: minute,
        }))
        return { labels: Labels.of({ __name__: 'heavy', cluster: `c-${i}` }), samples }
      })
      await victim.write(bodyOf(many))
      const query = 'sum(max_over_time(quantile_over_time(0.9, (heavy * 1)[1h:1s])[1h:1s]))'
      const path = `/api/v1/query?${new URLSearchParams({ query, time: String(nowMs / 1000) }).toString()}`
      for (let i = 0; i < count; i++) victim.open(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
      const groups = /^daytwo_rule_group_iterations_total/
      const before = await victim.metric(groups)
      await wait(20_000)
      return `${(await victim.metric(groups)) - before} evaluations of a rule group meanwhile (20 are due)`
    },
    prepare: beat,
  }
}

/** A rule that is due each second, to be counted. */
function beat(dir: string): readonly string[] {
  writeFileSync(
    join(dir, 'rules', 'beat.yaml'),
    'groups: [{ name: beat, interval: 1s, rules: [{ record: beat, expr: vector(1) }] }]\n',
  )
  return []
}

function everythingListed(count: number): Attack {
  return {
    name: `series, labels, values and federate over ${count} series`,
    prepare: beat,
    run: async (victim) => {
      for (let from = 0; from < count; from += 5000) {
        const part = Array.from({ length: 5000 }, (_, i) => {
          const n = from + i
          const labels = {
            __name__: `m_${n % 60}`,
            cluster: `cluster-${Math.floor(n / 60)}`,
            pod: `pod-${n}`,
            job: 'kubevirt',
          }
          return series({ ...labels, instance: `10.0.${n % 256}.1:8443`, namespace: 'openshift-cnv' }, victim.nowMs)
        })
        await victim.write(bodyOf(part))
      }
      const all = new URLSearchParams({ 'match[]': '{__name__=~"m_.*"}' }).toString()
      const late = /^daytwo_rule_group_last_evaluation_timestamp_seconds/
      let lateMs = 0
      const attack = { isDone: false }
      const watching = (async () => {
        while (!attack.isDone) {
          lateMs = Math.max(lateMs, victim.nowMs - (await victim.metric(late)) * 1000)
          await wait(250)
        }
      })()
      for (const path of ['/api/v1/series', '/api/v1/labels', '/api/v1/label/pod/values', '/federate']) {
        await victim.ask(`${path}?${all}`)
      }
      attack.isDone = true
      await watching
      return `the last evaluation of a rule of 1 s is ${(lateMs / 1000).toFixed(1)} s old at most`
    },
  }
}

/** A small disk is mounted there where this process may. */
const recordsOnAFullDisk: Attack = {
  name: 'log records of 4 KiB on a full disk',
  prepare: (dir) => [`--data=${join(dir, 'small')}`],
  run: async (victim) => {
    const record = { timeUnixNano: `${victim.nowMs}000000`, body: { stringValue: 'x'.repeat(4096) } }
    const body = {
      resourceLogs: [
        { resource: { attributes: [] }, scopeLogs: [{ logRecords: Array.from({ length: 500 }, () => record) }] },
      ],
    }
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let i = 0; i < 40; i++) await victim.json('/v1/logs', body)
      }),
    )
    return ''
  },
}

const errorsOfBrowsers: Attack = {
  name: '/collect without a token for 6 s',
  run: async (victim) => {
    const frames = Array.from({ length: 50 }, (_, i) => ({
      filename: 'x'.repeat(500),
      function: 'f',
      lineno: i,
      colno: 1,
    }))
    const exceptions = Array.from({ length: 20 }, (_, i) => ({
      type: 'E',
      value: `${i}`.repeat(200),
      stacktrace: { frames },
    }))
    const body = { meta: { page: { url: 'http://127.0.0.1/' } }, exceptions }
    const endMs = performance.now() + 6000
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        while (performance.now() < endMs) await victim.json('/collect', body)
      }),
    )
    return ''
  },
}

const span = (i: number, name: string) => ({
  ...{ traceId: 'ab'.repeat(16), spanId: i.toString(16).padStart(16, 'c'), name },
  ...{ startTimeUnixNano: `${Date.now()}000000`, endTimeUnixNano: `${Date.now() + 1}000000` },
})

const traces = (spans: readonly unknown[], service: string, cluster: string) => ({
  resourceSpans: [
    {
      resource: {
        attributes: [
          { key: 'service.name', value: { stringValue: service } },
          { key: 'k8s.cluster.name', value: { stringValue: cluster } },
        ],
      },
      scopeSpans: [{ spans }],
    },
  ],
})

const longTexts: Attack = {
  name: 'a span name of 10 MB, a service of 5 MB, a cluster of 1 MB',
  run: async (victim) => {
    await victim.json('/v1/traces', traces([span(1, 'x'.repeat(1e7))], 's', 'c'))
    await victim.json('/v1/traces', traces([span(2, 'n')], 's'.repeat(5e6), 'c'))
    await victim.json('/v1/traces', traces([span(3, 'n')], 's', 'c'.repeat(1e6)))
    await victim.ask(`/api/traces/${'ab'.repeat(16)}`)
    return ''
  },
}

const largeTrace: Attack = {
  name: 'one trace of 60 bodies of gzip, and its page',
  run: async (victim) => {
    for (let part = 0; part < 60; part++) {
      const spans = Array.from({ length: 2000 }, (_, i) => ({
        ...span(part * 2000 + i + 1, `work ${i}`),
        attributes: [{ key: 'text', value: { stringValue: 'y'.repeat(8000) } }],
      }))
      const body = gzipSync(JSON.stringify(traces(spans, 'service', 'cluster')))
      await victim.post('/v1/traces', body, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    }
    const startMs = performance.now()
    await victim.ask(`/api/traces/${'ab'.repeat(16)}`)
    return `the page takes ${((performance.now() - startMs) / 1000).toFixed(1)} s`
  },
}

function otlpLogs(bytes: number): Buffer {
  const record = { timeUnixNano: `${Date.now()}000000`, body: { stringValue: 'line '.repeat(40) } }
  const count = Math.floor(bytes / JSON.stringify(record).length)
  const logRecords = Array.from({ length: count }, () => record)
  return Buffer.from(JSON.stringify({ resourceLogs: [{ resource: { attributes: [] }, scopeLogs: [{ logRecords }] }] }))
}

/** @param bytes about, after decompression; all series are new */
function remoteWrite(bytes: number): Uint8Array {
  const kind = Math.random().toString(36).slice(2, 8)
  const all = Array.from({ length: Math.floor(bytes / 310) }, (_, i) =>
    series({ __name__: 'large', cluster: 'a', pod: `${kind}-${i}`, padding: 'p'.repeat(200) }, Date.now()),
  )
  return bodyOf(all)
}

type Body = readonly [body: Uint8Array, path: string, type: string, encoding: string]

/** Small remote writes of another sender are timed meanwhile. */
function largeBodies(name: string, make: () => Body): Attack {
  return {
    name,
    run: async (victim) => {
      // Before the clock starts: making them takes this thread.
      const bodies = [make(), make(), make()]
      const tookMs: number[] = []
      const attack = { isDone: false }
      const small = (async () => {
        while (!attack.isDone) {
          const startMs = performance.now()
          await victim.write(bodyOf([series({ __name__: 'm', cluster: 'b' }, victim.nowMs)]), '127.0.0.2')
          tookMs.push(performance.now() - startMs)
          await wait(20)
        }
      })()
      for (const [body, path, type, encoding] of bodies) {
        await victim.post(path, body, {
          'content-type': type,
          ...(encoding === '' ? {} : { 'content-encoding': encoding }),
        })
      }
      attack.isDone = true
      await small
      return `small writes of another sender take ${Math.max(...tookMs).toFixed(0)} ms at most (${tookMs.length} of them)`
    },
  }
}

const nestedJson: Attack = {
  name: 'JSON in 100,000 brackets',
  run: async (victim) => {
    const nested = `{"resourceLogs":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const asAnyValue = `{"resourceLogs":[{"resource":{"attributes":[{"key":"a","value":${'{"arrayValue":{"values":['.repeat(20_000)}${']}}'.repeat(20_000)}}]}}]}`
    for (const body of [nested, asAnyValue]) {
      for (const signal of ['logs', 'traces', 'metrics']) {
        await victim.post(`/v1/${signal}`, body, { 'content-type': 'application/json' })
      }
    }
    return ''
  },
}

const slowHeaders: Attack = {
  name: '200 connections that send a header byte by byte',
  run: async (victim) => {
    const sockets = Array.from({ length: 200 }, () => victim.open('POST /api/v1/write HTTP/1.1\r\nX: '))
    const startMs = performance.now()
    while (victim.openConnections > 0 && performance.now() - startMs < 100_000) {
      for (const socket of sockets) if (socket.writable) socket.write('x')
      await wait(500)
    }
    return `all are closed after ${((performance.now() - startMs) / 1000).toFixed(0)} s`
  },
}

const ruleTests: Attack = {
  name: '100 requests for unit tests of rules, and 20 for lint',
  prepare: () => ['--rules', join(import.meta.dirname, '../../alert-rules')],
  run: async (victim) => {
    await Promise.all([
      ...Array.from({ length: 100 }, () => victim.ask('/api/fleet/v1/rules/tests?alertname=KubeVirtCRModified')),
      ...Array.from({ length: 20 }, () => victim.ask('/api/lint')),
    ])
    return ''
  },
}

function series(labels: Readonly<Record<string, string>>, timeMs: number, value = 1): WriteSeries {
  return { labels: Labels.of(labels), samples: [{ timeMs, value }] }
}

function bodyOf(all: readonly WriteSeries[]): Uint8Array {
  return encodeSnappy(encodeWriteRequest(all))
}
