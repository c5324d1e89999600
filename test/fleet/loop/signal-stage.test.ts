import { expect, test } from 'vitest'
import { StartedCycle } from '../../../src/fleet/loop/loop-cycle.ts'
import { createLoopState } from '../../../src/fleet/loop/loop-state.ts'
import { readSignals, type SignalStageParts } from '../../../src/fleet/loop/signal-stage.ts'
import { SignalWatch, type RunChange } from '../../../src/fleet/signals/signal-watch.ts'
import { NOW_MS, TempStore } from '../../store/temp-store.ts'

async function stageOf(...clusters: readonly string[]) {
  const store = new TempStore()
  const name = 'kubevirt-hyperconverged-operator.v1.16.0'
  for (const cluster of clusters) {
    const ref = store.resolve({ __name__: 'csv_succeeded', cluster, name, version: '1.16.0' })
    store.writer.appender.append(ref, NOW_MS, 1)
  }
  await store.writer.appender.commit()
  const signals = new SignalWatch(store.reader, { ...store.options, samplesMax: 1e7 })
  const written: RunChange[] = []
  const faults = { read: '', write: false }
  const parts: SignalStageParts = {
    signals,
    ownRuns: {
      runs: (cluster) => (cluster === faults.read ? Promise.reject(new Error('no disk')) : Promise.resolve([])),
    },
    writer: {
      derived: {
        runs: (changes) => {
          if (faults.write) return Promise.reject(new Error('disk full'))
          written.push(...changes)
          return Promise.resolve()
        },
      },
    },
  }
  const state = createLoopState()
  const run = async (nowMs = NOW_MS) => {
    const cycle = new StartedCycle(nowMs, () => 0)
    return { read: await readSignals(parts, state, cycle), failures: cycle.failures }
  }
  return { run, state, signals, written, faults }
}

test('runs of clusters with new samples are written, and handed on with the time of the last read', async () => {
  const { run, state, signals, written } = await stageOf('a', 'b')
  expect(await run()).toEqual({ read: 2, failures: [] })
  expect(written.map(({ cluster, runs }) => [cluster, runs.map(({ signal }) => signal)])).toEqual([
    ['a', ['csv_succeeded']],
    ['b', ['csv_succeeded']],
  ])
  expect([...state.runsWritten]).toEqual([
    ['a', -Infinity],
    ['b', -Infinity],
  ])
  expect(signals.readUntilMs).toBe(NOW_MS)
  expect((await run(NOW_MS + 1000)).read).toBe(0)
})

test('a cluster that cannot be read is reported and waits; the others are read', async () => {
  const { run, signals, faults } = await stageOf('a', 'b')
  faults.read = 'a'
  expect(await run()).toEqual({ read: 1, failures: [{ subject: 'a', error: 'no disk' }] })
  expect([signals.isWaiting('a'), signals.isWaiting('b')]).toEqual([true, false])
})

test('runs that cannot be written are read again', async () => {
  const { run, state, signals, written, faults } = await stageOf('a')
  faults.write = true
  await expect(run()).rejects.toThrow('disk full')
  expect([state.runsWritten.size, signals.isWaiting('a')]).toEqual([0, true])
  faults.write = false
  expect((await run(NOW_MS + 1000)).read).toBe(1)
  expect(written.map(({ cluster }) => cluster)).toEqual(['a'])
})

test('none of many clusters is lost when a batch cannot be written', async () => {
  const clusters = Array.from({ length: 120 }, (_, i) => `c${i}`)
  const { run, signals, written, faults } = await stageOf(...clusters)
  faults.write = true
  await expect(run()).rejects.toThrow('disk full')
  expect([clusters.filter((cluster) => signals.isWaiting(cluster)), signals.waiting]).toEqual([clusters, 120])
  faults.write = false
  expect((await run(NOW_MS + 1000)).read).toBe(120)
  expect(new Set(written.map(({ cluster }) => cluster))).toEqual(new Set(clusters))
})
