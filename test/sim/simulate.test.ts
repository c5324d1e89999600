import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  startSimulation,
  type Simulation,
  type SimulationOptions,
  type SimulationProgress,
} from '../../sim/simulate.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { until } from '../support/until.ts'
import { startWriteReceiver, type WriteReceiver } from '../support/write-receiver.ts'

const PRESENT = Date.UTC(2026, 10, 21, 12)
const HISTORY_MS = 40 * 60_000

let receiver: WriteReceiver
let clock: FakeClock
let simulation: Simulation | undefined

beforeEach(async () => {
  receiver = await startWriteReceiver()
  clock = new FakeClock(PRESENT)
})

afterEach(async () => {
  await simulation?.stop()
  simulation = undefined
  await receiver.close()
})

function start(onProgress?: (progress: SimulationProgress) => void, more: Partial<SimulationOptions> = {}): Simulation {
  simulation = startSimulation({
    ...more,
    url: receiver.url,
    seed: 'simulate',
    clusters: 9,
    historyMs: HISTORY_MS,
    clock,
    ...(onProgress === undefined ? {} : { onProgress }),
  })
  return simulation
}

/** All sample times of a series that never pauses, by cluster. */
function healthTimes(): Map<string, number[]> {
  const times = new Map<string, number[]>()
  for (const { labels, samples } of receiver.series.values()) {
    if (labels.metricName !== 'kubevirt_hco_single_stack_ipv6' || !labels.get('prometheus_replica').endsWith('0'))
      continue
    const known = times.get(labels.get('cluster')) ?? []
    times.set(labels.get('cluster'), [
      ...known,
      ...samples.filter(({ isStale }) => !isStale).map(({ timeMs }) => timeMs),
    ])
  }
  return times
}

/** Lets the fleet live until every cluster that reports has a sample after `timeMs`. */
async function liveUntil(timeMs: number, reporting: number): Promise<void> {
  await until(`live samples after ${timeMs}`, () => {
    clock.advance(5000)
    const alive = [...healthTimes().values()].filter((times) => times.at(-1)! > timeMs)
    return alive.length >= reporting ? true : undefined
  })
}

