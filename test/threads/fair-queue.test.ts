import { describe, expect, test } from 'vitest'
import { FairQueue } from '../../src/threads/fair-queue.ts'
import { FakeClock } from '../support/fake-clock.ts'

const START_MS = 1_000_000

/** A queue whose work ends when the test says so; `started` is in the order of starts. */
function rig(bytesMax = 10) {
  const clock = new FakeClock(START_MS)
  const refused: string[] = []
  const queue = new FairQueue({ bytesMax, waitMsMax: 3000, clock, onRefused: (kind) => refused.push(kind) })
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const run = (owner: { readonly kind: string }, name: string, bytes = 1) => {
    const work = () => {
      started.push(name)
      return new Promise<string>((resolve) => {
        ends.set(name, () => {
          resolve(name)
        })
      })
    }
    return queue.run({ owner, bytes, whenGone: () => () => undefined }, work)
  }
  const end = async (name: string) => {
    ends.get(name)!()
    await new Promise(setImmediate)
  }
  return { clock, run, end, started, refused }
}

const [LOUD, QUIET, OTHER] = [{ kind: 'cluster' }, { kind: 'token' }, { kind: 'address' }]

describe('work that waits', () => {
  test('is started owner by owner in turn, whoever came first with however much', async () => {
    const { run, end, started } = rig()
    const loud = Array.from({ length: 6 }, (_, i) => run(LOUD, `loud ${i}`, 10))
    const quiet = [run(QUIET, 'quiet 0', 10), run(QUIET, 'quiet 1', 10)]
    const other = run(OTHER, 'other', 10)
    expect(started).toEqual(['loud 0'])
    for (let i = 0; i < 9; i++) await end(started[i]!)
    expect(started).toEqual([
      ...['loud 0', 'loud 1', 'quiet 0', 'other', 'loud 2', 'quiet 1', 'loud 3', 'loud 4', 'loud 5'],
    ])
    await Promise.all([...loud, ...quiet, other])
  })

  test('is started as soon as there is room, and several pieces at once', async () => {
    const { run, end, started } = rig()
    void run(LOUD, 'all', 10)
    for (const name of ['a', 'b', 'c']) void run(LOUD, name, 4)
    await end('all')
    expect(started).toEqual(['all', 'a', 'b'])
  })

  test('that is larger than all room runs alone, and is not overtaken', async () => {
    const { run, end, started } = rig()
    void run(LOUD, 'small')
    void run(QUIET, 'huge', 1000)
    void run(OTHER, 'next')
    expect(started).toEqual(['small'])
    await end('small')
    expect(started).toEqual(['small', 'huge'])
    await end('huge')
    expect(started).toEqual(['small', 'huge', 'next'])
  })

  test('is refused when it waited too long, and the room of its place is used', async () => {
    const { run, clock, end, started, refused } = rig()
    void run(LOUD, 'running', 5)
    const huge = run(QUIET, 'huge', 1000)
    clock.advance(2000)
    void run(OTHER, 'later')
    expect(started).toEqual(['running'])
    const failure = expect(huge).rejects.toMatchObject({ code: 'overloaded' })
    clock.advance(2000)
    await failure
    expect(refused).toEqual(['token'])
    expect(started).toEqual(['running', 'later'])
    await end('running')
  })

  test('a failure ends the work', async () => {
    const clock = new FakeClock(START_MS)
    const queue = new FairQueue({ bytesMax: 1, waitMsMax: 1, clock, onRefused: () => undefined })
    const queued = { owner: LOUD, bytes: 1, whenGone: () => () => undefined }
    const failing = queue.run(queued, () => Promise.reject(new Error('no')))
    const next = queue.run(queued, () => Promise.resolve(7))
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe(7)
  })
})
