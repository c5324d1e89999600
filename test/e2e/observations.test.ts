import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ObjectChangeItem, ObjectChangeItems } from '../../src/contract/fleet-changes.ts'
import type { LogItems } from '../../src/contract/fleet-logs.ts'
import { encodeLogsProtobuf, logsOf, objectRecord, plainRecord } from '../support/otlp-logs.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { eventually } from '../support/until.ts'

// What Collectors tell of objects, at the product as it ships: in any order, again and again, and through kill -9.

const GOLDEN = resolve(import.meta.dirname, '../../../shared/golden/otlp')

let data: ReturnType<typeof tempDir>
let server: RunningServer

beforeEach(async () => {
  data = tempDir('observations')
  server = await start()
})
afterEach(async () => {
  await server.stop()
  data.remove()
})

function start(): Promise<RunningServer> {
  // The golden objects were observed on a day of 2026, and shall be taken for ever.
  const kept = ['--retention.objects', '36500d', ...withoutContent()]
  return startServer(['serve', '--listen', '127.0.0.1:0', '--data', data.path, '--own-metrics', 'false', ...kept])
}

async function post(body: string | Uint8Array): Promise<string> {
  const type = typeof body === 'string' ? 'application/json' : 'application/x-protobuf'
  const init = { method: 'POST', headers: { 'content-type': type }, body }
  const response = await fetch(`${server.url}/v1/logs`, init)
  expect(response.status).toBe(200)
  return response.text()
}

async function changesOf(cluster: string): Promise<readonly ObjectChangeItem[]> {
  const response = await fetch(`${server.url}/api/fleet/v1/clusters/${cluster}/changes?limit=1000`)
  expect(response.status).toBe(200)
  return ((await response.json()) as ObjectChangeItems).changes
}

/** Numbers that look random and are the same in each run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0)
}

interface JsonLogs {
  readonly resourceLogs: readonly {
    readonly resource: { readonly attributes: readonly object[] }
    readonly scopeLogs: readonly { readonly scope: object; readonly logRecords: readonly object[] }[]
  }[]
}

const CHANGES = [
  ['3001', 'listed'],
  ['2002', 'modified'],
  ['1010', 'deleted'],
  ['2001', 'modified'],
  ['1005', 'modified'],
  ['1004', 'modified'],
  ['1003', 'modified'],
  ['1002', 'modified'],
  ['1001', 'added'],
]

// They live beside the project, and only there.
describe.skipIf(!existsSync(GOLDEN))('the golden objects', () => {
  /** A request for each record, as if another cluster had sent it. */
  function requestsOf(name: string, cluster: string): string[] {
    const logs = JSON.parse(readFileSync(`${GOLDEN}/${name}.json`, 'utf8')) as JsonLogs
    const attribute = { key: 'k8s.cluster.uid', value: { stringValue: cluster } }
    return logs.resourceLogs.flatMap(({ scopeLogs }) =>
      scopeLogs.flatMap(({ scope, logRecords }) =>
        logRecords.map((record) => {
          const resource = { attributes: [attribute] }
          return JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: [record] }] }] })
        }),
      ),
    )
  }

  test('end in the same states, in whatever order and how often they come', async () => {
    const sets = ['logs-k8s-watch', 'logs-k8s-watch-one', 'logs-k8s-pull']
    let want: readonly ObjectChangeItem[] | undefined
    for (let seed = 0; seed < 8; seed++) {
      const cluster = `cluster-${seed}`
      const requests = sets.flatMap((name) => requestsOf(name, cluster))
      const next = seeded(seed)
      const repeats = seed === 0 ? [] : requests.filter(() => next() % 3 === 0)
      const order = [...requests, ...repeats].map((body) => ({ body, place: seed === 0 ? 0 : next() }))
      for (const { body } of order.sort((a, b) => a.place - b.place)) expect(await post(body)).toBe('{}')
      await eventually(async () => {
        const changes = await changesOf(cluster)
        // Newest first; the pull an hour later found one object that nobody had watched.
        expect(changes.map(({ resourceVersion, change }) => [resourceVersion, change])).toEqual(CHANGES)
        want ??= changes
        expect(changes).toEqual(want)
      })
    }
    const { fields = [] } = want?.find((one) => one.resourceVersion === '2002') ?? {}
    expect(fields).toContainEqual({ field: 'operatorVersion', before: '1.16.0', after: '1.17.0' })
    expect(fields).toContainEqual({
      field: 'conditions[Progressing].status',
      before: 'True',
      after: 'False',
    })
  })
})

test('what was acknowledged is there after kill -9', async () => {
  const nowMs = Date.now()
  const send = (i: number): Promise<string> => {
    const object = {
      kind: 'CDI',
      metadata: { name: 'cdi', namespace: 'cnv', uid: 'u', resourceVersion: String(i) },
      status: { phase: `Phase ${i}` },
    }
    const records = [objectRecord('cdis', object, nowMs - 1000 + i, 'MODIFIED'), plainRecord({ body: `line ${i}` })]
    return post(encodeLogsProtobuf({ resources: [logsOf(records, { 'k8s.cluster.uid': 'prague' })] }))
  }
  let sent = 0
  for (const until of [20, 45]) {
    for (; sent < until; sent++) await send(sent + 1)
    // One is under way: it may be there or not.
    const last = send(sent + 1).catch(() => undefined)
    await server.kill()
    await last
    server = await start()
    await eventually(async () => {
      const phases = (await changesOf('prague')).map(({ resourceVersion }) => Number(resourceVersion))
      expect(phases.slice(-sent)).toEqual(Array.from({ length: sent }, (_, i) => sent - i))
      expect(phases.length).toBeLessThanOrEqual(sent + 1)
      const answer = await fetch(`${server.url}/api/fleet/v1/logs?cluster=prague&contains=LINE&limit=1000`)
      const bodies = ((await answer.json()) as LogItems).logs.map(({ body }) => body)
      for (let i = 1; i <= sent; i++) expect(bodies).toContain(`line ${i}`)
    })
  }
})
