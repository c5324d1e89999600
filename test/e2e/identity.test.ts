import { mkdirSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ClusterDetail, ClusterItems } from '../../src/contract/fleet-clusters.ts'
import type { UpgradeItems } from '../../src/contract/fleet-upgrades.ts'
import { daytwo } from '../cli/run.ts'
import { encodeLogsProtobuf, logsOf, objectRecord } from '../support/otlp-logs.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { eventually as holds } from '../support/until.ts'

// Which data is of one cluster, at the product as it ships: names that are joined, kept apart, or refused.

const UID = '6f3c1d52-9f0e-4c1b-8a53-0d6c5a1e7b10'
const OTHER_UID = '7a4d2e63-8e1f-4b2c-9b64-1e7d6b2f8c21'
const OPENSHIFT_ID = '2c0d4e9a-5b77-4d0c-9c55-8f1e2a3b4c5d'
const WITHIN_MS = 40_000

let folder: ReturnType<typeof tempDir>
let server: RunningServer | undefined
let viewer: string | undefined

beforeEach(() => {
  folder = tempDir('identity')
  viewer = undefined
})
afterEach(async () => {
  await server?.kill()
  folder.remove()
})

async function start(): Promise<void> {
  server = await startServer([
    ...['serve', '--listen', '127.0.0.1:0', '--data', join(folder.path, 'data')],
    ...['--own-metrics', 'false', ...withoutContent()],
  ])
}

async function addToken(...args: readonly string[]): Promise<string> {
  const data = ['--data', join(folder.path, 'data')]
  mkdirSync(join(folder.path, 'data'), { recursive: true })
  const added = await daytwo('token', 'add', '--name', 'of-a-test', ...args, ...data)
  const token = added.stdout.trim().split('\n').at(-1)!.split(' ').at(-1)!
  expect([added.code, token]).toEqual([0, expect.stringMatching(/.{20}/)])
  return token
}

