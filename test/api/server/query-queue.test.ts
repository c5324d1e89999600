import { describe, expect, test } from 'vitest'
import type { FleetError } from '../../../src/base/errors.ts'
import { QueryQueue, type QueueLimits } from '../../../src/api/server/query-queue.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const LIMITS: QueueLimits = { concurrencyMax: 4, waitingMax: 5, ownerWaitingMax: 3, waitMsMax: 1000 }

function rig(limits: Partial<QueueLimits> = {}) {
  const clock = new FakeClock(0)
  const seen = { running: 0, waiting: 0 }
  const queue = new QueryQueue({
    limits: { ...LIMITS, ...limits },
    clock,
    onChange: (running, waiting) => Object.assign(seen, { running, waiting }),
  })
  /** Names of requests in the order in which they started. */
  const started: string[] = []
  const failed: string[] = []
  const leave = new Map<string, () => void>()
  const left = new Map<string, AbortController>()
  const settled = async (): Promise<void> => {
    for (let i = 0; i < 10; i++) await Promise.resolve()
  }
  return {
    ...{ clock, queue, seen, started, failed },
    /** A request `a1` is of owner `a`. */
    ask: async (...names: readonly string[]) => {
      for (const name of names) {
        const controller = new AbortController()
        left.set(name, controller)
        queue.enter(`token ${name[0]}`, controller.signal).then(
          (end) => {
            started.push(name)
            leave.set(name, end)
          },
          (thrown: unknown) => {
            const { code, message } = thrown as FleetError
            failed.push(`${name} ${code}: ${message}`)
          },
        )
      }
      await settled()
    },
    end: async (...names: readonly string[]) => {
      for (const name of names) leave.get(name)!()
      await settled()
    },
    disconnect: async (name: string) => {
      left.get(name)!.abort()
      await settled()
    },
    settled,
  }
}

describe('a queue', () => {
  test('runs as many as its limit, and one owner has half of it', async () => {
    const { ask, end, started, seen } = rig()
    await ask('a1', 'a2', 'a3', 'b1', 'c1', 'c2')
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1'])
    expect(seen).toEqual({ running: 4, waiting: 2 })
    await end('b1')
    expect(started.slice(4)).toEqual(['c2'])
    await end('a1')
    expect(started.slice(5)).toEqual(['a3'])
    await end('a2', 'a3', 'c1', 'c2', 'c2')
    expect(seen).toEqual({ running: 0, waiting: 0 })
  })

  test('gives a free place to the owner with the fewest running, at a tie to the one that waited longest', async () => {
    const { ask, end, started } = rig({ concurrencyMax: 2 })
    await ask('a1', 'b1', 'a2', 'a3', 'b2', 'c1')
    expect(started).toEqual(['a1', 'b1'])
    await end('a1')
    await end('b1')
    expect(started.slice(2)).toEqual(['a2', 'b2'])
    // The only request of its owner does not wait for the third of another.
    await end('a2')
    expect(started.slice(4)).toEqual(['c1'])
    await end('b2')
    expect(started.slice(5)).toEqual(['a3'])
  })

  test('refuses what is beyond the share of an owner, and what is beyond the limit of all', async () => {
    const { ask, failed, seen } = rig({ concurrencyMax: 1 })
    await ask('a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3', 'c1')
    expect(failed).toEqual([
      'a5 too_many_requests: 3 requests of token a wait already; query.owner-waiting-max is 3',
      'b3 overloaded: 5 requests are already queued; query.waiting-max is 5',
      'c1 overloaded: 5 requests are already queued; query.waiting-max is 5',
    ])
    expect(seen).toEqual({ running: 1, waiting: 5 })
  })

  test('refuses what waited too long, and nothing that has started', async () => {
    const { ask, end, clock, failed, started, settled, seen } = rig({ concurrencyMax: 1 })
    await ask('a1', 'a2')
    clock.advance(500)
    await ask('a3')
    await end('a1')
    clock.advance(999)
    await settled()
    expect(failed).toEqual([])
    clock.advance(1)
    await settled()
    expect(failed).toEqual([
      'a3 overloaded: the request waited for 1000 ms, the value of query.wait-max: other requests are running',
    ])
    clock.advance(10_000)
    await end('a2')
    await ask('a4')
    expect([failed.length, started, seen]).toEqual([1, ['a1', 'a2', 'a4'], { running: 1, waiting: 0 }])
  })

  test('forgets a request whose client leaves, at once', async () => {
    const { ask, end, disconnect, failed, started, seen } = rig({ concurrencyMax: 1 })
    await ask('a1', 'a2', 'a3')
    await disconnect('a2')
    expect(failed).toEqual(['a2 query_canceled: the client disconnected while its request was queued'])
    expect(seen).toEqual({ running: 1, waiting: 1 })
    await end('a1')
    expect(started).toEqual(['a1', 'a3'])
    // One that runs ends by itself.
    await disconnect('a3')
    expect(seen).toEqual({ running: 1, waiting: 0 })
  })

  test('refuses all that wait when it stops, and all later ones', async () => {
    const { ask, end, queue, failed, started, settled } = rig({ concurrencyMax: 1 })
    await ask('a1', 'a2', 'b1')
    queue.stop()
    await settled()
    await ask('c1')
    expect(failed.map((text) => text.split(':')[0])).toEqual(['a2 not_ready', 'b1 not_ready', 'c1 not_ready'])
    await end('a1')
    expect(started).toEqual(['a1'])
  })

  test('has no place that nobody leaves when requests start and leave in one moment', async () => {
    const { ask, disconnect, end, started, seen } = rig({ concurrencyMax: 1 })
    await ask('a1', 'a2', 'a3')
    await Promise.all([disconnect('a2'), end('a1'), disconnect('a3')])
    expect(started).toEqual(['a1', 'a3'])
    await end('a3')
    expect(seen).toEqual({ running: 0, waiting: 0 })
  })
})
