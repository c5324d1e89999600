import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { AuditedAction } from '../../src/model/audit.ts'
import type { Erasure, MetricsStoreErasure } from '../../src/model/erasure.ts'
import { createEraseMetrics } from '../../src/runtime/erase-metrics.ts'
import { createMetricsErasure, createSharedErasures } from '../../src/runtime/shared-erasures.ts'
import { openTempFacts, POSTGRES, sharedPostgres } from '../store/postgres/temp-postgres.ts'

const MINUTE_MS = 60_000
const T0 = 1_787_220_000_000

/** The erasures of one data folder. */
class Folder {
  readonly all: Erasure[] = []
  readonly names: readonly string[]

  constructor(names: readonly string[] = []) {
    this.names = names
  }

  list = (): Promise<readonly Erasure[]> => Promise.resolve([...this.all])
  refused = (names: readonly string[]): Promise<readonly string[]> => Promise.resolve(names)

  join = (id: string, names: readonly string[], by: string, startedMs: number): Promise<Erasure> => {
    const known = this.all.find((one) => one.id === id)
    if (known !== undefined) return Promise.resolve(known)
    const begun = { id, by, startedMs, removed: 0, names: [...new Set([...names, ...this.names])] }
    this.all.push(begun)
    return Promise.resolve(begun)
  }

  allow = (id: string, by: string, atMs: number): Promise<Erasure | undefined> => {
    const known = this.all.find((one) => one.id === id)
    if (known === undefined) return Promise.resolve(undefined)
    return Promise.resolve(this.change(id, { allowed: { atMs, by } }))
  }

  /** @param changed what the data folder has done */
  change(id: string, changed: Partial<Erasure>): Erasure {
    const at = this.all.findIndex((one) => one.id === id)
    return (this.all[at] = { ...this.all[at]!, ...changed })
  }

  end(id: string, removed: number, doneMs: number): void {
    const at = this.all.findIndex((one) => one.id === id)
    const { by, startedMs } = this.all[at]!
    this.all[at] = { id, by, startedMs, removed, doneMs }
  }
}

describe.skipIf(POSTGRES === undefined)('erasures of several processes', () => {
  const postgres = sharedPostgres()

  async function rig(metrics?: (MetricsStoreErasure['state'] | 'none')[]) {
    const facts = await openTempFacts(await postgres.options())
    const known = ['a', 'b']
    const deleted: string[] = []
    const audited: AuditedAction[] = []
    const processOf = (process: string, folder: Folder) =>
      createSharedErasures({
        ...{ local: folder, shared: facts.erasures, process },
        processes: () => known.map((name) => ({ name })),
        isFirst: () => process === 'a',
        eraseMetrics:
          metrics &&
          ((names, atMs) => {
            deleted.push(names.join(' '))
            const state = metrics.shift() ?? 'deleted'
            return Promise.resolve({ state: state === 'none' ? 'deleted' : state, text: '', atMs })
          }),
        isKnown: (cluster) => Promise.resolve(cluster !== 'unknown'),
        audit: (action) => {
          audited.push(action)
          return Promise.resolve()
        },
      })
    const folders = { a: new Folder(), b: new Folder(['prg']) }
    return { folders, known, deleted, audited, a: processOf('a', folders.a), b: processOf('b', folders.b) }
  }

  test('all erase it under all names that any of them has, and it ends with the last one', async () => {
    const { a, b, folders, known, audited } = await rig()
    expect(await a.begin('unknown', 'x', 'ada', T0)).toBeUndefined()
    expect(await a.begin('prague', 'id-1', 'ada', T0)).toMatchObject({ id: 'id-1', names: ['prague'] })
    // Begun again elsewhere, it is the same one.
    expect(await b.begin('prague', 'id-2', 'bob', T0)).toMatchObject({ id: 'id-1', by: 'ada' })
    expect(folders.b.all).toMatchObject([{ id: 'id-1', names: ['prague', 'prg'], by: 'ada' }])
    expect(audited).toMatchObject([{ action: 'cluster.erase', by: 'ada', subject: 'erased cluster id-1' }])
    expect(await a.list()).toMatchObject([{ id: 'id-1', names: ['prague', 'prg'], processes: [] }])
    folders.a.end('id-1', 5, T0 + 1)
    await a.step(T0 + MINUTE_MS)
    await b.step(T0 + MINUTE_MS)
    folders.b.change('id-1', { removed: 7 })
    await b.step(T0 + 2 * MINUTE_MS)
    expect(await b.list()).toMatchObject([
      {
        removed: 12,
        processes: [
          { process: 'a', doneMs: T0 + 1 },
          { process: 'b', removed: 7 },
        ],
      },
    ])
    // One that has stopped, and is known, is waited for.
    known.push('c')
    folders.b.end('id-1', 7, T0 + 2)
    await b.step(T0 + 3 * MINUTE_MS)
    await a.step(T0 + 3 * MINUTE_MS)
    expect((await a.list())[0]).not.toHaveProperty('doneMs')
    known.pop()
    await a.step(T0 + 4 * MINUTE_MS)
    expect((await a.list())[0]).toMatchObject({ doneMs: T0 + 4 * MINUTE_MS })
    expect((await a.list())[0]).not.toHaveProperty('names')

    expect(await a.allow('id-1', 'ada', T0 + 5)).toMatchObject({ allowed: { by: 'ada' } })
    expect(folders.b.all[0]).not.toHaveProperty('allowed')
    await b.step(T0 + 5 * MINUTE_MS)
    expect(folders.b.all[0]).toMatchObject({ allowed: { by: 'ada', atMs: T0 + 5 } })
    expect(audited.map(({ action }) => action)).toEqual(['cluster.erase', 'cluster.erase.allow'])
  })

  test('the metrics store deletes at first, every ten minutes, after a failure, and once all have ended', async () => {
    const { a, b, folders, deleted } = await rig(['failed', 'none'])
    await a.begin('prague', 'id', 'ada', T0)
    await b.step(T0)
    expect(deleted).toEqual([])
    await a.step(T0)
    expect((await a.list())[0]).toMatchObject({ metricsStore: { state: 'failed', atMs: T0 } })
    await a.step(T0 + MINUTE_MS - 1)
    expect(deleted).toHaveLength(1)
    await a.step(T0 + MINUTE_MS)
    await a.step(T0 + 11 * MINUTE_MS - 1)
    expect(deleted).toEqual(['prague prg', 'prague prg'])
    await a.step(T0 + 11 * MINUTE_MS)
    expect(deleted).toHaveLength(3)
    folders.a.end('id', 0, T0 + 12 * MINUTE_MS)
    folders.b.end('id', 0, T0 + 12 * MINUTE_MS)
    await b.step(T0 + 12 * MINUTE_MS)
    await a.step(T0 + 12 * MINUTE_MS)
    expect((await a.list())[0]).not.toHaveProperty('doneMs')
    await a.step(T0 + 12 * MINUTE_MS + 1)
    expect(deleted).toHaveLength(4)
    expect((await a.list())[0]).toMatchObject({ doneMs: T0 + 12 * MINUTE_MS + 1, metricsStore: { state: 'deleted' } })
    await a.step(T0 + 60 * MINUTE_MS)
    expect(deleted).toHaveLength(4)
  })

  test('a metrics store that cannot delete does not hold up the end, and is reported', async () => {
    const { a, b, folders, deleted } = await rig(['unsupported'])
    await a.begin('prague', 'id', 'ada', T0)
    await b.step(T0)
    await a.step(T0)
    for (const folder of [folders.a, folders.b]) folder.end('id', 0, T0 + MINUTE_MS)
    await b.step(T0 + 90 * MINUTE_MS)
    await a.step(T0 + 90 * MINUTE_MS)
    await a.step(T0 + 91 * MINUTE_MS)
    expect(deleted).toHaveLength(1)
    expect((await a.list())[0]).toMatchObject({ metricsStore: { state: 'unsupported' } })
    expect((await a.list())[0]).toHaveProperty('doneMs')
  })
})

