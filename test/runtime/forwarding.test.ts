import { expect, test } from 'vitest'
import { Value } from 'typebox/value'
import { silentLog } from '../../src/base/log.ts'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { ForwardState } from '../../src/contract/debug-forward.ts'
import type { Lag } from '../../src/remote/lag.ts'
import type { DeploymentView, ProcessRecord } from '../../src/model/lease.ts'
import { OwnReport } from '../../src/runtime/own-report.ts'
import { until } from '../support/until.ts'
import { readForwardState, startForwarding, type Forwarding } from '../../src/runtime/forwarding.ts'
import { NOW_MS } from '../store/temp-store.ts'
import { Rig } from '../forward/rig.ts'

/** The parts of the threads that main calls, in this process. */
function threadsOf(rig: Rig, lags: Lag[] = []): Parameters<typeof startForwarding>[0]['threads'] {
  const { writer } = rig.store
  return {
    forward: {
      status: () => Promise.resolve(rig.forwarder.status()),
      takeEvents: () => Promise.resolve(rig.forwarder.takeEvents()),
      drained: (withinMs) => rig.forwarder.drained(withinMs),
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

/** Ends it; meanwhile time passes. */
async function stopped(rig: Rig, forwarding: Forwarding): Promise<boolean> {
  let result: boolean | undefined
  void forwarding.stop().then((isComplete) => (result = isComplete))
  await until('the end', () => {
    rig.clock.advance(50)
    return result !== undefined || undefined
  })
  return result!
}

function partsOf(rig: Rig, lags: Lag[] = []) {
  return {
    ...{ threads: threadsOf(rig, lags), clock: rig.clock, metrics: createOwnMetrics('test'), log: silentLog },
    ...{ report: new OwnReport(() => []), deployment: (): DeploymentView | undefined => undefined },
  }
}

const SELF: ProcessRecord = {
  ...{ name: 'a', version: '1', roles: ['collect'], startedMs: 1, state: 'running', isSelf: true, silentMs: 0 },
  report: undefined,
}
const OTHER: ProcessRecord = {
  ...{ ...SELF, name: 'b', isSelf: false, silentMs: 1000 },
  report: { forward: { isComplete: true, lagSamples: 7, lagSeconds: 40, refused: {} }, leases: {}, faults: [] },
}

test('queries and other processes know what is not in the metrics store yet', async () => {
  const rig = await Rig.start({ connections: 1 })
  const lags: Lag[] = []
  const parts = { ...partsOf(rig, lags), deployment: () => ({ processes: [SELF, OTHER], unheardMs: 500 }) }
  rig.receiver.decide = () => ({ status: 503 })
  await rig.append([['a', NOW_MS, 1]])
  expect(await stopped(rig, await startForwarding(parts))).toBe(false)
  const other = { name: 'b', isOwn: false, samples: 7, seconds: 41.5 }
  expect(lags.at(-1)).toMatchObject({ behind: [{ name: 'a', isOwn: true, samples: 1 }, other] })
  expect(parts.report.report.forward).toMatchObject({ lagSamples: 1 })
  rig.receiver.decide = () => ({ status: 204 })
  await rig.drained()
  expect(await stopped(rig, await startForwarding(parts))).toBe(true)
  expect(lags.at(-1)).toMatchObject({ behind: [other] })
  expect(parts.report.report.forward).toEqual({ isComplete: true, lagSamples: 0, lagSeconds: 0, refused: {} })
})

test('at the end what was received last is sent, as far as the metrics store takes it', async () => {
  const rig = await Rig.start({ connections: 1 })
  const parts = partsOf(rig)
  const forwarding = await startForwarding(parts)
  await rig.append([['a', NOW_MS, 1]])
  expect(await stopped(rig, forwarding)).toBe(true)
  expect(rig.clock.nowMs() - NOW_MS).toBeLessThan(60_000)
})

test('main stores the progress once a second, shows metrics, and logs what happened', async () => {
  const rig = await Rig.start({ connections: 1 })
  const metrics = createOwnMetrics('test')
  const lines: string[] = []
  const note = (_: object, message: string): void => void lines.push(message)
  const log = { ...silentLog, info: note, warn: note }
  const parts = { ...partsOf(rig), metrics, log }
  const forwarding = await startForwarding(parts)
  rig.receiver.decide = (samples) =>
    samples.some(({ series }) => series.includes('bad')) ? { status: 400, text: 'invalid' } : { status: 204 }
  await rig.append([
    ['a', NOW_MS, 1],
    ['bad', NOW_MS, 1],
  ])
  await rig.drained()
  await stopped(rig, forwarding)
  expect(parts.report.report.forward?.refused).toEqual({ invalid: 1 })
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
  const lags: Lag[] = []
  const others = { ...partsOf(rig), deployment: () => ({ processes: [SELF, OTHER], unheardMs: 0 }) }
  const forwarding = await startForwarding({ ...others, threads: { ...threadsOf(rig, lags), forward: undefined } })
  expect(await forwarding.stop()).toBe(true)
  expect(lags.at(-1)).toEqual({ atMs: rig.clock.nowMs(), behind: [], apart: ['b'] })
})