function headersOf(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/** Metrics of a CSV, by the version and from how many minutes to how many minutes ago. */
async function metrics(
  names: Readonly<Record<string, string>>,
  spans: readonly (readonly [version: string, fromMinutes: number, toMinutes: number])[],
  token?: string,
): Promise<readonly [status: number, text: string]> {
  const nowMs = Date.now()
  const series = spans.map(([version, from, to]) => ({
    labels: {
      __name__: 'csv_succeeded',
      ...{ name: `kubevirt-hyperconverged-operator.v${version}`, version, namespace: 'cnv', ...names },
    },
    samples: Array.from({ length: (from - to) * 2 + 1 }, (_, i) => {
      return { timeMs: nowMs - from * 60_000 + i * 30_000, value: 1 }
    }),
  }))
  const response = await postWrite(server!.url, writeBody(series), headersOf(token))
  return [response.status, await response.text()]
}

const UPGRADED = [
  ['1.16.0', 60, 31],
  ['1.17.0', 30, 0],
] as const

/** Objects of a cluster that runs OpenShift, with the attributes of their resource. */
async function objects(attributes: Readonly<Record<string, string>>, token?: string): Promise<string> {
  const uid = createHash('md5').update(JSON.stringify(attributes)).digest('hex')
  const metadata = { name: 'version', uid: `v-${uid}`, resourceVersion: '7' }
  const version = { kind: 'ClusterVersion', metadata, spec: { channel: 'stable-4.18' }, status: { history: [] } }
  const cdi = { kind: 'CDI', metadata: { ...metadata, name: 'cdi', uid: `c-${uid}`, namespace: 'cnv' } }
  const records = [objectRecord('clusterversions', version, Date.now()), objectRecord('cdis', cdi, Date.now())]
  return logs(logsOf(records, attributes), token)
}

async function logs(resource: ReturnType<typeof logsOf>, token?: string): Promise<string> {
  const response = await fetch(`${server!.url}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf', ...headersOf(token) },
    body: encodeLogsProtobuf({ resources: [resource] }),
  })
  expect(response.status).toBe(200)
  return response.text()
}

async function get<T>(path: string): Promise<T | undefined> {
  const response = await fetch(`${server!.url}/api/fleet/v1/${path}`, { headers: headersOf(viewer) })
  return response.status === 200 ? ((await response.json()) as T) : undefined
}

async function cluster(name: string): Promise<ClusterDetail | undefined> {
  return get<ClusterDetail>(`clusters/${name}`)
}

async function clusterNames(): Promise<readonly string[]> {
  return (await get<ClusterItems>('clusters'))!.clusters.map((one) => one.cluster).sort()
}

async function upgradesOf(name: string): Promise<readonly string[]> {
  const found = await get<UpgradeItems>(`upgrades?cluster=${name}`)
  return (found?.upgrades ?? []).map(({ cluster: of, from, to }) => `${of}: ${from ?? '?'} > ${to}`)
}

/** What holds within the time that facts may take. */
const eventually = (check: () => Promise<void>): Promise<void> => holds(check, WITHIN_MS)

test('objects by uid and metrics by name are one cluster once a sender gives both, with all that was stored', async () => {
  await start()
  await objects({ 'k8s.cluster.uid': UID })
  await metrics({ cluster: 'lab' }, UPGRADED)
  await eventually(async () => {
    expect(await clusterNames()).toEqual([UID, 'lab'])
    expect(await upgradesOf('lab')).toEqual(['lab: 1.16.0 > 1.17.0'])
  })
  await objects({ 'k8s.cluster.uid': UID, 'k8s.cluster.name': 'lab' })
  await eventually(async () => {
    expect(await clusterNames()).toEqual(['lab'])
    expect(await cluster(UID)).toMatchObject({ cluster: 'lab', coverage: { objects: true, metrics: true } })
    expect(await upgradesOf(UID)).toEqual(['lab: 1.16.0 > 1.17.0'])
  })
})

test('what was stored under an id moves, its upgrades too, and stays one cluster after kill -9', async () => {
  await start()
  await metrics({ cluster_id: OPENSHIFT_ID }, UPGRADED)
  await eventually(async () => {
    expect(await upgradesOf(OPENSHIFT_ID)).toEqual([`${OPENSHIFT_ID}: 1.16.0 > 1.17.0`])
  })
  await objects({ cluster: 'lab', 'k8s.cluster.uid': UID, cluster_id: OPENSHIFT_ID })
  const isOne = async (): Promise<void> => {
    expect(await clusterNames()).toEqual(['lab'])
    expect(await upgradesOf(OPENSHIFT_ID)).toEqual(['lab: 1.16.0 > 1.17.0'])
    expect((await cluster('lab'))?.aliases).toEqual([OPENSHIFT_ID, UID])
  }
  await eventually(isOne)
  await server!.kill()
  await start()
  await eventually(isOne)
  await metrics({ cluster_id: OPENSHIFT_ID }, [['1.17.0', 0, 0]])
  const joined = `count by (cluster) (csv_succeeded{cluster_id="${OPENSHIFT_ID}",cluster="lab"})`
  await eventually(async () => {
    expect(await server!.query(joined)).toEqual([expect.objectContaining({ metric: { cluster: 'lab' } })])
  })
})

test('two uids under one name: the data of the second is refused, counted and shown, and no upgrade is made up', async () => {
  await start()
  const first = { cluster: 'lab', k8s_cluster_uid: UID }
  const second = { cluster: 'lab', k8s_cluster_uid: OTHER_UID }
  expect(await metrics(first, [['1.16.0', 60, 0]])).toEqual([expect.any(Number), ''])
  const [status, text] = await metrics(second, [['1.17.0', 30, 0]])
  expect([status, text]).toEqual([400, expect.stringContaining('two clusters send the same name')])
  const answer = await objects({ cluster: 'lab', 'k8s.cluster.uid': OTHER_UID })
  expect(answer).toContain('cluster_conflict (2)')
  await eventually(async () => {
    const detail = await cluster('lab')
    expect(detail).toMatchObject({ states: expect.arrayContaining(['identity_conflict']) as unknown })
    expect(detail?.problems).toEqual([
      expect.objectContaining({ cause: 'identity_conflict', text: expect.stringContaining(OTHER_UID) as unknown }),
    ])
    expect(detail?.coverage.objects).toBe(false)
    expect(await upgradesOf('lab')).toEqual([])
  })
  const refused = await (await fetch(`${server!.url}/metrics`)).text()
  expect(refused).toMatch(/reason="cluster_conflict"[^\n]*\} 61\n/)
  await eventually(async () => {
    const metrics = await (await fetch(`${server!.url}/metrics`)).text()
    expect(metrics).toMatch(/daytwo_cluster_names_refused_total\{reason="other_identity"\} [1-9]/)
    expect(metrics).toContain('daytwo_cluster_names_refused_total{reason="too_many_clusters"} 0\n')
  })
})

test('a copied token: the second cluster is refused, also after kill -9', async () => {
  const copied = await addToken('--role', 'ingest', '--cluster', 'prague')
  viewer = await addToken('--role', 'viewer')
  await start()
  expect(await objects({ cluster: 'prague', 'k8s.cluster.uid': UID }, copied)).not.toContain('refused')
  expect(await objects({ 'k8s.cluster.uid': OTHER_UID }, copied)).toContain('cluster_conflict (2)')
  await server!.kill()
  await start()
  expect(await objects({ 'k8s.cluster.uid': OTHER_UID }, copied)).toContain('cluster_conflict (2)')
  expect(await objects({ 'k8s.cluster.uid': UID }, copied)).not.toContain('refused')
  await eventually(async () => {
    expect(await cluster('prague')).toMatchObject({ states: expect.arrayContaining(['identity_conflict']) as unknown })
  })
})

test('a bound sender that claims names of other clusters gets no page of theirs', async () => {
  const [own, other] = [await addToken('--role', 'ingest', '--cluster', 'a'), await addToken('--role', 'ingest')]
  viewer = await addToken('--role', 'viewer')
  await start()
  await metrics({ cluster: 'lab-east-1' }, [['1.16.0', 10, 0]], other)
  await metrics({ cluster_id: OPENSHIFT_ID }, [['1.16.0', 10, 0]], other)
  await objects({ cluster: 'a', 'k8s.cluster.name': 'lab-east-1', cluster_id: OPENSHIFT_ID }, own)
  await eventually(async () => {
    expect(await clusterNames()).toEqual([OPENSHIFT_ID, 'a', 'lab-east-1'])
    expect((await cluster('lab-east-1'))?.cluster).toBe('lab-east-1')
    expect((await cluster(OPENSHIFT_ID))?.cluster).toBe(OPENSHIFT_ID)
    const detail = await cluster('a')
    expect(detail?.aliases).toEqual([])
    expect(detail?.problems.map(({ cause }) => cause)).toEqual(['identity_conflict', 'identity_conflict'])
  })
})

test('one uid under two names keeps them apart, lists the pair, and does not stop a later sender from joining', async () => {
  await start()
  await objects({ cluster: 'lab', 'k8s.cluster.uid': UID })
  await objects({ cluster: 'berlin', 'k8s.cluster.uid': UID })
  await eventually(async () => {
    expect(await clusterNames()).toEqual(['berlin', 'lab'])
    expect(await get('unjoined')).toMatchObject({ total: 1, unjoined: [{ clusters: ['berlin', 'lab'], by: UID }] })
    expect((await cluster(UID))?.cluster).toBe('lab')
  })
  // Corrected: what the other has was no uid of this one.
  expect(await objects({ cluster: 'berlin', 'k8s.cluster.uid': OTHER_UID })).not.toContain('cluster_conflict')
  expect(await objects({ cluster: 'berlin', 'k8s.cluster.uid': UID })).toContain('cluster_conflict (2)')
  await objects({ 'k8s.cluster.uid': UID })
  await eventually(async () => {
    expect(await clusterNames()).toEqual(['berlin', 'lab'])
  })
})
