import { describe, expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import type { Steps } from '../../src/base/thread-slices.ts'
import { Intake } from '../../src/ingest/intake.ts'
import { INGEST_DEFAULTS } from '../../src/ingest/options.ts'
import { createOtlpLogsIngest } from '../../src/ingest/otlp/logs.ts'
import { createOtlpMetricsIngest } from '../../src/ingest/otlp/metrics.ts'
import { OTLP_DEFAULTS } from '../../src/ingest/otlp/options.ts'
import type { OtlpOutcome } from '../../src/ingest/otlp/outcome.ts'
import { createOtlpTracesIngest } from '../../src/ingest/otlp/traces.ts'
import { createRemoteWriteIngest } from '../../src/ingest/remote-write.ts'
import { takingInSlicesWith, takingWith } from '../../src/threads/taking.ts'
import { atOnce } from '../support/at-once.ts'
import { writeBody } from '../support/remote-write.ts'
import { NOW_MS, TempStore } from '../store/temp-store.ts'

const DAY_MS = 86_400_000
const MIB = 1024 * 1024

function ingestInto({ writer }: TempStore) {
  const intake = new Intake(writer.appender, INGEST_DEFAULTS)
  const otlp = OTLP_DEFAULTS
  const traceLimits = { retentionMs: 30 * DAY_MS, spansPerTraceMax: 20_000, bytesPerTraceMax: 1e9 }
  const { observations, logs, spans } = writer
  const logLimits = { objectRetentionMs: 400 * DAY_MS, logRetentionMs: 30 * DAY_MS }
  return {
    remoteWrite: createRemoteWriteIngest({ intake }),
    metrics: createOtlpMetricsIngest({ intake, otlp }),
    traces: createOtlpTracesIngest({ intake, otlp, spans, limits: traceLimits }),
    logs: createOtlpLogsIngest({ intake, otlp, observations, logs, limits: logLimits }),
  }
}

type Signal = 'metrics' | 'traces' | 'logs'

const RESOURCE = { attributes: [{ key: 'k8s.cluster.name', value: { stringValue: 'prague' } }] }
const TIME_NS = `${NOW_MS}000000`
/** Ahead of the clock: refused. */
const FAR_NS = `${NOW_MS + DAY_MS}000000`
const PADDING = 'x'.repeat(100)

/** A JSON body of about so many bytes, in which every tenth item is refused. */
function bodyOf(signal: Signal, bytes: number): { readonly body: Buffer; readonly items: number } {
  const items: unknown[] = []
  let length = 0
  while (length < bytes) {
    const i = items.length
    const timeNs = i % 10 === 9 ? FAR_NS : TIME_NS
    const attributes = [{ key: 'n', value: { stringValue: `${i} ${PADDING}` } }]
    const id = i.toString(16).padStart(16, '0')
    const item = {
      metrics: { timeUnixNano: timeNs, asDouble: i, attributes },
      logs: { timeUnixNano: timeNs, body: { stringValue: `line ${i}` }, attributes },
      traces: {
        ...{ traceId: `a${Math.floor(i / 700)}`.padEnd(32, 'b'), spanId: `c${id.slice(1)}`, name: 'work' },
        ...{ startTimeUnixNano: timeNs, endTimeUnixNano: timeNs, attributes },
      },
    }[signal]
    length += JSON.stringify(item).length
    items.push(item)
  }
  const body = {
    metrics: {
      resourceMetrics: [
        { resource: RESOURCE, scopeMetrics: [{ metrics: [{ name: 'm', gauge: { dataPoints: items } }] }] },
      ],
    },
    logs: { resourceLogs: [{ resource: RESOURCE, scopeLogs: [{ logRecords: items }] }] },
    traces: { resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ spans: items }] }] },
  }[signal]
  return { body: Buffer.from(JSON.stringify(body)), items: items.length }
}

const SIGNALS: readonly Signal[] = ['metrics', 'traces', 'logs']
const CONTEXT = { nowMs: NOW_MS }

function smallBody(value: number): Uint8Array {
  return writeBody([{ labels: { __name__: 'up', cluster: 'berlin' }, samples: [{ timeMs: NOW_MS + value, value }] }])
}

