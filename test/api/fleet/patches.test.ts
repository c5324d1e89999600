import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PatchDetailItem, PatchItems } from '../../../src/contract/fleet-patches.ts'
import { parseJsonPatch } from '../../../src/fleet/derive/json-patches.ts'
import type { ClusterRecord, Modification } from '../../../src/model/cluster-record.ts'
import { ConnectionLock } from '../../../src/store/connection-lock.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createFacts } from '../../../src/store/facts/facts.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { fleetFactsOver } from '../../support/fleet-facts.ts'
import { putFacts } from '../../support/put-facts.ts'
import { makeServer, NOW_MS, type TestServer } from '../test-server.ts'

const at = (minutes: number): number => NOW_MS + minutes * 60_000

const PASST = `[{"op":"add","path":"/spec/configuration/developerConfiguration/featureGates/-","value":"PasstIPStackMigration"}]`
const POST_COPY = '[{"op":"replace","path":"/spec/configuration/migrations/allowPostCopy","value":true}]'
const LOGS = '[{"op":"add","path":"/spec/configuration/supportContainerResources","value":[]}]'

function record(cluster: string, hcoVersion: string, more: Partial<ClusterRecord> = {}): ClusterRecord {
  return emptyRecord(cluster, {
    ...{ hcoVersion, firstSeenMs: at(-900), lastSeenMs: at(-1) },
    settings: { apiVersion: 'hco.kubevirt.io/v1beta1', liveMigration: {}, featureGates: {} },
    coverage: { objects: true, metrics: true, spans: false, objectsLastMs: at(-1), metricsLastMs: at(-1), kinds: [] },
    ...more,
  })
}

function patch(cluster: string, id: string, text: string, more: Partial<Modification> = {}): Modification {
  const parsed = parseJsonPatch(text)
  return {
    ...{ id, cluster, kind: 'jsonpatch', component: 'kubevirt', startedMs: at(-50), count: 1, text: 'as written' },
    ...('operations' in parsed ? { operations: parsed.operations } : {}),
    ...{ annotation: 'kubevirt.kubevirt.io/jsonpatch', isUpgradeMode: false, resolutionSeconds: 1 },
    ...more,
  }
}

let server: TestServer
let close = (): Promise<void> => Promise.resolve()
beforeAll(async () => {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-patches-'))
  const database = openDatabase(dir)
  const store = createFacts(database, new ConnectionLock()).fleet
  const of = (one: ClusterRecord, ...modifications: Modification[]) => ({
    ...{ cluster: one, intervals: [], upgrades: [], modifications },
  })
  await putFacts(store, [
    of(record('a', '1.18.1'), patch('a', 'p-1', PASST, { by: 'argocd' }), patch('a', 'p-2', LOGS)),
    of(record('b', '1.18.1'), patch('b', 'p-3', JSON.stringify(JSON.parse(PASST), null, 2))),
    of(record('c', '1.17.3'), patch('c', 'p-4', POST_COPY), patch('c', 'p-5', PASST, { endedMs: at(-10) })),
    of(record('d', '1.17.3'), patch('d', 'p-6', 'no JSON', { component: 'cdi', count: 0 })),
  ])
  server = await makeServer({ fleet: (await fleetFactsOver(store)).fleet })
  close = async () => {
    await server.app.close()
    database.close()
    rmSync(dir, { recursive: true })
  }
})
afterAll(() => close())

