import { expect, test } from 'vitest'
import { AlertTraces } from '../../../src/fleet/loop/alert-traces.ts'
import { StartedCycle } from '../../../src/fleet/loop/loop-cycle.ts'
import type { FiredAlert } from '../../../src/model/alert-run.ts'
import { CLUSTER, T0_MS, UPGRADE } from '../../support/upgrade-record.ts'
import { emptyRecord } from '../../support/cluster-record.ts'

const FIRED: FiredAlert = { alertname: 'VirtApiDown', severity: 'critical', firedAtMs: T0_MS + 60_000 }

test('a trace is written when an alert joins it, once; a cluster that fails waits for the next collection', async () => {
  const changes = [CLUSTER.cluster]
  const fired: FiredAlert[] = [FIRED]
  const written: number[] = []
  const faults = { write: true }
  const traces = new AlertTraces({
    facts: {
      cluster: (name) =>
        Promise.resolve({ cluster: emptyRecord(name), upgrades: [UPGRADE], intervals: [], modifications: [] }),
    },
    alerts: {
      firedSince: (position) => Promise.resolve({ clusters: changes.slice(position), position: changes.length }),
      firedOn: () => Promise.resolve(fired),
    },
    writer: {
      derived: {
        spans: (replaced) => {
          if (faults.write) return Promise.reject(new Error('disk full'))
          written.push(replaced.length)
          return Promise.resolve()
        },
      },
    },
  })
  const run = async () => {
    const cycle = new StartedCycle(T0_MS, () => 0)
    await traces.write(cycle)
    return [traces.waiting, cycle.failures.map(({ error }) => error).join()]
  }
  expect(await traces.collect(0)).toBe(1)
  expect(await run()).toEqual([1, 'disk full'])
  expect(await run()).toEqual([1, ''])
  faults.write = false
  expect(await traces.collect(1)).toBe(1)
  expect(await run()).toEqual([0, ''])
  // The alert fired again, outside of the upgrade.
  changes.push(CLUSTER.cluster)
  await traces.collect(1)
  await run()
  expect(written).toEqual([1])
  changes.push(CLUSTER.cluster)
  fired.push({ ...FIRED, firedAtMs: T0_MS + 90_000 })
  await traces.collect(2)
  await run()
  expect(written).toEqual([1, 1])
})
