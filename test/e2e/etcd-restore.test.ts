import { afterEach, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import type { UpgradeItems } from '../../src/contract/fleet-upgrades.ts'
import type { OtlpLogRecord } from '../../src/wire/otlp/logs.ts'
import { builtApp } from '../support/built-app.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { encodeLogsProtobuf, logsOf, objectRecord } from '../support/otlp-logs.ts'
import { NO_CONTENT } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'

// etcd is restored from a snapshot that is older than an upgrade, and nothing is written after it: a Collector only lists the
// old states again. Over HTTP through the real store, in any order of arrival.

const CLUSTER = 'prague-prod-01'
const T0_MS = Date.UTC(2026, 7, 20, 10)
const iso = (second: number): string => new Date(T0_MS + second * 1000).toISOString().replace('.000Z', 'Z')

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

interface Stage {
  readonly app: App
  readonly clock: FakeClock
}

async function start(): Promise<Stage> {
  const data = tempDir('etcd-restore')
  const clock = new FakeClock(T0_MS + 24 * 3_600_000)
  const options = new Map([
    ['listen', '127.0.0.1:0'],
    ['data', data.path],
    ['log.level', 'silent'],
    ['rules', NO_CONTENT],
    ['runbooks', NO_CONTENT],
    ['dashboards', NO_CONTENT],
  ])
  const { startApp } = await builtApp()
  const app = await startApp({ config: readConfig(options, undefined, {}), clock, log: silentLog, isDemo: false })
  stops.push(async () => {
    await app.stop()
    data.remove()
  })
  return { app, clock }
}

async function send({ app, clock }: Stage, records: readonly OtlpLogRecord[]): Promise<void> {
  const body = encodeLogsProtobuf({ resources: [logsOf(records, { 'k8s.cluster.name': CLUSTER })] })
  const headers = { 'content-type': 'application/x-protobuf' }
  const answer = await fetch(`${app.url}/v1/logs`, { method: 'POST', headers, body })
  expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, 0])
  clock.advance(60_000)
  await app.runCycle()
}

interface Shown {
  readonly version: string | null
  readonly upgrades: readonly string[]
}