/** The answer, which fits its schema. */
async function ask<T>(path: string, schema: TSchema): Promise<T> {
  const answer = await server.app.inject(`/api/fleet/v1/patches${path}`)
  expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([200, answer.body.slice(0, 300)])
  const body = answer.json<T>()
  expect([...Value.Errors(schema, body)].map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual([])
  return body
}

const list = (query = ''): Promise<PatchItems> => ask<PatchItems>(query, PatchItems)
const keyOf = async (query: string): Promise<string> => (await list(query)).patches[0]!.key

describe('JSON patches', () => {
  test('equal ones together, what the upgrade breaks first, with their classes', async () => {
    const { patches, total, to, counts, targets } = await list()
    expect(
      patches.map(({ component, clusters, breaking, classes }) => [component, clusters, breaking, classes]),
    ).toEqual([
      ['kubevirt', 2, 2, ['gate']],
      ['cdi', 1, 0, ['broken']],
      ['kubevirt', 1, 0, ['dangerous', 'superseded']],
      ['kubevirt', 1, 0, []],
    ])
    expect([total, to]).toEqual([4, null])
    expect(counts).toEqual([
      { class: 'broken', patches: 1, clusters: 1 },
      { class: 'dangerous', patches: 1, clusters: 1 },
      { class: 'unknown', patches: 0, clusters: 0 },
      { class: 'gate', patches: 1, clusters: 2 },
      { class: 'fragile', patches: 0, clusters: 0 },
      { class: 'superseded', patches: 1, clusters: 1 },
      { class: 'redundant', patches: 0, clusters: 0 },
      { class: null, patches: 1, clusters: 1 },
    ])
    expect(targets[0]).toEqual({ version: '1.20.0', released: false })
    expect(targets.find(({ version }) => version === '1.18.1')).toEqual({ version: '1.18.1', released: true })
    expect(patches[0]!.finding).toMatchObject({
      class: 'gate',
      weight: 'breaks',
      gate: { name: 'PasstIPStackMigration', target: 'discontinued' },
    })
  })

  test.each([
    ['?class=gate', 1],
    ['?class=none', 1],
    ['?class=broken&component=kubevirt', 0],
    ['?component=cdi', 1],
    ['?cluster=a', 2],
    ['?cluster=nobody', 0],
    ['?breaking=true', 1],
    ['?breaking=false', 3],
    ['?breaking=true&to=1.18.1', 0],
  ])('%s', async (query, total) => {
    expect((await list(query)).total).toBe(total)
  })

  test('page by page, in the same order', async () => {
    const all = (await list()).patches.map(({ key }) => key)
    const first = await list('?limit=3')
    const rest = await list(`?limit=3&cursor=${first.nextCursor}`)
    expect([...first.patches, ...rest.patches].map(({ key }) => key)).toEqual(all)
    expect(rest.nextCursor).toBeNull()
  })

  test('one: by versions, what to set instead, what it changes, its clusters page by page', async () => {
    const key = await keyOf('?class=gate')
    const first = await ask<PatchDetailItem>(`/${key}?limit=1`, PatchDetailItem)
    expect(first).toMatchObject({ clusters: 2, breaking: 2, annotation: 'kubevirt.kubevirt.io/jsonpatch' })
    expect(first.variants).toMatchObject([
      { installed: '1.18.1', target: '1.19.0', apiVersion: 'hco.kubevirt.io/v1beta1', clusters: 2 },
    ])
    expect(first.differencesOf).toEqual({ basis: 'defaults', version: '1.18.1' })
    expect(first.differences.some((one) => one.with?.includes('PasstIPStackMigration'))).toBe(true)
    expect(first.members).toMatchObject([{ cluster: 'a', by: 'argocd', breaking: true, classes: ['gate'] }])
    const rest = await ask<PatchDetailItem>(`/${key}?limit=1&cursor=${first.nextCursor}`, PatchDetailItem)
    expect(rest.members).toMatchObject([{ cluster: 'b', by: null, since: new Date(at(-50)).toISOString() }])
    expect(rest.nextCursor).toBeNull()
    const same = await ask<PatchDetailItem>(`/${key}?to=1.18.1`, PatchDetailItem)
    expect([same.breaking, same.members.map(({ target }) => target)]).toEqual([0, ['1.18.1', '1.18.1']])
  })

  test('the fields of HyperConverged instead, in the layout of the cluster', async () => {
    const detail = await ask<PatchDetailItem>(`/${await keyOf('?class=superseded')}`, PatchDetailItem)
    expect(detail.proposal).toMatchObject({ apiVersion: 'hco.kubevirt.io/v1beta1', from: 'installed' })
    expect(detail.proposal!.yaml).toContain('allowPostCopy: true')
  })

  test('a patch that is no list of operations has its text', async () => {
    const detail = await ask<PatchDetailItem>(`/${await keyOf('?component=cdi')}`, PatchDetailItem)
    expect(detail).toMatchObject({ operations: null, text: 'as written', differences: [], proposal: null })
  })

  test('of a moment: the patches that stood then', async () => {
    const then = new Date(at(-30)).toISOString()
    const { patches } = await list(`?class=gate&at=${then}`)
    expect(patches.map(({ clusters }) => clusters)).toEqual([3])
  })

  test.each([
    ['/none', 404, 'no cluster has a JSON patch with the key "none"'],
    ['?to=latest', 400, 'got "latest", want a version such as 1.19.0'],
    ['/none?to=1.19', 400, 'want a version'],
    ['?class=bad', 400, 'class'],
    ['?cursor=bad', 400, 'cursor'],
  ])('%s is refused', async (path, status, text) => {
    const answer = await server.app.inject(`/api/fleet/v1/patches${path}`)
    expect(answer.statusCode).toBe(status)
    expect(answer.json<{ error: string }>().error).toContain(text)
  })
})
