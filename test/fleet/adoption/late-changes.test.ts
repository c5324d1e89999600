import { expect, test } from 'vitest'
import { dayStartMs } from '../../../src/fleet/adoption/day.ts'
import { LateChanges } from '../../../src/fleet/adoption/late-changes.ts'

test('a change takes the place of those that begin later, and leaves those that reach back further as they were', () => {
  const late = new LateChanges()
  expect(late.changes).toEqual([])
  const at = (day: string): number => dayStartMs(day)
  late.note(at('2026-03-02') + 5000, 1)
  late.note(at('2026-03-10'), 2)
  late.note(at('2026-03-10') + 7000, 3)
  late.note(at('2026-03-20'), 4)
  expect(late.changes).toEqual([
    { fromMs: at('2026-03-02'), atMs: 1 },
    { fromMs: at('2026-03-10'), atMs: 3 },
    { fromMs: at('2026-03-20'), atMs: 4 },
  ])
  late.note(at('2026-03-05'), 5)
  expect(late.changes.map(({ atMs }) => atMs)).toEqual([1, 5])
  late.note(at('2026-01-01'), 6)
  expect(late.changes).toEqual([{ fromMs: at('2026-01-01'), atMs: 6 }])
})