async function shown({ app }: Stage): Promise<Shown> {
  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${app.url}/api/fleet/v1/${path}`)
    expect([path, answer.status]).toEqual([path, 200])
    return (await answer.json()) as T
  }
  const { version } = await get<{ version: string | null }>(`clusters/${CLUSTER}`)
  const { upgrades } = await get<UpgradeItems>('upgrades')
  return { version, upgrades: upgrades.map(({ from, to, state }) => `${from ?? '?'} > ${to} ${state}`) }
}

interface Seen {
  readonly rv: number
  readonly second: number
  /** Absent: a pull found it. */
  readonly type?: string
}

const namespace = 'kubevirt-hyperconverged'

function hco(version: string, target: string, { rv, second, type }: Seen, changedSecond = second): OtlpLogRecord {
  const isUpgrading = version !== target
  const progressing = {
    ...{ type: 'Progressing', status: isUpgrading ? 'True' : 'False', lastTransitionTime: iso(changedSecond) },
    ...(isUpgrading
      ? { reason: 'HCOUpgrading', message: `HCO is now upgrading to version ${target}` }
      : { reason: 'ReconcileCompleted', message: '' }),
  }
  const object = {
    apiVersion: 'hco.kubevirt.io/v1beta1',
    kind: 'HyperConverged',
    metadata: { name: namespace, namespace, uid: 'hco', resourceVersion: String(rv), creationTimestamp: iso(-900_000) },
    spec: {},
    status: { versions: [{ name: 'operator', version }], conditions: [progressing] },
  }
  return objectRecord('hyperconvergeds', object, T0_MS + second * 1000, type)
}

function csv(version: string, replaces: string, createdSecond: number, { rv, second, type }: Seen): OtlpLogRecord {
  const succeeded = { phase: 'Succeeded', reason: 'InstallSucceeded', lastTransitionTime: iso(createdSecond + 90) }
  const name = (of: string): string => `kubevirt-hyperconverged-operator.v${of}`
  const object = {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      ...{ name: name(version), namespace, uid: `csv-${version}` },
      ...{ resourceVersion: String(rv), creationTimestamp: iso(createdSecond) },
    },
    spec: { version, replaces: name(replaces) },
    status: { ...succeeded, conditions: [succeeded] },
  }
  return objectRecord('clusterserviceversions', object, T0_MS + second * 1000, type)
}

const OLD_SECOND = -800_000
const oldStates = (second: number): readonly OtlpLogRecord[] => [
  csv('1.16.0', '1.15.0', OLD_SECOND, { rv: 900, second }),
  hco('1.16.0', '1.16.0', { rv: 910, second }, OLD_SECOND + 600),
]
const newStates = (second: number): readonly OtlpLogRecord[] => [
  csv('1.17.0', '1.16.0', 0, { rv: 1005, second }),
  hco('1.17.0', '1.17.0', { rv: 2002, second }, 840),
]
const BEFORE = oldStates(-600)
const UPGRADE = [
  csv('1.17.0', '1.16.0', 0, { rv: 1005, second: 95, type: 'ADDED' }),
  hco('1.16.0', '1.17.0', { rv: 2001, second: 96, type: 'MODIFIED' }, 95),
  csv('1.16.0', '1.15.0', OLD_SECOND, { rv: 2001, second: 101, type: 'DELETED' }),
  hco('1.17.0', '1.17.0', { rv: 2002, second: 841, type: 'MODIFIED' }, 840),
]
const UPGRADED: Shown = { version: '1.17.0', upgrades: ['1.16.0 > 1.17.0 succeeded'] }
const RESTORED: Shown = { ...UPGRADED, version: '1.16.0' }
const PULL_SECONDS = 900

test('what is only listed again is the present state, and no upgrade is made up', async () => {
  const stage = await start()
  await send(stage, [...BEFORE, ...UPGRADE])
  expect(await shown(stage)).toEqual(UPGRADED)
  for (let second = 900; second <= 18_000; second += PULL_SECONDS) await send(stage, newStates(second))
  expect(await shown(stage)).toEqual(UPGRADED)
  for (let second = 18_900; second <= 36_000; second += PULL_SECONDS) await send(stage, oldStates(second))
  expect(await shown(stage)).toEqual(RESTORED)
  // HyperConverged is written at last, with a version that the snapshot had not used.
  await send(stage, [hco('1.16.0', '1.16.0', { rv: 960, second: 40_000, type: 'MODIFIED' })])
  expect(await shown(stage)).toEqual(RESTORED)
})

test('in any order of arrival, each twice', async () => {
  const listed = [18_900, 25_200].flatMap(oldStates)
  const stage = await start()
  for (const records of [listed, newStates(900), UPGRADE, BEFORE, newStates(17_000)].toReversed()) {
    await send(stage, records)
    await send(stage, records.toReversed())
  }
  expect(await shown(stage)).toEqual(RESTORED)
  const other = await start()
  for (const records of [listed, newStates(17_000), UPGRADE, newStates(900), BEFORE]) await send(other, records)
  expect(await shown(other)).toEqual(RESTORED)
})

test('old states that are delivered late or by a stale list are no restore', async () => {
  const stage = await start()
  for (const records of [UPGRADE, newStates(900), newStates(18_000), BEFORE, oldStates(-300)])
    await send(stage, records)
  expect(await shown(stage)).toEqual(UPGRADED)
  await send(stage, oldStates(18_060))
  expect(await shown(stage)).toEqual(UPGRADED)
  await send(stage, oldStates(25_200))
  expect(await shown(stage)).toEqual(RESTORED)
  // The newer states are in force all the same.
  await send(stage, newStates(26_000))
  expect(await shown(stage)).toEqual(UPGRADED)
})
