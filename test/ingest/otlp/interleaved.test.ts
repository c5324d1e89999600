import { expect, test } from 'vitest'
import { Intake } from '../../../src/ingest/intake.ts'
import { INGEST_DEFAULTS } from '../../../src/ingest/options.ts'
import { createOtlpMetricsIngest, type OtlpMetricsOutcome } from '../../../src/ingest/otlp/metrics.ts'
import { OTLP_DEFAULTS } from '../../../src/ingest/otlp/options.ts'
import { atOnce } from '../../support/at-once.ts'
import { MemoryAppender } from '../../support/memory-appender.ts'
import { encodeRequestProtobuf, withCounts } from '../../support/otlp.ts'

// Between the steps of one request those of another may run: each has the outcome that it has alone.

const NOW_MS = 1_787_220_000_000

const list = (attributes: Readonly<Record<string, string>>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value }))

function bodyOf(resource: Readonly<Record<string, string>>, name: string, points: number): Uint8Array {
  const scope = { name: '', version: '', attributes: [], schemaUrl: '' }
  const data = {
    kind: 'gauge' as const,
    points: Array.from({ length: points }, (_, i) => {
      return { attributes: list({ i: String(i) }), startMs: 0, timeMs: NOW_MS, isStale: false, value: i }
    }),
  }
  const metrics = [{ name, unit: '', data }]
  return encodeRequestProtobuf(withCounts([{ attributes: list(resource), scopes: [{ scope, metrics }] }]))
}

function rig() {
  const appender = new MemoryAppender()
  const intake = new Intake(appender, INGEST_DEFAULTS)
  return { appender, intake, ingest: createOtlpMetricsIngest({ intake, otlp: OTLP_DEFAULTS }) }
}

const REPLICA_A = { cluster: 'prague', prometheus_replica: 'a' }
const REPLICA_B = { cluster: 'prague', prometheus_replica: 'b' }

test.each([
  ['without a cluster', {}, {}, [700, 500]],
  ['of two clusters', { cluster: 'prague' }, { cluster: 'berlin' }, [0, 0]],
  ['of a cluster and without one', { cluster: 'prague' }, {}, [0, 500]],
  ['of an elected replica and a standby', REPLICA_A, REPLICA_B, [0, 0]],
])('requests %s', (_what, one, other, unidentified) => {
  const bodies = [bodyOf(one, 'up', 700), bodyOf(other, 'down', 500)]
  const alone = rig()
  // The first is elected in both.
  const first = bodyOf(REPLICA_A, 'first', 1)
  atOnce(alone.ingest.write(first, 'protobuf', { nowMs: NOW_MS - 1000 }))
  const expected = bodies.map((body) => atOnce(alone.ingest.write(body, 'protobuf', { nowMs: NOW_MS })))

  const { ingest, appender, intake } = rig()
  atOnce(ingest.write(first, 'protobuf', { nowMs: NOW_MS - 1000 }))
  const outcomes: OtlpMetricsOutcome[] = []
  const running = bodies.map((body, i) => ({ i, steps: ingest.write(body, 'protobuf', { nowMs: NOW_MS }) }))
  let turns = 0
  while (running.length > 0) {
    const turn = running.shift()!
    turns++
    const step = turn.steps.next()
    if (step.done === true) outcomes[turn.i] = step.value
    else running.push(turn)
    // Whatever is remembered of senders may be forgotten in between.
    if (turns % 5 === 0) intake.registry.isStale = true
  }
  expect(turns).toBeGreaterThan(12)
  expect(outcomes).toEqual(expected)
  expect(outcomes.map(({ newUnidentifiedSeries }) => newUnidentifiedSeries)).toEqual(unidentified)
  expect(appender.seriesCount).toBe(alone.appender.seriesCount)
})
