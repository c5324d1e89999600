import { describe, expect, test } from 'vitest'
import { CHECK_MS } from '../../src/forward/forwarder.ts'
import { ReleasedRows } from '../../src/forward/released-rows.ts'
import { NOW_MS } from '../store/temp-store.ts'
import { Rig } from './rig.ts'

const VM = 'vm_app_version{version="victoria-metrics-1", short_version="v1.2.3"} 1\n'

/** A VictoriaMetrics, as far as it can be told apart. */
async function vmRig(options: Parameters<typeof Rig.start>[0] = {}): Promise<Rig> {
  const rig = await Rig.start(options)
  rig.receiver.startSeconds = 1000
  rig.receiver.metrics = VM
  rig.restartForwarder()
  return rig
}

const timesOf = (rig: Rig): readonly number[] => rig.receiver.stored.map(({ timeMs }) => (timeMs - NOW_MS) / 1000)

async function checked(rig: Rig): Promise<void> {
  const before = rig.clock.nowMs()
  await rig.until('a check', () => rig.clock.nowMs() - before > 2 * CHECK_MS)
}

describe('a restart of the remote side', () => {
  test('is found by its start time, also without a failed request, and what it acknowledged lately is sent again', async () => {
    const rig = await vmRig()
    for (const second of [0, 1, 2]) {
      await rig.append([['a', NOW_MS + second * 1000, second]])
      await rig.drained()
    }
    expect(rig.forwarder.progress).toMatchObject({ row: 3, releasedRow: 0, remoteStarts: [1000] })
    rig.receiver.stored = []
    rig.receiver.startSeconds = 2000
    expect(rig.forwarder.status().isComplete).toBe(true)
    await rig.until('it to be sent again', () => {
      const { isComplete, totals } = rig.forwarder.status()
      // From when it is found until all has arrived.
      if (totals.restarts === 1 && isComplete) expect(rig.receiver.stored).toHaveLength(3)
      return rig.receiver.stored.length === 3
    })
    await rig.drained()
    expect(timesOf(rig)).toEqual([0, 1, 2])
    expect(rig.forwarder.status().totals).toMatchObject({ restarts: 1, resentSamples: 3 })
    expect(rig.forwarder.progress.remoteStarts).toEqual([1000, 2000])
  })

  test('that happened while nothing was forwarded is found at the next start', async () => {
    const rig = await vmRig()
    await rig.append([['a', NOW_MS, 1]])
    await rig.drained()
    await rig.storeProgress()
    rig.restartForwarder()
    await rig.append([['a', NOW_MS + 1000, 1]])
    await rig.drained()
    // The same process: nothing is repeated.
    expect(timesOf(rig)).toEqual([0, 1])
    await rig.storeProgress()
    rig.receiver.startSeconds = 3000
    rig.restartForwarder()
    await rig.until('it to be sent again', () => rig.receiver.stored.length === 4)
    expect(timesOf(rig)).toEqual([0, 1, 0, 1])
  })

  test('is supposed after a request without an answer, where the start time cannot be read', async () => {
    const rig = await Rig.start()
    await rig.append([['a', NOW_MS, 1]])
    await rig.drained()
    await rig.receiver.pause()
    await rig.append([['a', NOW_MS + 1000, 1]])
    await rig.until('a failure', () => rig.forwarder.status().isFailing)
    expect(rig.forwarder.status()).toMatchObject({ lagSamples: 1, isComplete: false })
    await rig.receiver.resume()
    await rig.until('it to be sent again', () => {
      const isSentAgain = timesOf(rig).filter((second) => second === 0).length === 2
      // A request was accepted again; whether it had restarted is not known yet.
      if (!isSentAgain) expect(rig.forwarder.status().isComplete).toBe(false)
      return isSentAgain
    })
    await rig.drained()
    expect(rig.forwarder.status().isComplete).toBe(true)
    expect(rig.forwarder.status().totals.restarts).toBe(1)
    // A server that is overloaded has not restarted.
    const { requests } = rig.receiver
    rig.receiver.decide = (_, request) => (request === requests.length + 1 ? { status: 503 } : { status: 204 })
    await rig.append([['a', NOW_MS + 2000, 1]])
    await rig.drained()
    await checked(rig)
    expect(rig.forwarder.status().totals.restarts).toBe(1)
  })

  test('is supposed where its start time is first read after a request without an answer', async () => {
    const rig = await Rig.start()
    await rig.append([['a', NOW_MS, 1]])
    await rig.drained()
    await rig.receiver.pause()
    await rig.append([['a', NOW_MS + 1000, 1]])
    await rig.until('a failure', () => rig.forwarder.status().isFailing)
    rig.receiver.startSeconds = 1000
    await rig.receiver.resume()
    await rig.until('it to be sent again', () => timesOf(rig).filter((second) => second === 0).length === 2)
    await checked(rig)
    expect(rig.forwarder.status().totals.restarts).toBe(1)
  })

  test('is in the progress as soon as it is found: a crash before the resend loses nothing', async () => {
    const rig = await vmRig({ connections: 1, timeoutMs: 3000 })
    await rig.append([['a', NOW_MS, 1]])
    await rig.drained()
    await rig.append([['a', NOW_MS + 1000, 1]])
    rig.receiver.decide = () => ({ status: 204, hangs: true })
    await rig.until('a request under way', () => rig.receiver.requests.length === 2)
    rig.receiver.startSeconds = 2000
    await rig.until('the restart to be found', () => rig.forwarder.status().totals.restarts === 1)
    // The request still hangs, so nothing is sent again yet.
    expect(rig.forwarder.progress).toMatchObject({ row: 0, releasedRow: 0, remoteStarts: [1000, 2000] })
    await rig.until('the new process to be known', () => rig.forwarder.status().remote !== undefined)
    expect(rig.forwarder.status().isComplete).toBe(false)
    await rig.storeProgress()
    rig.receiver.decide = () => ({ status: 204 })
    rig.restartForwarder()
    await rig.drained()
    expect(timesOf(rig)).toEqual([0, 0, 1])
  })

  test('of one of several processes behind an address repeats once for each', async () => {
    const rig = await vmRig()
    await rig.append([['a', NOW_MS, 1]])
    await rig.drained()
    for (const start of [2000, 1000, 2000, 1000]) {
      rig.receiver.startSeconds = start
      await checked(rig)
    }
    expect(rig.forwarder.status().totals.restarts).toBe(1)
  })

  test('of a Prometheus repeats nothing: it would refuse that', async () => {
    const rig = await vmRig()
    rig.receiver.metrics = ''
    rig.receiver.statuses = { buildinfo: { version: '2.54.0', revision: 'abc' } }
    rig.restartForwarder()
    await rig.append([['a', NOW_MS, 1]])
    await rig.drained()
    expect(rig.forwarder.progress).toMatchObject({ row: 1, releasedRow: 1 })
    rig.receiver.startSeconds = 2000
    await checked(rig)
    expect(timesOf(rig)).toEqual([0])
  })

  test('after the window repeats nothing', async () => {
    const rig = await vmRig({ resendWindowMs: 60_000 })
    await rig.append([['a', NOW_MS, 1]])
    await rig.drained()
    const acknowledgedMs = rig.clock.nowMs()
    await rig.until('most of the window to pass', () => rig.clock.nowMs() >= acknowledgedMs + 50_000)
    expect(rig.forwarder.progress.releasedRow).toBe(0)
    await rig.until('the row to be released', () => rig.forwarder.progress.releasedRow === 1)
    expect(rig.clock.nowMs()).toBeGreaterThanOrEqual(acknowledgedMs + 60_000)
    rig.receiver.startSeconds = 2000
    await checked(rig)
    expect(timesOf(rig)).toEqual([0])
  })

  test('while it is down, no row is released, however long', async () => {
    const rig = await vmRig({ resendWindowMs: 60_000 })
    await rig.append([['a', NOW_MS, 1]])
    await rig.drained()
    await rig.receiver.pause()
    const downMs = rig.clock.nowMs()
    await rig.until('half an hour to pass', () => rig.clock.nowMs() >= downMs + 1_800_000, 5_000)
    rig.receiver.startSeconds = 2000
    await rig.receiver.resume()
    await rig.until('it to be sent again', () => rig.receiver.stored.length === 2)
  })
})

describe('rows that need not be sent again', () => {
  test('are those that were acknowledged a window before the remote side was seen unchanged', () => {
    const rows = new ReleasedRows(1000, 5)
    rows.acknowledged(5, 0)
    rows.acknowledged(6, 0)
    rows.acknowledged(8, 999)
    rows.acknowledged(9, 1000)
    rows.confirmed(1998)
    // 6 and 8 are released together.
    expect(rows.row).toBe(5)
    rows.confirmed(1999)
    expect(rows.row).toBe(8)
    rows.confirmed(2000)
    expect(rows.row).toBe(9)
    rows.releaseTo(7)
    expect(rows.row).toBe(9)
    rows.acknowledged(10, 3000)
    rows.forget()
    rows.confirmed(9000)
    expect(rows.row).toBe(9)
    rows.acknowledged(11, 9000)
    rows.releaseTo(11)
    expect(rows.row).toBe(11)
  })
})
