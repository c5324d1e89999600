import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { encodeSnappy } from '../../src/wire/snappy.ts'
import { encodeWriteRequest } from '../../src/wire/remote-write-encode.ts'
import { Labels } from '../../src/model/labels.ts'
import { encodeLogsJson, logsOf, objectRecord } from '../support/otlp-logs.ts'
import { encodeTracesJson, otlpSpan, tracesOf } from '../support/otlp-traces.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'
import { OBJECTS } from '../wire/k8s/objects.ts'

/** A server as it ships, on loopback, with a little of everything: series, a firing alert, objects, a trace, a silence. */

const RULES = `groups:
  - name: fuzz
    interval: 1s
    rules:
      - alert: VirtAPIDown
        expr: up == 1
        labels: { severity: critical, operator_health_impact: critical }
        annotations: { summary: 'API of {{ $labels.cluster }}' }
      - record: cluster:up:sum
        expr: sum by (cluster) (up)
`

const ROOT = resolve(import.meta.dirname, '../..')

export interface FuzzedServer extends Pick<RunningServer, 'url' | 'output' | 'pid'> {
  close(): Promise<void>
}

export const CLUSTER = 'fra-1'

export async function startFuzzedServer(): Promise<FuzzedServer> {
  const dir = tempDir('fuzz-http')
  const content = (name: string): string => join(dir.path, name)
  for (const name of ['rules', 'runbooks', 'dashboards', 'data']) mkdirSync(content(name))
  writeFileSync(join(content('rules'), 'fuzz.yaml'), RULES)
  for (const path of ['runbooks/VirtAPIDown.md', 'dashboards/daytwo.yaml']) cpSync(join(ROOT, path), content(path))
  const server = await startServer([
    ...['serve', '--listen', '127.0.0.1:0', '--data', content('data'), '--content.watch', 'false'],
    ...['--rules', content('rules'), '--runbooks', content('runbooks'), '--dashboards', content('dashboards')],
  ])
  const close = async (): Promise<void> => {
    await server.stop()
    dir.remove()
  }
  try {
    await fill(server.url)
    return { ...server, close }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

async function fill(url: string): Promise<void> {
  const nowMs = Date.now()
  const nowNs = BigInt(nowMs) * 1_000_000n
  const resource = { 'service.name': 'hco', 'k8s.cluster.name': CLUSTER }
  const post = async (path: string, body: string | Uint8Array, type = 'application/json'): Promise<void> => {
    const headers = { 'content-type': type, ...(typeof body === 'string' ? {} : { 'content-encoding': 'snappy' }) }
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: Buffer.from(body as string) })
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`)
  }
  const series = ['up', 'kubevirt_hco_system_health_status', 'kubevirt_info'].map((name) => ({
    labels: Labels.of({ __name__: name, cluster: CLUSTER, job: 'virt-api' }),
    samples: [120_000, 60_000, 0].map((agoMs) => ({ timeMs: nowMs - agoMs, value: 1 })),
  }))
  await post('/api/v1/write', encodeSnappy(encodeWriteRequest(series)), 'application/x-protobuf')
  const records = OBJECTS.map(({ resource: kind, object }) => objectRecord(kind, object, nowMs, 'ADDED'))
  await post('/v1/logs', encodeLogsJson({ resources: [logsOf(records, resource)] }))
  await post(
    '/v1/traces',
    encodeTracesJson(tracesOf(resource, otlpSpan({ startNs: nowNs - 5_000_000n, endNs: nowNs }))),
  )
  const end = new Date(nowMs + 86_400_000).toISOString()
  await post('/api/v2/alerts', JSON.stringify([{ labels: { alertname: 'Ext', cluster: CLUSTER }, endsAt: end }]))
  const matchers = [{ name: 'alertname', value: 'Ext', isRegex: false, isEqual: true }]
  const silence = { matchers, startsAt: new Date(nowMs).toISOString(), endsAt: end, createdBy: 'fuzz', comment: 'c' }
  await post('/api/v2/silences', JSON.stringify(silence))
  await until('the alert of the rule', async () => {
    const answer = await fetch(`${url}/api/v1/alerts`)
    return (await answer.text()).includes('VirtAPIDown') ? true : undefined
  })
}
