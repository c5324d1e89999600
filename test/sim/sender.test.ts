import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock, type Clock } from '../../src/base/clock.ts'
import { createFleet } from '../../sim/fleet.ts'
import { SAMPLES_PER_REQUEST_MAX, createSender, type Sender } from '../../sim/sender.ts'
import type { SampleRun } from '../../sim/sim-prometheus.ts'
import { startWriteReceiver, type WriteReceiver } from '../support/write-receiver.ts'

const PRESENT = Date.UTC(2026, 10, 21, 12)

/** Lets every wait pass at once, and notes how long it would have been. */
class HastyClock implements Clock {
  readonly delays: number[] = []
  nowMs(): number {
    return PRESENT
  }
  after(delayMs: number, run: () => void): () => void {
    this.delays.push(delayMs)
    const handle = setImmediate(run)
    return () => {
      clearImmediate(handle)
    }
  }
}

let receiver: WriteReceiver
let clock: HastyClock
let sender: Sender

beforeEach(async () => {
  receiver = await startWriteReceiver()
  clock = new HastyClock()
  sender = createSender({ url: receiver.url, clock })
})

afterEach(async () => {
  sender.close()
  await receiver.close()
})

/** What one cluster sends within some minutes. */
function runsOf(minutes: number): readonly SampleRun[] {
  const fleet = createFleet({ seed: 'sender', clusters: 1, startMs: PRESENT, roleOf: () => 'fought' })
  const prometheus = fleet.prometheuses[0]!
  return prometheus.collect(prometheus.scrapesBetween(PRESENT, PRESENT + minutes * 60_000))
}

function countOf(runs: readonly SampleRun[]): number {
  return runs.reduce((sum, { samples }) => sum + samples.length, 0)
}

describe('a sender', () => {
  test('everything arrives as it was made: labels, times, values, stale markers', async () => {
    const fleet = createFleet({ seed: 'sender', clusters: 1, startMs: PRESENT, roleOf: () => 'fought' })
    const prometheus = fleet.prometheuses[0]!
    const runs = prometheus.collect(prometheus.scrapesBetween(PRESENT, PRESENT + 3 * 3_600_000))
    expect(runs.some(({ samples }) => samples.some(({ isStale }) => isStale))).toBe(true)
    await sender.send(runs)
    expect(receiver.samples).toBe(countOf(runs))
    expect(sender.counts).toMatchObject({ samplesAcked: countOf(runs), samplesRefused: 0, retries: 0 })
    for (const { labels, samples } of runs) {
      expect(receiver.series.get(labels.key)?.samples).toEqual(
        samples.map(({ timeMs, value, isStale = false }) => ({ timeMs, value, isStale })),
      )
    }
  })

  test('speaks remote write 1.0 to the usual path, in requests of a usual size', async () => {
    const runs = runsOf(120)
    await sender.send(runs)
    expect(receiver.requests.length).toBeGreaterThanOrEqual(countOf(runs) / SAMPLES_PER_REQUEST_MAX)
    expect(Math.max(...receiver.requests.map(({ samples }) => samples))).toBeLessThanOrEqual(SAMPLES_PER_REQUEST_MAX)
    expect(receiver.requests[0]).toMatchObject({
      path: '/api/v1/write',
      headers: {
        'content-encoding': 'snappy',
        'content-type': 'application/x-protobuf',
        'x-prometheus-remote-write-version': '0.1.0',
      },
    })
    expect(receiver.requests[0]?.headers.authorization).toBeUndefined()
  })

  test('a run longer than a request is cut, in order', async () => {
    const [run] = runsOf(1)
    const samples = Array.from({ length: 4500 }, (_, i) => ({ timeMs: PRESENT + i, value: i }))
    await sender.send([{ ...run!, samples }])
    expect(receiver.requests.map((request) => request.samples)).toEqual([2000, 2000, 500])
    expect(receiver.series.get(run!.labels.key)?.samples.map(({ value }) => value)).toEqual(samples.map((_, i) => i))
  })

  test('nothing to send is no request', async () => {
    await sender.send([])
    expect(receiver.requests).toEqual([])
  })

  test('goes to another path when the address has one, with its token', async () => {
    const other = createSender({ url: `${receiver.url}/prefix/push`, token: 'secret', clock })
    await other.send(runsOf(1))
    other.close()
    expect(receiver.requests[0]).toMatchObject({ path: '/prefix/push', headers: { authorization: 'Bearer secret' } })
  })

  test.each([
    ['503', { status: 503 }],
    ['500', { status: 500 }],
    ['429', { status: 429 }],
    ['a broken connection', { status: 0, isBroken: true }],
  ])('%s is tried again, the same samples, until it is taken', async (_, answer) => {
    receiver.answerNext(answer, answer, answer)
    const runs = runsOf(2)
    await sender.send(runs)
    expect(receiver.requests.map(({ status }) => status)).toEqual([answer.status, answer.status, answer.status, 204])
    expect(new Set(receiver.requests.map(({ samples }) => samples)).size).toBe(1)
    expect(sender.counts).toMatchObject({ retries: 3, samplesAcked: countOf(runs), samplesRefused: 0 })
    expect(clock.delays).toEqual([30, 60, 120])
  })

  test('pauses grow to five seconds and no further, and a Retry-After is honoured', async () => {
    receiver.answerNext(...Array.from({ length: 10 }, () => ({ status: 503 })), { status: 503, retryAfter: '7' })
    await sender.send(runsOf(1))
    expect(clock.delays).toEqual([30, 60, 120, 240, 480, 960, 1920, 3840, 5000, 5000, 7000])
  })

  test('what the server will never take is dropped, counted and quoted, and the rest goes on', async () => {
    receiver.answerNext({ status: 400, text: 'out of order sample' })
    const runs = runsOf(120)
    await sender.send(runs)
    const dropped = receiver.requests[0]!.samples
    expect(sender.counts).toMatchObject({
      retries: 0,
      samplesRefused: dropped,
      samplesAcked: countOf(runs) - dropped,
      lastRefusal: '400 out of order sample',
    })
  })

  test.each([
    [401, 'unauthenticated'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [415, 'unsupported_media'],
  ])('%i ends it, since every request would get it', async (status, code) => {
    receiver.answerNext({ status, text: 'no' })
    await expect(sender.send(runsOf(120))).rejects.toMatchObject({ code })
    expect(receiver.requests).toHaveLength(1)
  })

  test('closing it gives up what waits', async () => {
    const patient = createSender({ url: receiver.url, clock: systemClock })
    receiver.answerNext({ status: 503, retryAfter: '3600' })
    const sending = patient.send(runsOf(1))
    const outcome = expect(sending).rejects.toMatchObject({ code: 'not_ready' })
    while (receiver.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    patient.close()
    await outcome
  })

  test('an address that is none is refused at once', () => {
    expect(() => createSender({ url: 'not an address', clock })).toThrow()
  })
})
