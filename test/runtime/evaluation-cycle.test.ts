import { describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/log.ts'
import { createEvaluationCycle } from '../../src/runtime/evaluation-cycle.ts'
import { FakeClock } from '../support/fake-clock.ts'

describe('createEvaluationCycle', () => {
  test('facts, rules and notifications follow each other with one time', async () => {
    const clock = new FakeClock(1000)
    const seen: string[] = []
    const step = (name: string) =>
      [
        name,
        (nowMs: number) => {
          seen.push(`${name}@${nowMs}`)
          clock.set(nowMs + 5)
          return Promise.resolve()
        },
      ] as const
    const beat = createEvaluationCycle(clock, [step('facts'), step('rules'), step('notifications')], silentLog)
    await beat.once()
    expect(seen).toEqual(['facts@1000', 'rules@1000', 'notifications@1000'])
    await beat.stop()
  })

  test('it beats by itself from when it is started', async () => {
    const clock = new FakeClock(0)
    const seen: number[] = []
    const step = (nowMs: number) => {
      seen.push(nowMs)
      return Promise.resolve()
    }
    const beat = createEvaluationCycle(clock, [['rules', step]], silentLog)
    clock.advance(5000)
    expect(seen).toEqual([])
    beat.start()
    clock.advance(1000)
    await beat.once()
    expect(seen).toEqual([6000, 6000])
    await beat.stop()
  })

  test('it beats on whole seconds, the next one at once when a beat took longer, and no second twice', async () => {
    const clock = new FakeClock(4_300)
    const seen: number[] = []
    const step = (nowMs: number) => {
      seen.push(nowMs)
      clock.set(clock.nowMs() + (seen.length === 2 ? 1_700 : 20))
      return Promise.resolve()
    }
    const beat = createEvaluationCycle(clock, [['rules', step]], silentLog)
    beat.start()
    for (let i = 0; i < 5; i++) {
      // The second cycle ends at 7.72 s.
      clock.advance(i === 2 ? 0 : 1000 - (clock.nowMs() % 1000))
      // The next beat is planned when this one is done.
      await Promise.resolve().then(() => new Promise((done) => setImmediate(done)))
    }
    expect(seen).toEqual([5000, 6000, 7000, 8000, 9000])
    await beat.stop()
  })

  test('a failing step does not keep the later ones from running', async () => {
    const seen: string[] = []
    const beat = createEvaluationCycle(
      new FakeClock(0),
      [
        ['facts', () => Promise.reject(new Error('no'))],
        [
          'rules',
          () => {
            seen.push('rules')
            return Promise.resolve()
          },
        ],
      ],
      silentLog,
    )
    await beat.once()
    expect(seen).toEqual(['rules'])
    await beat.stop()
  })

  test('beats do not overlap, and none starts after stop', async () => {
    const clock = new FakeClock(0)
    let running = 0
    let most = 0
    let beats = 0
    const beat = createEvaluationCycle(
      clock,
      [
        [
          'rules',
          async () => {
            beats++
            most = Math.max(most, ++running)
            await Promise.resolve()
            running--
          },
        ],
      ],
      silentLog,
    )
    await Promise.all([beat.once(), beat.once(), beat.once()])
    expect([beats, most]).toEqual([3, 1])
    await beat.stop()
    await beat.once()
    clock.advance(10_000)
    expect(beats).toBe(3)
  })
})
