import { beforeEach, describe, expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import { silentLog } from '../../src/base/log.ts'
import { createOwnMetrics, type OwnMetrics } from '../../src/base/metrics.ts'
import { createPulse } from '../../src/threads/pulse.ts'
import type { SupervisedThread, WorkerName } from '../../src/threads/supervised.ts'
import { backoffMs, Supervisor } from '../../src/threads/supervisor.ts'
import type { ThreadLook } from '../../src/threads/thread-stack.ts'
import { FakeClock } from '../support/fake-clock.ts'

const NOW_MS = Date.UTC(2026, 10, 27)
const HUNG_AFTER_MS = 15_000
const STABLE_AFTER_MS = 300_000

/** A thread that answers each call with its name and number, until the test says otherwise. */
class FakeThread implements SupervisedThread {
  readonly pulse = createPulse()
  hasEnded = false
  isSilent = false
  canEnd = true
  looked: ThreadLook = { kind: 'javascript', stack: ['at loop (x.js:1:1)'] }
  looks = 0
  readonly id: string

  constructor(id: string) {
    this.id = id
  }

  call(): Promise<unknown> {
    return Promise.resolve(this.id)
  }

  post(): void {
    // Nobody listens.
  }

  look(): Promise<ThreadLook> {
    this.looks++
    return Promise.resolve(this.looked)
  }

  terminate(): Promise<void> {
    if (!this.canEnd) return new Promise(() => undefined)
    this.hasEnded = true
    return Promise.resolve()
  }
}

let clock: FakeClock
let stopwatchMs: number
let metrics: OwnMetrics
let supervisor: Supervisor
let started: Record<WorkerName, FakeThread[]>
let startFailure: Error | undefined
let aborts: number
let changes: number

const newest = (name: WorkerName): FakeThread => started[name].at(-1)!

beforeEach(async () => {
  clock = new FakeClock(NOW_MS)
  stopwatchMs = 0
  metrics = createOwnMetrics('test')
  started = { 'ingest-worker': [], 'query-worker': [], 'forward-worker': [] }
  startFailure = undefined
  aborts = 0
  changes = 0
  const begin = (name: WorkerName): FakeThread => {
    if (startFailure !== undefined) throw startFailure
    const thread = new FakeThread(`${name} ${started[name].length + 1}`)
    started[name].push(thread)
    return thread
  }
  supervisor = new Supervisor({
    starts: {
      both: () =>
        Promise.resolve().then(() => ({
          'ingest-worker': begin('ingest-worker'),
          'query-worker': begin('query-worker'),
        })),
      query: () => Promise.resolve().then(() => begin('query-worker')),
      forward: () => Promise.resolve().then(() => begin('forward-worker')),
    },
    options: { hungAfterMs: HUNG_AFTER_MS, stableAfterMs: STABLE_AFTER_MS },
    abort: () => aborts++,
    clock,
    stopwatchMs: () => stopwatchMs,
    metrics,
    log: silentLog,
  })
  supervisor.onChange(() => changes++)
  await supervisor.start()
})

async function settled(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve()
}

/** A second passes, in which threads that are not silent beat, and they are looked at. */
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    stopwatchMs += 1000
    for (const threads of Object.values(started))
      for (const { isSilent, pulse } of threads) if (!isSilent) Atomics.add(pulse, 0, 1)
    clock.advance(1000)
    await settled()
  }
}

async function die(name: WorkerName): Promise<void> {
  newest(name).hasEnded = true
  supervisor.died(name, new Error('out of memory'))
  await settled()
}

const call = (name: WorkerName): Promise<unknown> => supervisor.callOf(name)({ service: 'a', method: 'b' }, [])

async function valueOf(name: string, labels: Readonly<Record<string, string>>): Promise<number | undefined> {
  const metric = await metrics.registry.getSingleMetric(name)?.get()
  return metric?.values.find((one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value))?.value
}

