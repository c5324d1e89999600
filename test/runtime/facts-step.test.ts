import { expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import type { FleetReport } from '../../src/fleet/loop/fleet-loop.ts'
import { createFactsStep } from '../../src/runtime/facts-step.ts'

const QUIET: FleetReport = { read: 0, derived: 0, waiting: 0, failures: [], tookMs: 1, returned: [], changed: [] }

test('past values and attempts that are dropped are counted each time, and logged once a minute', async () => {
  const metrics = createOwnMetrics('0.0.0-test')
  const lines: string[] = []
  const log = createLog('warn', { write: (line) => void lines.push(line) })
  let report = QUIET
  const step = createFactsStep({ runCycle: () => Promise.resolve(report) }, metrics, log)
  await step(0)
  report = { ...QUIET, dropped: { cluster: 'prague', changes: 3, attempts: 2 } }
  for (const nowMs of [1000, 2000, 61_000]) await step(nowMs)
  const text = await metrics.registry.metrics()
  expect(text).toMatch(/^daytwo_fleet_past_values_dropped_total 9$/m)
  expect(text).toMatch(/^daytwo_fleet_upgrade_attempts_dropped_total 6$/m)
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    {
      cluster: 'prague',
      changes: 3,
      attempts: 2,
      msg: 'a cluster has more changes or upgrade attempts than are derived: the past before them is unknown',
    },
    { cluster: 'prague', changes: 3 },
  ])
})