test('a process alone deletes in the metrics store while its erasure is under way', async () => {
  const all: Erasure[] = [{ id: 'id', by: 'ada', startedMs: T0, removed: 0, names: ['prague'] }]
  const noted: MetricsStoreErasure[] = []
  const local = {
    list: () => Promise.resolve(all),
    noteMetricsStore: (_: string, state: MetricsStoreErasure) => {
      noted.push(state)
      all[0] = { ...all[0]!, metricsStore: state }
      return Promise.resolve()
    },
  }
  const { step } = createMetricsErasure(local, (_, atMs) => Promise.resolve({ state: 'deleted', text: '', atMs }))
  for (const minute of [0, 9, 10, 11]) await step(T0 + minute * MINUTE_MS)
  expect(noted.map(({ atMs }) => (atMs - T0) / MINUTE_MS)).toEqual([0, 10])
})

describe('deleting in the metrics store', () => {
  const store = {
    ...{ kind: 'prometheus' as const, writeUrl: '', tenantHeaders: { 'x-scope-orgid': 't' }, headersFile: undefined },
    ...{ ca: undefined, resendWindowMs: 0, bufferBytesMax: 0, connections: 1 },
  }

  async function answering(status: number, text: string, kind: 'prometheus' | 'victoriametrics-cluster', path = '') {
    const seen: string[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (part: Buffer) => (body += part.toString()))
      request.on('end', () => {
        const matches = new URLSearchParams(body).getAll('match[]')
        seen.push(`${request.method} ${request.url} ${String(request.headers['x-scope-orgid'])} ${matches.join(' ')}`)
        response.writeHead(status).end(text)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const queryUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
    const erase = createEraseMetrics({ ...store, kind, queryUrl }, ['cluster', 'site'])
    const state = await erase(['a.b', 'c'], T0)
    server.close()
    return { state, seen }
  }

  test('all series with one of the names, by each label that names clusters', async () => {
    const { state, seen } = await answering(204, '', 'prometheus')
    expect(state).toEqual({ state: 'deleted', text: '', atMs: T0 })
    expect(seen).toEqual([
      String.raw`POST /api/v1/admin/tsdb/delete_series t {cluster=~"a\\.b|c",__name__!=""} {site=~"a\\.b|c",__name__!=""}`,
    ])
    const cluster = await answering(204, '', 'victoriametrics-cluster', '/select/0/prometheus')
    expect(cluster.seen[0]).toContain('POST /delete/0/prometheus/api/v1/admin/tsdb/delete_series')
  })

  test('what it answers is reported; nobody, or a store that has no such address, too', async () => {
    expect((await answering(503, 'admin APIs disabled', 'prometheus')).state).toEqual({
      ...{ state: 'failed', atMs: T0 },
      text: 'the metrics store answered 503: admin APIs disabled; Prometheus needs --web.enable-admin-api',
    })
    const gone = createEraseMetrics({ ...store, queryUrl: 'http://127.0.0.1:1' }, ['cluster'])
    expect(await gone(['a'], T0)).toMatchObject({ state: 'failed' })
    for (const kind of ['mimir', 'thanos'] as const) {
      const erase = createEraseMetrics({ ...store, kind, queryUrl: 'http://127.0.0.1:1' }, ['cluster'])
      expect(await erase(['a'], T0)).toMatchObject({ state: 'unsupported' })
    }
  })
})