describe('a simulation', () => {
  test('sends its history and says how far it is', async () => {
    const progress: SimulationProgress[] = []
    const { done, counts, fleet } = start((step) => progress.push(step))
    await done
    expect(progress.map(({ fraction }) => fraction)).toEqual([0.3125, 0.625, 0.9375, 1])
    expect(progress.at(-1)).toMatchObject({ samplesAcked: counts.samplesAcked, samplesRefused: 0 })
    expect(receiver.samples).toBe(counts.samplesAcked)
    const times = healthTimes()
    expect(new Set(times.keys())).toEqual(new Set(fleet.plans.map(({ profile }) => profile.name)))
    const silent = new Set(fleet.truthAt(PRESENT).silent.map(({ cluster }) => cluster))
    for (const [cluster, clusterTimes] of times) {
      if (!silent.has(cluster)) expect(clusterTimes).toHaveLength(HISTORY_MS / 30_000)
    }
  })

  test('sends every scrape of the end of its history, and sparse ones before', async () => {
    const denseMs = 10 * 60_000
    const progress: number[] = []
    const { done, fleet } = start(({ fraction }) => progress.push(fraction), { denseMs })
    await done
    expect(progress.at(-1)).toBe(1)
    expect(progress.every((fraction, i) => fraction > (progress[i - 1] ?? 0))).toBe(true)
    const silent = new Set(fleet.truthAt(PRESENT).silent.map(({ cluster }) => cluster))
    const heard = [...healthTimes()].filter(([cluster]) => !silent.has(cluster))
    expect(heard.length).toBeGreaterThan(5)
    // Every scrape is sent during an upgrade: here of the cluster that is stuck in OLM, from before the history begins.
    const upgrading = fleet.plans
      .filter(({ upgrades }) => upgrades.some((one) => one.startMs <= PRESENT - HISTORY_MS && one.endMs >= PRESENT))
      .map(({ profile }) => profile.name)
    expect(upgrading).toHaveLength(1)
    for (const [cluster, times] of heard) {
      const [sparse, dense] = [false, true].map((is) => times.filter((timeMs) => timeMs >= PRESENT - denseMs === is))
      expect(dense).toHaveLength(denseMs / 30_000)
      const sparseMs = HISTORY_MS - denseMs
      if (upgrading.includes(cluster)) expect(sparse).toHaveLength(sparseMs / 30_000)
      else expect(sparse!.length).toBeLessThanOrEqual(sparseMs / (2 * 60_000))
      const gaps = times.slice(1).map((timeMs, i) => timeMs - times[i]!)
      expect(Math.max(...gaps)).toBeLessThanOrEqual(4 * 60_000)
      expect(Math.min(...gaps)).toBeGreaterThan(0)
      expect(times[0]).toBeLessThan(PRESENT - HISTORY_MS + 4 * 60_000)
    }
  })

  test('lives on where the history ended, without a gap and without a repeat', async () => {
    const { done, fleet } = start()
    await done
    await liveUntil(PRESENT + 2 * 60_000, 8)
    const silent = new Set(fleet.truthAt(PRESENT).silent.map(({ cluster }) => cluster))
    for (const [cluster, times] of healthTimes()) {
      const gaps = new Set(times.slice(1).map((timeMs, i) => timeMs - times[i]!))
      expect([cluster, ...gaps]).toEqual([cluster, 30_000])
      if (!silent.has(cluster)) expect(times.at(-1)).toBeGreaterThan(PRESENT + 2 * 60_000)
    }
  })

  test('catches up after the server was away', async () => {
    const { done } = start()
    await done
    const before = receiver.requests.length
    receiver.answerNext(...Array.from({ length: 8 }, () => ({ status: 503, retryAfter: '60' })))
    clock.advance(10 * 60_000)
    await liveUntil(PRESENT + 12 * 60_000, 8)
    expect(receiver.requests.slice(before).filter(({ status }) => status === 503)).toHaveLength(8)
    for (const times of healthTimes().values()) {
      expect(new Set(times.slice(1).map((timeMs, i) => timeMs - times[i]!))).toEqual(new Set([30_000]))
    }
  })

  test('knows the truth at every time', async () => {
    const started = start()
    await started.done
    expect(started.truth(PRESENT)).toEqual(started.fleet.truthAt(PRESENT))
    expect(started.truth(PRESENT).silent).toHaveLength(1)
  })

  test('a wrong token fails the history with a reason', async () => {
    receiver.answerNext(...Array.from({ length: 20 }, () => ({ status: 401, text: 'who are you?' })))
    await expect(start().done).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('stopped in the middle it ends, and its history is not done', async () => {
    receiver.answerNext(...Array.from({ length: 100 }, () => ({ status: 503 })))
    const started = start()
    const outcome = expect(started.done).rejects.toMatchObject({ code: 'not_ready' })
    await until('a first request', () => (receiver.requests.length > 0 ? true : undefined))
    await started.stop()
    await outcome
    const requests = receiver.requests.length
    clock.advance(60_000)
    expect(receiver.requests).toHaveLength(requests)
  })

  test('through a relay the same samples come in fewer requests, and of the past only some', async () => {
    const progress: SimulationProgress[] = []
    let sentBeforeObjects: number | undefined
    const relayed = start((step) => progress.push(step), {
      isRelayed: true,
      afterMetrics: () => {
        sentBeforeObjects = progress.at(-1)?.fraction
        return Promise.resolve()
      },
    })
    await relayed.done
    expect(sentBeforeObjects).toBe(1)
    expect(progress.at(-1)).toMatchObject({ kind: 'metrics', fraction: 1, samplesRefused: 0 })
    const past = new Map([...receiver.series].map(([key, { samples }]) => [key, samples.length]))
    await liveUntil(PRESENT + 2 * 60_000, 8)
    await relayed.stop()
    const [relay, relayRequests] = [receiver.series, receiver.requests.length]

    await receiver.close()
    receiver = await startWriteReceiver()
    clock = new FakeClock(PRESENT)
    const direct = start()
    await direct.done
    await liveUntil(PRESENT + 2 * 60_000, 8)
    await direct.stop()
    let compared = 0
    for (const [key, { samples }] of relay) {
      const scraped = new Map((receiver.series.get(key)?.samples ?? []).map((sample) => [sample.timeMs, sample]))
      const both = samples.filter(({ timeMs, isStale }) => !isStale && scraped.has(timeMs))
      for (const sample of both)
        if (scraped.get(sample.timeMs)!.value !== sample.value) expect(sample).toEqual(scraped.get(sample.timeMs))
      compared += both.length
      // Of a series that goes on, every scrape is there from the present on.
      const live = samples.slice(past.get(key) ?? 0).map(({ timeMs }) => timeMs)
      expect(new Set(live.slice(1).map((timeMs, i) => timeMs - live[i]!)).size).toBeLessThanOrEqual(1)
    }
    expect(compared).toBeGreaterThan(5000)
    expect(relayRequests).toBeLessThan(receiver.requests.length / 3)
    const samplesOfPast = [...past.values()].reduce((sum, count) => sum + count, 0)
    expect(samplesOfPast).toBeLessThan(receiver.samples / 3)
  })
})
