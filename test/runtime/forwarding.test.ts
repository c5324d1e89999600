import { expect, test } from 'vitest'
import { Value } from 'typebox/value'
import { silentLog } from '../../src/base/log.ts'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { ForwardState } from '../../src/contract/debug-forward.ts'
import type { Lag } from '../../src/remote/lag.ts'
import { readForwardState, startForwarding } from '../../src/runtime/forwarding.ts'
import { NOW_MS } from '../store/temp-store.ts'
import { Rig } from '../forward/rig.ts'

/** The parts of the threads that main calls, in this process. */
function threadsOf(rig: Rig, lags: Lag[] = []): Parameters<typeof startForwarding>[0]['threads'] {
  const { writer } = rig.store
  return {
    forward: {
      status: () => Promise.resolve(rig.forwarder.status()),
      takeEvents: () => Promise.resolve(rig.forwarder.takeEvents()),
      close: () => Promise.resolve(),
    },
    ingest: {
      store: {
        forwarded: (progress) => {
          writer.forwarded(progress)
          return Promise.resolve()
        },
        stats: () => Promise.resolve(writer.stats()),
      },
    },
    query: {
      metricsStore: {
        reportLag: (lag) => {
          lags.push(lag)
          return Promise.resolve()
        },
      },
    },
  }
}

test('queries know what is not in the metrics store yet', async () => {
  const rig = await Rig.start({ connections: 1 })
  const lags: Lag[] = []
  const parts = { threads: threadsOf(rig, lags), clock: rig.clock, metrics: createOwnMetrics('test'), log: silentLog }
  rig.receiver.decide = () => ({ status: 503 })
  await rig.append([['a', NOW_MS, 1]])
  await startForwarding(parts)()
  expect(lags.at(-1)).toMatchObject({ collectors: 1, atMs: rig.clock.nowMs(), others: { collectors: 0 } })
  rig.receiver.decide = () => ({ status: 204 })
  await rig.drained()
  await startForwarding(parts)()
  expect(lags.at(-1)).toMatchObject({ seconds: 0, collectors: 0 })
})

test('main stores the progress once a second, shows metrics, and logs what happened', async () => {
  const rig = await Rig.start({ connections: 1 })
  const metrics = createOwnMetrics('test')
  const lines: string[] = []
  const note = (_: object, message: string): void => void lines.push(message)
  const log = { ...silentLog, info: note, warn: note }
  const stop = startForwarding({ threads: threadsOf(rig), clock: rig.clock, metrics, log })
  rig.receiver.decide = (samples) =>
    samples.some(({ series }) => series.includes('bad')) ? { status: 400, text: 'invalid' } : { status: 204 }
  await rig.append([
    ['a', NOW_MS, 1],
    ['bad', NOW_MS, 1],
  ])
  await rig.drained()
  await stop()
  const text = await metrics.registry.metrics()
  for (const line of [
    'daytwo_forward_samples_total 1',
    'daytwo_forward_lag_samples 0',
    'daytwo_forward_lag_seconds 0',
    'daytwo_forward_store_known 1',
    'daytwo_forward_samples_refused_total{reason="invalid"} 1',
    'daytwo_forward_samples_refused_total{reason="limit"} 0',
    'daytwo_forward_retries_total{cause="timeout"} 0',
    'daytwo_forward_buffer_bytes_max 1073741824',
    'daytwo_forward_buffer_refused_requests_total 0',
  ]) {
    expect(text.split('\n')).toContain(line)
  }
  expect(lines).toContain('the metrics store refused samples')
  await rig.store.writer.commit()
  rig.restartForwarder()
  expect(rig.forwarder.progress.row).toBe(1)

  const state = await readForwardState(threadsOf(rig))
  expect([...Value.Errors(ForwardState, state)]).toEqual([])
  expect(state).toMatchObject({ rows: { newest: 1, acknowledged: 1 }, lagSamples: 0, buffer: { refused: 0 } })
})

test('without a metrics store there is nothing to show', async () => {
  const rig = await Rig.start()
  const threads = { ...threadsOf(rig), forward: undefined }
  expect(await readForwardState(threads)).toBeUndefined()
  await startForwarding({ threads, clock: rig.clock, metrics: createOwnMetrics('test'), log: silentLog })()
})
