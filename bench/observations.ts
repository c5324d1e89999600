/**
 * What Collectors of a fleet tell of objects, through the real HTTP route into a store on disk: the first pull of each
 * cluster (all of it new), the same pull again and an hour later (nothing new), one changed object a request as a watch
 * sends it, and whole CSVs of 150 kB. Observations per second of the server's processor time, and bytes on disk for each
 * that was new. The baseline of each is the same number of requests to `/-/healthy`: what HTTP alone costs. Linux only: it
 * reads /proc.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, request as httpRequest } from 'node:http'
import { encodeLogsRequest, type JsonValue, type SentLogRecord } from '../src/wire/otlp/logs-encode.ts'
import { startServer, type RunningServer } from '../test/support/server.ts'
import { tempDir } from '../test/support/temp-dir.ts'
import { OBJECTS } from '../test/wire/k8s/objects.ts'

const SCOPE = {
  name: 'github.com/open-telemetry/opentelemetry-collector-contrib/receiver/k8sobjectsreceiver',
  version: '0.161.0',
}
const CONNECTIONS = 8
const HOUR_MS = 3_600_000
/** Clusters that are told of before anything is measured. */
const WARM_UP = 200
/** What Linux counts a process' time in. */
const TICKS_PER_SECOND = 100
/** A CSV as an API server has it: nearly all of it is `spec.install`. */
const CSV_BYTES = 150_000

interface Measured {
  readonly name: string
  readonly requests: number
  readonly observations: number
  readonly bodyBytes: number
  readonly cpuSeconds: number
}

export async function run({ quick }: { readonly quick?: boolean }): Promise<void> {
  const clusters = quick === true ? 1000 : 10_000
  const data = tempDir('bench-observations')
  const server = await startServer(['serve', '--listen', '127.0.0.1:0', '--data', data.path, '--own-metrics', 'false'])
  try {
    const nowMs = Date.now() - 2 * HOUR_MS
    const emptyBytes = bytesOf(data.path)
    const pulls = (atMs: number) => (i: number) => pullOf(i, atMs)
    await measure(server, 'warm-up', WARM_UP, OBJECTS.length, (i) => pullOf(clusters + i, nowMs))
    const health = await measureHealth(server, clusters)
    const results = [
      await measure(server, 'first pull', clusters, OBJECTS.length, pulls(nowMs)),
      await measure(server, 'the same pull again', clusters, OBJECTS.length, pulls(nowMs + 1000)),
      await measure(server, 'the same an hour later', clusters, OBJECTS.length, pulls(nowMs + HOUR_MS)),
      await measure(server, 'a change, watched', clusters, 1, (i) => watchedOf(i, nowMs + HOUR_MS + 2000)),
      await measure(server, 'a whole CSV, watched', Math.ceil(clusters / 10), 1, (i) =>
        wholeCsvOf(i, nowMs + HOUR_MS + 3000),
      ),
    ]
    console.log(`${clusters} clusters, ${OBJECTS.length} objects each, protobuf, ${CONNECTIONS} connections`)
    console.log(`  HTTP alone              ${(clusters / health).toFixed(0)} requests per CPU second`)
    for (const { name, requests, observations, bodyBytes, cpuSeconds } of results) {
      const rate = (observations / cpuSeconds).toFixed(0).padStart(8)
      const ratio = (cpuSeconds / requests / (health / clusters)).toFixed(1)
      const bytes = (bodyBytes / 1000).toFixed(1)
      console.log(
        `  ${name.padEnd(22)} ${rate} observations per CPU second, ${bytes} kB a request, ${ratio} x HTTP alone`,
      )
    }
    await server.stop()
    const fresh = results.reduce((sum, one) => sum + (one.name.startsWith('the same') ? 0 : one.observations), 0)
    const kept = fresh + WARM_UP * OBJECTS.length
    console.log(
      `  on disk                ${((bytesOf(data.path) - emptyBytes) / kept).toFixed(0).padStart(8)} bytes an observation that was new`,
    )
  } finally {
    await server.stop()
    data.remove()
  }
}