describe('a worker that dies', () => {
  test('the forward worker is started again by itself', async () => {
    await die('forward-worker')
    expect(Object.values(started).map(({ length }) => length)).toEqual([1, 1, 2])
    expect(await call('forward-worker')).toBe('forward-worker 2')
    expect(await valueOf('daytwo_thread_failures_total', { thread: 'forward-worker', reason: 'died' })).toBe(1)
  })

  test('the forward worker stays when the ingest worker is started again', async () => {
    await die('ingest-worker')
    expect(Object.values(started).map(({ length }) => length)).toEqual([2, 2, 1])
  })

  test('the query worker is started again by itself, at once', async () => {
    await die('query-worker')
    expect([started['ingest-worker'].length, started['query-worker'].length]).toEqual([1, 2])
    expect(await call('query-worker')).toBe('query-worker 2')
    expect(supervisor.faults()).toEqual([])
    expect(await valueOf('daytwo_thread_failures_total', { thread: 'query-worker', reason: 'died' })).toBe(1)
    expect(changes).toBeGreaterThan(0)
  })

  test('with the ingest worker, both are: the reader reads the memory of the new writer', async () => {
    const query = newest('query-worker')
    await die('ingest-worker')
    expect(query.hasEnded).toBe(true)
    expect(await Promise.all([call('ingest-worker'), call('query-worker')])).toEqual([
      'ingest-worker 2',
      'query-worker 2',
    ])
    expect(await valueOf('daytwo_thread_failures_total', { thread: 'query-worker', reason: 'died' })).toBe(0)
  })

  test('calls wait for its start, in order, and for ten seconds at most', async () => {
    startFailure = new Error('no room')
    await die('ingest-worker')
    const waiting = Promise.all([call('ingest-worker'), call('ingest-worker')])
    expect(supervisor.isUp('ingest-worker')).toBe(false)
    startFailure = undefined
    await pass(1)
    expect(await waiting).toEqual(['ingest-worker 2', 'ingest-worker 2'])
    startFailure = new Error('no room')
    await die('ingest-worker')
    const late = expect(call('ingest-worker')).rejects.toThrow(
      expect.objectContaining({ code: 'not_ready', message: expect.stringContaining('no room') as string }),
    )
    await pass(10)
    await late
  })

  test('a death while another start is under way is not lost', async () => {
    newest('query-worker').hasEnded = true
    supervisor.died('query-worker', new Error('a'))
    newest('ingest-worker').hasEnded = true
    supervisor.died('ingest-worker', new Error('b'))
    await settled()
    await pass(2)
    expect(await call('ingest-worker')).toBe('ingest-worker 2')
    expect(supervisor.faults()).toEqual([])
    expect(newest('query-worker').hasEnded).toBe(false)
  })
})

describe('a crash loop', () => {
  test('is started again later each time, up to a minute, and is reported', async () => {
    expect([1, 2, 3, 4, 7, 8, 9, 99].map(backoffMs)).toEqual([0, 1000, 2000, 4000, 32_000, 60_000, 60_000, 60_000])
    for (let i = 0; i < 5; i++) {
      await die('query-worker')
      await pass(backoffMs(i + 1) / 1000)
    }
    expect(started['query-worker'].length).toBe(6)
    // It serves, and is reported all the same.
    expect(supervisor.faults()).toEqual([
      expect.objectContaining({ thread: 'query-worker', state: 'crash_loop', isServing: true, failures: 5 }),
    ])
    await die('query-worker')
    expect(supervisor.faults()).toEqual([
      expect.objectContaining({ state: 'crash_loop', isServing: false, nextStartMs: clock.nowMs() + 16_000 }),
    ])
    expect(await valueOf('daytwo_thread_crash_loop', { thread: 'query-worker' })).toBe(1)
    // Nobody waits in vain.
    await expect(call('query-worker')).rejects.toThrow(
      /crash loop \(6 failures; out of memory\) and is restarted in 16s/,
    )
    expect(await call('ingest-worker')).toBe('ingest-worker 1')
    await pass(16)
    expect(await call('query-worker')).toBe('query-worker 7')
  })

  test('ends when the thread has run for some time', async () => {
    for (let i = 0; i < 3; i++) {
      await die('query-worker')
      await pass(backoffMs(i + 1) / 1000)
    }
    await pass(STABLE_AFTER_MS / 1000 - 1)
    expect(supervisor.faults()).toHaveLength(1)
    await pass(2)
    expect(supervisor.faults()).toEqual([])
    expect(await valueOf('daytwo_thread_crash_loop', { thread: 'query-worker' })).toBe(0)
    await die('query-worker')
    expect(await call('query-worker')).toBe('query-worker 5')
  })

  test('is also one of starts that fail', async () => {
    startFailure = new FleetError('storage_failed', 'the file is damaged')
    await die('ingest-worker')
    await pass(4)
    expect(supervisor.faults()[0]).toEqual(
      expect.objectContaining({ state: 'crash_loop', failures: 4, cause: 'the file is damaged' }),
    )
    expect(await valueOf('daytwo_thread_failures_total', { thread: 'ingest-worker', reason: 'start' })).toBe(3)
    startFailure = undefined
    await pass(4)
    expect(await call('ingest-worker')).toBe('ingest-worker 2')
  })
})