describe.each(SIGNALS)('a large OTLP request: %s', (signal) => {
  test('is answered after the small writes that came behind it', async () => {
    const store = new TempStore()
    const ingest = ingestInto(store)
    const { body, items } = bodyOf(signal, signal === 'metrics' ? 13 * MIB : 3 * MIB)
    const events: string[] = []
    const steps: Steps<OtlpOutcome> = ingest[signal].write(body, 'json', CONTEXT)
    const large = takingInSlicesWith(store.writer)(steps).then((outcome) => {
      events.push('large')
      return outcome
    })
    const take = takingWith(store.writer)
    for (let i = 0; i < 5; i++) {
      await take(() => ingest.remoteWrite.write(smallBody(i), CONTEXT))
      expect(store.writer.stats().commitsFailed).toBe(0)
      events.push(`small ${i}`)
    }
    const outcome = await large
    expect(events).toEqual(['small 0', 'small 1', 'small 2', 'small 3', 'small 4', 'large'])
    expect(outcome).toMatchObject({ status: 200, itemsIn: items, itemsTaken: items - Math.floor(items / 10) })
    expect(store.writer.stats().pendingBytes).toBe(0)
  })

  test('has the outcome that it has in one piece', async () => {
    const { body } = bodyOf(signal, MIB)
    const [sliced, whole] = [new TempStore(), new TempStore()]
    const expected = atOnce<OtlpOutcome>(ingestInto(whole)[signal].write(body, 'json', CONTEXT))
    await whole.writer.commit()
    const steps: Steps<OtlpOutcome> = ingestInto(sliced)[signal].write(body, 'json', CONTEXT)
    expect(await takingInSlicesWith(sliced.writer)(steps)).toEqual(expected)
    expect(sliced.writer.stats()).toMatchObject({ seriesCount: whole.writer.stats().seriesCount })
  })

  test('that is malformed at its end has no effect', async () => {
    const store = new TempStore()
    const { body } = bodyOf(signal, 2 * MIB)
    const damaged = body.subarray(0, body.length - 2)
    const steps: Steps<OtlpOutcome> = ingestInto(store)[signal].write(damaged, 'json', CONTEXT)
    const outcome = await takingInSlicesWith(store.writer)(steps)
    expect(outcome).toMatchObject({ status: 400, itemsIn: 0, itemsTaken: 0, refusals: [{ reason: 'bad_encoding' }] })
    expect(store.writer.stats()).toMatchObject({ seriesCount: 0, pendingBytes: 0, commitsDone: 0 })
  })

  test('ends with the first failure of a commit, and its answer is that failure', async () => {
    const store = new TempStore()
    const { body } = bodyOf(signal, 2 * MIB)
    const full = new FleetError('storage_full', 'no room')
    let commits = 0
    const disk = {
      admit: () => undefined,
      commit: () => (++commits > 2 ? Promise.reject(full) : store.writer.commit()),
    }
    const steps: Steps<OtlpOutcome> = ingestInto(store)[signal].write(body, 'json', CONTEXT)
    await expect(takingInSlicesWith(disk)(steps)).rejects.toBe(full)
    expect(commits).toBe(3)
  })
})

test('others are served in the pauses, also while there is nothing to commit', async () => {
  const seen: string[] = []
  const serve = (): void => {
    seen.push('other')
    if (seen.length < 8) setImmediate(serve)
  }
  function* steps(): Steps<void> {
    for (let i = 0; i < 4; i++) {
      seen.push('step')
      yield true
    }
  }
  setImmediate(serve)
  await takingInSlicesWith({ admit: () => undefined, commit: () => Promise.resolve() })(steps())
  expect(seen).toEqual(['step', 'other', 'step', 'other', 'step', 'other', 'step', 'other'])
})

test('an overloaded store takes nothing, and is not asked to commit', async () => {
  const overloaded = new FleetError('overloaded', 'full')
  let taken = 0
  const store = {
    admit: () => {
      throw overloaded
    },
    commit: () => {
      taken++
      return Promise.resolve()
    },
  }
  await expect(takingWith(store)(() => taken++)).rejects.toBe(overloaded)
  await expect(takingInSlicesWith(store)(steps())).rejects.toBe(overloaded)
  expect(taken).toBe(0)

  function* steps(): Steps<void> {
    taken++
    yield true
  }
})
