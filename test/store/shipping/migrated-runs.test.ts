import { without } from '../../../src/base/without.ts'
import { describe, expect, test } from 'vitest'
import { runsOfSamples } from '../../../src/fleet/signals/signal-runs.ts'
import { SIGNAL_GROUPS } from '../../../src/fleet/signals/signals.ts'
import type { MetricRun, MetricSignal } from '../../../src/model/observation.ts'
import { MigratedRuns } from '../../../src/store/shipping/migrated-runs.ts'
import { PostgresObservations } from '../../../src/store/shipping/observation-reader.ts'
import { packRuns, unpackRuns } from '../../../src/store/shipping/run-codec.ts'
import { SignalSamples } from '../../../src/store/shipping/signal-samples.ts'
import { MalformedBytesError } from '../../../src/store/bytes.ts'
import { POSTGRES, sharedPostgres } from '../postgres/temp-postgres.ts'
import { NOW_MS } from '../temp-store.ts'
import { Collector, openShared } from './collectors.ts'

const WEEK_MS = 7 * 86_400_000
const MINUTE_MS = 60_000

function run(signal: MetricSignal, firstMs: number, lastMs: number, more: Partial<MetricRun> = {}): MetricRun {
  return { cluster: 'a', signal, labels: { component: 'cdi' }, value: 1, firstMs, lastMs, ...more }
}

const OLD = run('operand_ready', NOW_MS - 3 * WEEK_MS, NOW_MS - 2 * WEEK_MS, { afterMs: NOW_MS - 2 * WEEK_MS + 30_000 })
const OPEN = run('operand_ready', NOW_MS - WEEK_MS, NOW_MS, { value: 0, beforeMs: NOW_MS - WEEK_MS - 30_000 })
const groupOf = (signal: MetricSignal): string | undefined =>
  SIGNAL_GROUPS.find(({ sources }) => [...sources.values()].some((one) => one.signal === signal))?.name

test('runs are read back as they were packed, without damage', () => {
  const runs = [OLD, { ...OPEN, value: NaN }].map((run) => without(run, 'cluster'))
  expect(unpackRuns(packRuns(runs))).toEqual(runs)
  expect(() => unpackRuns(Uint8Array.of(1, 0))).toThrow(MalformedBytesError)
})

describe.skipIf(POSTGRES === undefined)('migrated runs', () => {
  const postgres = sharedPostgres()

  async function copyAll(collector: Collector): Promise<void> {
    const runs = new MigratedRuns(collector.db)
    const { pool } = collector.shared
    for (let after: number | undefined = 0; after !== undefined;) after = await runs.copySome(pool, after, groupOf)
  }

  test('are those of the directory; a later copy takes their place; samples that are shared continue them', async () => {
    const shared = await openShared(await postgres.options())
    const collector = new Collector(shared)
    const readMigrated = () => new PostgresObservations(shared.pool, runsOfSamples)
    await collector.commit(({ observations }) => {
      observations.putRuns('a', -Infinity, [OLD, OPEN])
      observations.putRuns('b', -Infinity, [{ ...OLD, cluster: 'b' }])
    })
    await copyAll(collector)
    const reader = readMigrated()
    const { position } = await reader.changedSince(0)
    for (const cluster of ['a', 'b']) expect(await reader.runs(cluster)).toEqual(await collector.reader.runs(cluster))
    await copyAll(collector)
    expect((await reader.changedSince(position)).clusters).toEqual([])
    // The open run ends.
    const ended = { ...OPEN, lastMs: NOW_MS, afterMs: NOW_MS + 30_000 }
    await collector.commit(({ observations }) => {
      observations.putRuns('a', OPEN.firstMs, [ended])
    })
    await copyAll(collector)
    expect((await reader.changedSince(position)).clusters).toEqual(['a'])
    expect(await reader.runs('a')).toEqual([OLD, ended])
    // The server shares what it received since shortly before.
    const samples = new SignalSamples(shared.pool, 'collector of the directory')
    await samples.put([
      {
        ...{ cluster: 'a', group: groupOf('operand_ready')!, fromMs: NOW_MS - 5 * MINUTE_MS },
        series: [
          {
            ...{ signal: 'operand_ready', labels: { component: 'cdi' }, combine: 'max' },
            ...{ identity: 'one', series: 'one' },
            runs: [
              { firstMs: NOW_MS - 5 * MINUTE_MS, stepMs: 30_000, count: 11, value: 0, isStale: false },
              { firstMs: NOW_MS + 30_000, stepMs: 30_000, count: 10, value: 1, isStale: false },
            ],
          },
        ],
      },
    ])
    const continued = await reader.runs('a')
    expect(continued.slice(0, 2)).toEqual([OLD, ended])
    expect(continued[2]).toMatchObject({ value: 1, firstMs: NOW_MS + 30_000, beforeMs: NOW_MS })
    expect(continued).toHaveLength(3)
  })

  test('of a cluster that lost its runs are removed', async () => {
    const shared = await openShared(await postgres.options())
    const collector = new Collector(shared)
    await collector.commit(({ observations }) => {
      observations.putRuns('a', -Infinity, [OLD, OPEN])
    })
    await copyAll(collector)
    await collector.commit(({ observations }) => {
      observations.putRuns('a', -Infinity, [])
    })
    await copyAll(collector)
    expect(await new PostgresObservations(shared.pool, runsOfSamples).runs('a')).toEqual([])
  })
})