describe('a worker that does not answer', () => {
  test('is looked at after its time, ended and started again', async () => {
    const hung = newest('query-worker')
    hung.isSilent = true
    await pass(14)
    expect([hung.looks, hung.hasEnded]).toEqual([0, false])
    await pass(3)
    expect([hung.looks, hung.hasEnded]).toEqual([1, true])
    expect(await call('query-worker')).toBe('query-worker 2')
    expect(await valueOf('daytwo_thread_failures_total', { thread: 'query-worker', reason: 'hung' })).toBe(1)
    expect(started['ingest-worker'].length).toBe(1)
  })

  test('in the operating system is reported, not ended, and may come back', async () => {
    const blocked = newest('ingest-worker')
    Object.assign(blocked, { isSilent: true, looked: { kind: 'native' } })
    await pass(40)
    expect([blocked.looks, blocked.hasEnded, aborts]).toEqual([2, false, 0])
    expect(supervisor.faults()).toEqual([
      expect.objectContaining({ thread: 'ingest-worker', state: 'hung', isServing: false, failures: 0 }),
    ])
    expect(await valueOf('daytwo_thread_up', { thread: 'ingest-worker' })).toBe(0)
    await expect(call('ingest-worker')).rejects.toThrow(/^the ingest worker has not answered for 40s|39s/)
    blocked.isSilent = false
    await pass(1)
    expect(supervisor.faults()).toEqual([])
    expect(await call('ingest-worker')).toBe('ingest-worker 1')
  })

  test('for ten times as long ends the process', async () => {
    Object.assign(newest('ingest-worker'), { isSilent: true, looked: { kind: 'native' } })
    await pass(164)
    expect(aborts).toBe(0)
    await pass(2)
    expect(aborts).toBeGreaterThan(0)
  })

  test('and cannot be ended either ends the process', async () => {
    Object.assign(newest('query-worker'), { isSilent: true, canEnd: false })
    await pass(160)
    expect(aborts).toBe(0)
    await pass(10)
    expect(aborts).toBeGreaterThan(0)
  })

  test('but answers while it is looked at goes on', async () => {
    const slow = newest('query-worker')
    slow.isSilent = true
    slow.look = () => {
      Atomics.add(slow.pulse, 0, 1)
      slow.isSilent = false
      return Promise.resolve({ kind: 'javascript', stack: [] })
    }
    await pass(20)
    expect(slow.hasEnded).toBe(false)
    expect(await call('query-worker')).toBe('query-worker 1')
  })
})

describe('at the end', () => {
  test('nothing is started again, and what hangs is ended all the same, later', async () => {
    const hung = newest('ingest-worker')
    hung.isSilent = true
    await supervisor.stopRestarts()
    await die('query-worker')
    expect(started['query-worker'].length).toBe(1)
    await expect(call('query-worker')).rejects.toThrow(expect.objectContaining({ code: 'not_ready' }))
    await pass(100)
    expect(hung.hasEnded).toBe(false)
    await pass(52)
    expect(hung.hasEnded).toBe(true)
  })

  test('a pause before a start is not waited for', async () => {
    startFailure = new Error('no')
    await die('query-worker')
    await supervisor.stopRestarts()
    startFailure = undefined
    await pass(120)
    expect(started['query-worker'].length).toBe(1)
  })
})
