import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { importCommand } from '../../../src/cli/import.ts'
import { UpdateGraphAnswer, type GraphImportItems } from '../../../src/contract/update-graph.ts'
import { createFleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { fillFleetIndex } from '../../../src/fleet/clusters/fill-fleet-index.ts'
import { createFleetViews } from '../../../src/fleet/fleet-views.ts'
import { CATALOG_LIMITS } from '../../../src/fleet/graph/documents.ts'
import { createGraphImports } from '../../../src/fleet/graph/imports.ts'
import { createGraphRisks } from '../../../src/fleet/graph/risks.ts'
import { createUpdateGraphs } from '../../../src/fleet/graph/update-graphs.ts'
import type { ClusterRecord } from '../../../src/model/cluster-record.ts'
import type { Principal } from '../../../src/model/token.ts'
import { ConnectionLock } from '../../../src/store/connection-lock.ts'
import { createFacts, type Facts } from '../../../src/store/facts/facts.ts'
import { migrate } from '../../../src/store/migrations.ts'
import { asJson, asYaml, CATALOG_BLOBS, CINCINNATI, PACKAGE } from '../../support/catalog.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { putFacts } from '../../support/put-facts.ts'
import { upgradeRecord } from '../../support/upgrade-record.ts'
import { NO_ALERTS } from '../../support/fleet-facts.ts'
import { makeServer, NOW_MS, type TestServer } from '../test-server.ts'

const TOKENS = new Map<string, Principal>([
  ['v', { role: 'viewer', name: 'wall' }],
  ['r', { role: 'responder', name: 'ada' }],
  ['a', { role: 'admin', name: 'root' }],
])
const PATH = '/api/fleet/v1/update-graph'
const coverage = { objects: true, metrics: true, spans: false, metricsLastMs: NOW_MS - 1000, kinds: [] }

function record(cluster: string, hcoVersion: string, channel: string, platform: string): ClusterRecord {
  return emptyRecord(cluster, {
    ...{ firstSeenMs: NOW_MS - 1e9, lastSeenMs: NOW_MS - 1000, hcoVersion, coverage, aliases: [`${cluster}-id`] },
    platform: { kind: 'openshift', version: platform },
    subscription: { package: PACKAGE, channel, approval: 'Automatic', source: 'c', state: 'AtLatestKnown' },
  })
}

let facts: Facts
let server: TestServer
let url: string
const folder = mkdtempSync(join(tmpdir(), 'daytwo-catalog-'))

beforeAll(async () => {
  const database = new Database(':memory:')
  migrate(database, ':memory:')
  facts = createFacts(database, new ConnectionLock())
  const of = (cluster: ClusterRecord, ...upgrades: ReturnType<typeof upgradeRecord>[]) => ({
    ...{ cluster, intervals: [], upgrades, modifications: [] },
  })
  const done = (cluster: string, id: string, state: 'succeeded' | 'failed') =>
    upgradeRecord(
      { id, cluster, from: '1.17.3', to: '1.18.0', state, startedMs: NOW_MS - 9e6, endedMs: NOW_MS - 8e6 },
      { observedUntilMs: NOW_MS },
    )
  await putFacts(facts.fleet, [
    of(record('aws', '1.17.1', 'stable-v1.17', '4.18.10'), done('aws', 'u1', 'failed')),
    of(record('metal', '1.18.0', 'stable', '4.18.10'), done('metal', 'u2', 'succeeded')),
    of(record('odd', '1.16.7', 'stable', '4.17.20')),
  ])
  const index = await fillFleetIndex(createFleetIndex(), facts.fleet, facts.decommissions)
  let graphs = createUpdateGraphs([])
  const graphImports = createGraphImports(facts.updateGraphs, async () => {
    graphs = createUpdateGraphs(await facts.updateGraphs.list())
  })
  const risks = createGraphRisks({
    ofAll: () =>
      Promise.resolve(
        new Map([
          ['aws', [1]],
          ['metal', [0]],
        ]),
      ),
    ofOne: () => Promise.resolve([]),
  })
  const progress = () => ({ caughtUpMs: 0, waiting: 0, daysLeft: 0 })
  server = await makeServer({
    fleet: createFleetViews(facts.fleet, Promise.resolve(index), progress, NO_ALERTS, {
      current: () => Promise.resolve(graphs),
      risks,
    }),
    ...{ graphImports, requiresToken: true, authenticate: (token) => Promise.resolve(TOKENS.get(token)) },
  })
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server.app.close()
  rmSync(folder, { recursive: true })
})
beforeEach(async () => {
  for (const { name } of await facts.updateGraphs.list()) await ask(`${PATH}/imports/${name}`, 'DELETE')
})

async function ask(
  path: string,
  method: 'GET' | 'PUT' | 'DELETE' = 'GET',
  body?: object,
  token = 'a',
  accept?: string,
) {
  const headers = { authorization: `Bearer ${token}`, ...(accept === undefined ? {} : { accept }) }
  const sent = body === undefined ? {} : { payload: body }
  const response = await server.app.inject({ method, url: path, headers, ...sent })
  return {
    status: response.statusCode,
    type: response.headers['content-type'],
    body: JSON.parse(response.body) as never,
  }
}
const put = (name: string, body: object, token?: string) => ask(`${PATH}/imports/${name}`, 'PUT', body, token)
const GRAPH = { kind: 'graph', operator: 'openshift', source: 'g.json', document: CINCINNATI }
const CATALOG = { kind: 'catalog', source: 'catalog/', document: CATALOG_BLOBS }

async function answerOf(query: string): Promise<UpdateGraphAnswer> {
  const { status, body } = await ask(`${PATH}?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  expect([...Value.Errors(UpdateGraphAnswer, body)]).toEqual([])
  return body
}

describe('imports over the API', () => {
  test('are replaced by name, listed, removed and audited', async () => {
    expect((await put('hco', CATALOG)).body).toMatchObject({ name: 'hco', kind: 'catalog', by: 'root', problems: [] })
    expect((await put('ocp', { ...GRAPH, arch: 'amd64' })).status).toBe(200)
    expect((await put('ocp', { ...GRAPH, source: 'newer' })).body).toMatchObject({ source: 'newer', arch: null })
    const listed = (await ask(`${PATH}/imports`, 'GET', undefined, 'v')).body as GraphImportItems
    expect(listed.imports.map(({ name, source }) => `${name} ${source}`)).toEqual(['hco catalog/', 'ocp newer'])
    expect((await ask(`${PATH}/imports/hco`, 'DELETE')).body).toMatchObject({ imports: [{ name: 'ocp' }] })
    expect((await ask(`${PATH}/imports/hco`, 'DELETE')).status).toBe(404)
    expect((await facts.audit.list(4)).map(({ action, subject, by }) => `${action} ${subject} ${by}`)).toEqual([
      'graph.remove hco root',
      'graph.import ocp root',
      'graph.import ocp root',
      'graph.import hco root',
    ])
  })

  test('need an administrator, and a valid document', async () => {
    expect((await put('x', GRAPH, 'r')).status).toBe(403)
    expect((await ask(`${PATH}/imports/x`, 'DELETE', undefined, 'v')).status).toBe(403)
    const { status, body } = await put('x', { ...GRAPH, document: { nodes: [{ version: 7 }] } })
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ error: 'document.nodes[0].version: got 7, want a text' }) as unknown,
    ])
    expect((await put('x', { ...GRAPH, more: 1 })).status).toBe(400)
    expect((await put('x y', GRAPH)).status).toBe(400)
    // Above the limit of other routes, below that of this one.
    expect(
      (await put('x', { ...GRAPH, source: 'x'.repeat(2000), document: { ...CINCINNATI, more: 'x'.repeat(3_000_000) } }))
        .status,
    ).toBe(200)
    expect((await put('x', { ...GRAPH, document: { ...CINCINNATI, more: 'x'.repeat(17_000_000) } })).status).toBe(413)
  })
})

describe('GET /api/upgrades_info/graph', () => {
  const served = '/api/upgrades_info/graph'

  test('answers what was imported, field by field', async () => {
    await put('ocp', GRAPH)
    const newer = await ask(
      `${served}?channel=stable-4.19&arch=amd64&version=4.18.10&id=1`,
      'GET',
      undefined,
      'v',
      'application/json',
    )
    expect(newer).toEqual({
      status: 200,
      type: 'application/json',
      body: {
        version: 1,
        nodes: CINCINNATI.nodes.slice(1),
        edges: CINCINNATI.edges.slice(2).map(([from, to]) => [from - 1, to - 1]),
        conditionalEdges: CINCINNATI.conditionalEdges,
      },
    })
    expect((await ask(`${served}?channel=none`)).body).toEqual({
      version: 1,
      nodes: [],
      edges: [],
      conditionalEdges: [],
    })
  })

  test('answers a catalog too', async () => {
    await put('hco', CATALOG)
    expect((await ask(`${served}?channel=stable-v1.17`)).body).toMatchObject({
      edges: [
        [0, 3],
        [1, 3],
        [2, 3],
      ],
    })
  })

  test.each([
    ['', undefined, 400, { kind: 'missing_params', value: 'mandatory client parameters missing: channel' }],
    ['?channel=', undefined, 400, { kind: 'missing_params' }],
    ['?channel=Not_valid', undefined, 400, { kind: 'invalid_params' }],
    ['?channel=a&channel=b', undefined, 400, { kind: 'invalid_params' }],
    ['?channel=a&arch=b&arch=c', undefined, 400, { kind: 'invalid_params' }],
    ['?channel=a&operator=cdi', undefined, 400, { kind: 'invalid_params' }],
    ['?channel=a', 'text/html', 406, { kind: 'invalid_content_type', value: 'invalid Content-Type requested' }],
    ['?channel=a', 'text/html, application/json;q=0.5', 200, {}],
    ['?channel=a', '*/*', 200, {}],
  ])('%s with Accept %s answers %i', async (query, accept, status, body) => {
    const answer = await ask(`${served}${query}`, 'GET', undefined, 'v', accept)
    expect([answer.status, answer.type, answer.body]).toEqual([
      status,
      'application/json',
      expect.objectContaining(body),
    ])
  })
})

describe('the update graph', () => {
  test('without an import: the known releases with the fleet on them', async () => {
    const { versions, edges, imports, channels } = await answerOf('')
    expect(imports).toEqual([])
    expect(
      versions
        .filter(({ clusters }) => clusters > 0)
        .map(({ version, clusters, inGraph }) => [version, clusters, inGraph]),
    ).toEqual([
      ['1.16.7', 1, false],
      ['1.17.1', 1, true],
      ['1.18.0', 1, true],
    ])
    expect(edges.find(({ from, to }) => from === '1.17.3' && to === '1.18.0')).toMatchObject({
      attempts: 2,
      success: { of: 2, share: 0.5 },
    })
    expect(channels.find(({ name }) => name === 'stable')).toMatchObject({ clusters: 2, head: '1.18.1' })
    expect(edges[0]?.from).toBe('1.18.0')
  })

  test('of a channel, and the path of a cluster', async () => {
    await put('hco', CATALOG)
    const { versions, edges, path } = await answerOf('channel=stable-v1.17&cluster=aws-id&to=1.18.1')
    expect(versions.map(({ version }) => version)).toEqual(['1.17.0', '1.17.1', '1.17.2', '1.17.3'])
    expect(edges.every(({ channels }) => channels.includes('stable-v1.17'))).toBe(true)
    expect(path).toMatchObject({
      cluster: 'aws',
      channel: 'stable-v1.17',
      from: '1.17.1',
      recommended: true,
      inChannel: false,
    })
    expect(path?.steps?.map(({ to }) => to)).toEqual(['1.18.0', '1.18.1'])
    expect((await answerOf('to=1.18.1')).path).toBeNull()
    expect((await answerOf('from=1.18.1&to=1.17.0')).path).toMatchObject({ steps: null, recommended: false })
    const deprecated = (await answerOf('')).versions.filter((one) => one.deprecated !== null)
    expect(deprecated[0]).toMatchObject({
      version: '1.9.0',
      deprecated: '1.9.0 is not supported any more.',
      deadEnd: false,
    })
  })

  test('imported versions of OpenShift are targets of readiness; without the import they are not', async () => {
    const targets = async () => {
      const { body } = await ask('/api/fleet/v1/readiness')
      return (body as { targets: { operator: string; version: string }[] }).targets.flatMap(({ operator, version }) =>
        operator === 'openshift' ? [version] : [],
      )
    }
    const before = await targets()
    expect(before).not.toContain('4.19.0')
    await ask(`${PATH}/imports/g`, 'PUT', GRAPH)
    expect(await targets()).toContain('4.19.0')
  })

  test('conditional risks are counted by cluster', async () => {
    await put('ocp', GRAPH)
    const { risks, versions, path } = await answerOf('operator=openshift&cluster=aws&to=4.19.0')
    expect(risks.map(({ name, clusters, exposed }) => ({ name, clusters, exposed }))).toEqual([
      { name: 'OldBootImages', clusters: { exposed: 1, notExposed: 1, unknown: 0 }, exposed: ['aws'] },
      { name: 'Broken', clusters: { exposed: 0, notExposed: 0, unknown: 0 }, exposed: [] },
    ])
    expect(versions.map(({ clusters }) => clusters)).toEqual([1, 0, 2, 0, 0, 0])
    expect(path).toMatchObject({
      recommended: false,
      steps: [{ risks: [{ name: 'OldBootImages', exposure: 'exposed' }] }],
    })
  })
})

describe('daytwo import', () => {
  async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const lines: Record<'out' | 'err', string[]> = { out: [], err: [] }
    const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.out.push(line))
    const error = vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.err.push(line))
    try {
      const code = await importCommand.run([...args, '--url', url, '--token', 'a'])
      return { code, out: lines.out.join('\n'), err: lines.err.join('\n') }
    } finally {
      log.mockRestore()
      error.mockRestore()
    }
  }
  const file = (name: string, text: string): string => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

  test('catalog reads a folder of any layout, list and remove', async () => {
    file('nested/a.json', asJson(CATALOG_BLOBS.slice(0, 9)))
    file('b.yaml', asYaml(CATALOG_BLOBS.slice(9)))
    file('README.md', 'no catalog: [')
    expect(await run('catalog', folder)).toEqual({
      ...{ code: 0, err: '' },
      out: expect.stringMatching(`imported ${PACKAGE}: 31 versions in 20 channels, [0-9]+ updates`) as string,
    })
    expect((await run('list')).out).toMatch(new RegExp(`^${PACKAGE}  catalog of kubevirt-hyperconverged, .* by root: `))
    expect((await run('remove', PACKAGE)).out).toBe(`removed ${PACKAGE}`)
    expect((await run('remove', PACKAGE)).code).toBe(1)
    expect((await run('list')).out).toBe('no imports: the update graph is made of the known releases')
  })

  test('graph reads a file, or an update service', async () => {
    const from = file('g.json', JSON.stringify(CINCINNATI))
    expect((await run('graph', from)).out).toBe('imported g: 6 versions, 7 updates, 3 conditional updates')
    expect((await run('list')).out).toMatch(/^g {2}graph of openshift \(amd64\)/)
    const service = createServer((request, response) => {
      const isGraph = request.headers.accept === 'application/json' && request.url?.startsWith('/graph?') === true
      response.writeHead(isGraph ? 200 : 404).end(JSON.stringify(CINCINNATI))
    })
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
    expect((await run('graph', `${address}/graph?channel=stable-4.19&arch=arm64`)).out).toMatch(
      /^imported stable-4.19: 6 /,
    )
    expect((await run('list')).out).toMatch(/\nstable-4.19 {2}graph of openshift \(arm64\)/)
    expect(await run('graph', `${address}/other`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('answers 404') as string,
    })
    service.close()
  })

  test.each([
    ['bad.json', '{\n "nodes": [\n {"version": 7}]}', /bad\.json:3: nodes\[0\]\.version: got 7, want a text/],
    ['bad.json', '{\n "nodes": [}', /bad\.json:2: got invalid YAML/],
    ['bad.json', '', /got nothing, want an update graph/],
  ])('an invalid graph %s %s', async (name, text, message) => {
    await expect(run('graph', file(name, text))).rejects.toThrow(message)
  })

  test('catalog reads a hundred megabytes, most of them of other packages, and a bundle without properties', async () => {
    const manifest = 'bWFuaWZlc3Q='.repeat(80_000)
    const other = (i: number) => ({
      ...{ schema: 'olm.bundle', package: 'other', name: `other.v1.0.${i}` },
      properties: [{ type: 'olm.bundle.object', value: { data: manifest } }],
    })
    const own = [
      { schema: 'olm.package', name: PACKAGE },
      { schema: 'olm.channel', package: PACKAGE, name: 'stable', entries: [{ name: 'hco.v1.17.0' }] },
      { schema: 'olm.bundle', package: PACKAGE, name: 'hco.v1.17.0' },
    ]
    const large = file(
      'large/index.json',
      [...Array.from({ length: 104 }, (_, i) => other(i)), ...own]
        .map((one) => JSON.stringify(one, undefined, 2))
        .join('\n'),
    )
    expect(statSync(large).size).toBeGreaterThan(99e6)
    expect(await run('catalog', large)).toEqual({
      ...{ code: 0, err: '', out: `imported ${PACKAGE}: 1 versions in 1 channels, 0 updates` },
    })
    truncateSync(large, CATALOG_LIMITS.bytesMax + 1)
    await expect(run('catalog', large)).rejects.toMatchObject({
      message: expect.stringMatching(
        /index\.json: got 104857601 bytes, want at most 104857600 in all files/,
      ) as unknown,
      hint: 'give the folder of the package alone',
    })
    rmSync(large)
  })

  test('what is left of a catalog may be larger than a request', async () => {
    const messages = Array.from({ length: 900 }, (_, i) => ({
      reference: { schema: 'olm.bundle', name: `hco.v1.0.${i}` },
      message: 'x'.repeat(19_000),
    }))
    const documents = [
      { schema: 'olm.channel', package: PACKAGE, name: 'stable', entries: [{ name: 'hco.v1.17.0' }] },
      { schema: 'olm.deprecations', package: PACKAGE, entries: messages },
    ]
    const { code, err } = await run('catalog', file('long.json', asJson(documents)))
    expect([code, err]).toEqual([1, 'daytwo import: request body: got more than 16777216 bytes, want at most as many'])
  })

  test('an invalid catalog, an unknown package, wrong usage', async () => {
    const bad = file('bad.yaml', `schema: olm.channel\npackage: ${PACKAGE}\nname: s\nentries: 7\n`)
    await expect(run('catalog', bad)).rejects.toThrow(/bad\.yaml:1: entries: got 7, want a list/)
    await expect(run('catalog', bad, '--package', 'other')).rejects.toThrow(
      /got no document of a catalog of package other/,
    )
    await expect(run('catalog')).rejects.toThrow(/got no file/)
    await expect(run('graph')).rejects.toThrow(/want one file or address/)
    await expect(run('remove')).rejects.toThrow(/got no name/)
    await expect(run('else')).rejects.toThrow(/grafana, catalog, graph, list, remove/)
    await expect(run('graph', join(folder, 'none'))).rejects.toThrow(/cannot read/)
  })
})