async function measure(
  server: RunningServer,
  name: string,
  requests: number,
  observationsEach: number,
  bodyOf: (i: number) => Uint8Array,
): Promise<Measured> {
  const bodyBytes = bodyOf(0).length
  const before = cpuSecondsOf(server.pid)
  await inParallel(requests, (i, agent) => post(`${server.url}/v1/logs`, bodyOf(i), agent))
  const cpuSeconds = cpuSecondsOf(server.pid) - before
  return { name, requests, observations: requests * observationsEach, bodyBytes, cpuSeconds }
}

async function measureHealth(server: RunningServer, requests: number): Promise<number> {
  const before = cpuSecondsOf(server.pid)
  await inParallel(requests, (_i, agent) => post(`${server.url}/-/healthy`, undefined, agent))
  return Math.max(1 / TICKS_PER_SECOND, cpuSecondsOf(server.pid) - before)
}

async function inParallel(count: number, send: (i: number, agent: Agent) => Promise<void>): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await send(next++, agent)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
  agent.destroy()
}

function post(url: string, body: Uint8Array | undefined, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const asked = httpRequest(
      url,
      { method, agent, headers: { 'content-type': 'application/x-protobuf' } },
      (answer) => {
        answer.resume()
        answer.once('end', () => {
          if (answer.statusCode === 200) resolve()
          else reject(new Error(`got status ${String(answer.statusCode)}`))
        })
      },
    )
    asked.once('error', reject)
    asked.end(body)
  })
}

/** User and system time of the process, all of its threads. */
function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

function bytesOf(dir: string): number {
  return ['daytwo.db', 'daytwo.db-wal'].reduce((sum, file) => {
    return sum + (statSync(join(dir, file), { throwIfNoEntry: false })?.size ?? 0)
  }, 0)
}

const clusterOf = (i: number): Record<string, string> => ({ 'k8s.cluster.uid': `cluster-${i}` })

/** One object of each kind, under ids of the cluster's own. */
function objectOf(index: number, cluster: number, version: number): Record<string, JsonValue> {
  const object = OBJECTS[index]!.object as Record<string, JsonValue>
  const metadata = object['metadata'] as Record<string, JsonValue>
  const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0')
  const uid = `${hex(cluster, 8)}-0000-4000-8000-${hex(index, 12)}`
  return { ...object, metadata: { ...metadata, uid, resourceVersion: String(version) } }
}

/** One object of each kind, as a Collector lists them. */
export function pullOf(cluster: number, observedMs: number): Uint8Array {
  const records = OBJECTS.map(({ resource }, i): SentLogRecord => {
    return { observedMs, attributes: { 'k8s.resource.name': resource }, body: objectOf(i, cluster, 1000 + i) }
  })
  return encodeLogsRequest([{ attributes: clusterOf(cluster), scope: SCOPE, records }])
}

function watched(cluster: number, resource: string, object: Record<string, JsonValue>, observedMs: number): Uint8Array {
  const attributes = { 'k8s.resource.name': resource, 'event.domain': 'k8s', 'event.name': 'x' }
  const records = [{ observedMs, attributes, body: { type: 'MODIFIED', object } }]
  return encodeLogsRequest([{ attributes: clusterOf(cluster), scope: SCOPE, records }])
}

const KUBEVIRT = OBJECTS.findIndex(({ resource }) => resource === 'kubevirts')
const CSV = OBJECTS.findIndex(({ resource }) => resource === 'clusterserviceversions')

function watchedOf(cluster: number, observedMs: number): Uint8Array {
  const object = objectOf(KUBEVIRT, cluster, 5000)
  const status = { ...(object['status'] as Record<string, JsonValue>), observedDeploymentID: `id-${cluster}` }
  return watched(cluster, 'kubevirts', { ...object, status }, observedMs)
}

function wholeCsvOf(cluster: number, observedMs: number): Uint8Array {
  const object = objectOf(CSV, cluster, 6000)
  const rule = {
    apiGroups: ['kubevirt.io'],
    resources: ['virtualmachines', 'virtualmachineinstances'],
    verbs: ['get', 'list'],
  }
  const install = { spec: { clusterPermissions: Array.from({ length: Math.ceil(CSV_BYTES / 90) }, () => rule) } }
  const spec = { ...(object['spec'] as Record<string, JsonValue>), install }
  const status = { ...(object['status'] as Record<string, JsonValue>), message: `of ${cluster}` }
  return watched(cluster, 'clusterserviceversions', { ...object, spec, status }, observedMs)
}
