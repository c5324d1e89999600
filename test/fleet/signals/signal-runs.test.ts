import { expect, test } from 'vitest'
import { signalRunsOf } from '../../../src/fleet/signals/signal-runs.ts'
import type { MetricRun } from '../../../src/model/observation.ts'
import type { SignalSeries } from '../../../src/model/signal-samples.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const CLUSTER = 'prague-prod-01'

/** Scraped once a minute. */
const series = (
  signal: 'hco_health' | 'operand_ready',
  firstMs: number,
  lastMs: number,
  value: number,
): SignalSeries => ({
  signal,
  labels: {},
  combine: 'max',
  identity: signal,
  runs: [{ firstMs, stepMs: MINUTE, count: (lastMs - firstMs) / MINUTE + 1, value, isStale: false }],
})
const shown = (runs: readonly MetricRun[]): readonly string[] =>
  runs
    .map(({ signal, value, beforeMs, firstMs, lastMs, afterMs }) =>
      [signal, value, ...[beforeMs, firstMs, lastMs, afterMs].map((ms) => (ms === undefined ? '-' : ms / MINUTE))].join(
        ' ',
      ),
    )
    .sort()

// Scraped until minute 60, and from minute 100 on again: the health changed within the gap.
const ready = { cluster: CLUSTER, signal: 'operand_ready', labels: {}, value: 1, firstMs: 0, lastMs: 4 * HOUR } as const
const health = { cluster: CLUSTER, signal: 'hco_health', labels: {} } as const
const stored: readonly MetricRun[] = [
  ready,
  { ...health, value: 1, firstMs: 0, lastMs: HOUR, afterMs: 100 * MINUTE },
  { ...health, value: 0, firstMs: 100 * MINUTE, lastMs: 4 * HOUR, beforeMs: HOUR },
]
const kept = (value: number) => [
  series('operand_ready', 100 * MINUTE, 5 * HOUR, 1),
  series('hco_health', 100 * MINUTE, 5 * HOUR, value),
]

test('a change after a gap keeps the time before it when older samples are removed', () => {
  expect(shown(signalRunsOf(CLUSTER, kept(0), stored, HOUR, true).runs)).toEqual([
    'hco_health 0 60 100 300 -',
    'hco_health 1 - 0 60 100',
    'operand_ready 1 - 0 300 -',
  ])
})

test('of a run that is not stored with its value, the time before it is not later than its start', () => {
  expect(shown(signalRunsOf(CLUSTER, kept(2), stored, HOUR, true).runs)).toEqual([
    'hco_health 1 - 0 60 100',
    'hco_health 2 60 100 300 -',
    'operand_ready 1 - 0 300 -',
  ])
})
