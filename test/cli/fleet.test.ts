import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fleetCommand } from '../../src/cli/fleet.ts'
import { deriveFrom } from '../../src/fleet/derive/derive-cluster.ts'
import { upgradeTraceId } from '../../src/fleet/trace/trace-ids.ts'
import type { MetricRun } from '../../src/model/observation.ts'
import { observationsOf } from '../../sim/history/cluster-observations.ts'
import { planHistory } from '../../sim/history/plan-history.ts'
import { openObservationsForReading } from '../../src/store/observations/observation-reader.ts'
import { openSpansForReading } from '../../src/store/spans/span-reader.ts'
import { HOUR_MS, NOW_MS, TempStore } from '../store/temp-store.ts'
import { putFacts } from '../support/put-facts.ts'
import { spansOf } from '../support/read-spans.ts'

const DAY_MS = 24 * HOUR_MS

const NODES: MetricRun = {
  cluster: 'c1',
  signal: 'csv_succeeded',
  labels: { version: '1.16.0' },
  value: 1,
  firstMs: NOW_MS - HOUR_MS,
  lastMs: NOW_MS,
}

let store: TempStore
let lines: string[]

beforeEach(async () => {
  store = new TempStore()
  lines = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => {
    lines.push(line)
  })
  for (const cluster of ['c1', 'c2']) store.writer.observations.putRuns(cluster, 0, [{ ...NODES, cluster }])
  await store.writer.appender.commit()
})

afterEach(() => {
  vi.restoreAllMocks()
})

function rederive(...more: readonly string[]): Promise<number> {
  return fleetCommand.run(['rederive', '--data', store.options.dir, ...more])
}

async function deriveAndPut(cluster: string): Promise<void> {
  const { dir } = store.options
  const readers = { observations: openObservationsForReading(dir), spans: openSpansForReading(dir) }
  await putFacts(store.writer.facts.fleet, [await deriveFrom(readers, cluster)])
  readers.observations.close()
  readers.spans.close()
}

test('facts that are as they would be derived now are said to be so', async () => {
  await deriveAndPut('c1')
  await deriveAndPut('c2')
  expect(await rederive()).toBe(0)
  expect(lines).toEqual(['2 clusters derived, all as written'])
})

test('what is different is listed by cluster, and written when asked to', async () => {
  await deriveAndPut('c1')
  expect(await rederive()).toBe(1)
  expect(lines).toEqual(['c2: record; intervals kubevirt-hyperconverged 1.16.0', '2 clusters derived, 1 different'])
  expect(await store.writer.facts.fleet.cluster('c2')).toBeUndefined()
  lines = []
  expect(await rederive('--write', '--cluster', 'c2')).toBe(0)
  expect(lines.at(-1)).toBe('1 clusters derived, 1 different, and written')
  expect(await store.writer.facts.fleet.cluster('c2')).toBeDefined()
  expect(await rederive()).toBe(0)
})

test('the traces of upgrades that are written are written too', async () => {
  const plan = planHistory({ seed: 'loop', index: 0, fromMs: NOW_MS - 90 * DAY_MS, untilMs: NOW_MS, mode: 'objects' })
  const { cluster, objects } = observationsOf(plan)
  const kinds = new Set<string>(['clusterserviceversions', 'hyperconvergeds'])
  store.writer.observations.putObjects(objects.filter(({ facts }) => kinds.has(facts.kind)))
  await store.writer.appender.commit()
  expect(await rederive('--write', '--cluster', cluster)).toBe(0)
  const { upgrades } = (await store.writer.facts.fleet.cluster(cluster))!
  const spans = openSpansForReading(store.options.dir)
  const traces = await Promise.all(upgrades.map((record) => spansOf(spans, upgradeTraceId(record))))
  spans.close()
  const roots = traces.flat().filter(({ parentSpanId }) => parentSpanId === undefined)
  expect(upgrades.length).toBeGreaterThan(0)
  expect(roots).toHaveLength(upgrades.length)
})

test.each([
  ['nothing to do', [], 'want rederive'],
  ['another verb', ['derive'], 'want rederive'],
  ['no duration', ['rederive', '--retention.objects', 'long'], 'want a duration'],
  ['a folder without data', ['rederive', '--data', '/nowhere/at/all'], 'there is no folder /nowhere/at/all'],
])('%s is wrong usage', async (_, args, message) => {
  await expect(fleetCommand.run(args)).rejects.toThrow(message)
})

test('a cluster that nobody heard of is wrong usage', async () => {
  await expect(rederive('--cluster', 'c9')).rejects.toThrow('no data is stored for a cluster "c9"')
})
