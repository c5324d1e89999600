import { describe, expect, test } from 'vitest'
import { NOW_MS } from '../store/temp-store.ts'
import { Rig } from './rig.ts'

const MINUTE_MS = 60_000
const OUT_OF_BOUNDS_MS = 60 * MINUTE_MS

// Prometheus, Mimir and Thanos refuse samples that are an hour older than their newest one, also of another series.

async function fillAndDrain(statuses: Record<string, unknown>, metrics: string): Promise<Rig> {
  const rig = await Rig.start({ connections: 2 })
  rig.stopForwarder()
  rig.receiver.statuses = statuses
  rig.receiver.metrics = metrics
  rig.receiver.startSeconds = 1
  let newestMs = -Infinity
  rig.receiver.decide = (samples) => {
    // VictoriaMetrics takes samples in any order.
    if (metrics !== '') return { status: 204 }
    const oldestMs = samples.reduce((least, { timeMs }) => Math.min(least, timeMs), Infinity)
    if (oldestMs < newestMs - OUT_OF_BOUNDS_MS) return { status: 400, text: 'out of bounds' }
    newestMs = samples.reduce((most, { timeMs }) => Math.max(most, timeMs), newestMs)
    return { status: 204 }
  }
  // Five hours are in the log: of one series far more samples than of the other.
  for (let minute = 0; minute < 300; minute += 5) {
    await rig.append([
      ['a', NOW_MS + minute * MINUTE_MS, minute],
      ['b', NOW_MS + minute * MINUTE_MS, minute],
    ])
  }
  rig.startForwarder()
  await rig.drained()
  return rig
}

describe('after the store was away for hours', () => {
  test('connections to a Prometheus do not get ahead of each other: nothing is refused', async () => {
    const rig = await fillAndDrain({ buildinfo: { version: '2.42.0', revision: 'x' }, flags: {} }, '')
    expect(rig.forwarder.status().remote?.engine).toBe('prometheus')
    expect(rig.receiver.stored).toHaveLength(120)
    const spans = rig.receiver.requests.map(({ samples }) => {
      const timesMs = samples.map(({ timeMs }) => timeMs)
      return Math.max(...timesMs) - Math.min(...timesMs)
    })
    expect(Math.max(...spans)).toBe(30 * MINUTE_MS)
  })

  test('to VictoriaMetrics all is sent at once', async () => {
    const rig = await fillAndDrain({}, 'vm_app_version{short_version="v1.79.5"} 1\n')
    expect(rig.forwarder.status().remote?.engine).toBe('victoriametrics')
    expect(rig.receiver.requests.length).toBeLessThanOrEqual(4)
  })
})
