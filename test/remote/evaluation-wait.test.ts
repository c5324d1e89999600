import { expect, test } from 'vitest'
import { EvaluationWait, WAIT_MS_MAX } from '../../src/remote/evaluation-wait.ts'

test('rules wait while the metrics store lacks samples, and for a limited time', () => {
  let nowMs = 0
  const wait = new EvaluationWait(() => nowMs)
  expect(wait.isOver).toBe(true)
  wait.note({ gap: 'away' })
  nowMs = WAIT_MS_MAX - 1
  wait.note({ gap: 'away' })
  expect(wait.isOver).toBe(false)
  nowMs++
  expect(wait.isOver).toBe(true)
  // It answers again, and lacks what it missed.
  wait.note({ gap: 'behind' })
  expect(wait.isOver).toBe(false)
  wait.note({})
  expect(wait.isOver).toBe(true)
  nowMs += 1000
  wait.note({ gap: 'behind' })
  nowMs += WAIT_MS_MAX - 1
  expect(wait.isOver).toBe(false)
  nowMs++
  expect(wait.isOver).toBe(true)
})
