import { expect, test } from 'vitest'
import { EvaluationWait, WAIT_MS_MAX } from '../../src/remote/evaluation-wait.ts'

test('rules wait while the metrics store lacks samples, and for a limited time', () => {
  const wait = new EvaluationWait()
  expect(wait.isOver(0)).toBe(true)
  wait.note({ gap: 'away', atMs: 1000 })
  wait.note({ gap: 'away', atMs: 2000 })
  expect(wait.isOver(1000 + WAIT_MS_MAX - 1)).toBe(false)
  expect(wait.isOver(1000 + WAIT_MS_MAX)).toBe(true)
  // It answers again, and lacks what it missed.
  wait.note({ gap: 'behind', atMs: 50_000 })
  expect(wait.isOver(50_000 + WAIT_MS_MAX - 1)).toBe(false)
  expect(wait.isOver(50_000 + WAIT_MS_MAX)).toBe(true)
  wait.note({ atMs: 51_000 })
  expect(wait.isOver(51_000)).toBe(true)
  wait.note({ gap: 'behind', atMs: 90_000 })
  expect(wait.isOver(90_000)).toBe(false)
  // The clock was set back.
  wait.note({ gap: 'behind', atMs: 10_000 })
  expect(wait.isOver(10_000 + WAIT_MS_MAX)).toBe(true)
})
