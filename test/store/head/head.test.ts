import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Head } from '../../../src/store/head/head.ts'
import { RunList } from '../../../src/store/head/run-list.ts'

const openHead = (): Head => new Head({ slotsAdded: () => undefined, pagesAdded: () => undefined })

test('the oldest time of a slot is that of its first sample, whatever arrives late, leaves or replaces it', () => {
  const runs = new RunList()
  const older = new RunList()
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.record({ kind: fc.constant('append' as const), ms: fc.integer({ min: 1, max: 100_000 }) }),
          fc.record({ kind: fc.constant('flush' as const), ms: fc.integer({ min: 1, max: 1_000_000 }) }),
        ),
        { maxLength: 200 },
      ),
      (steps) => {
        const head = openHead()
        head.takeSlot()
        const slot = head.takeSlot()
        const times = new Set<number>()
        for (const { kind, ms } of steps) {
          if (kind === 'append') {
            if (times.has(ms)) continue
            // A value of its own: no run has two samples.
            if (ms > head.lastMs[slot]!) head.append(slot, ms, ms, 0)
            else head.insertOlder(slot, ms, ms, 0)
            times.add(ms)
          } else {
            head.collect(slot, runs)
            older.clear()
            runs.splitOlder(ms, older)
            head.replace(slot, runs)
            for (const time of [...times]) if (time <= ms) times.delete(time)
          }
          expect(head.firstMs[slot]).toBe(Math.min(Infinity, ...times))
        }
      },
    ),
    { numRuns: 200 },
  )
})

test('a slot that is used again has no time of the series before it', () => {
  const head = openHead()
  const slot = head.takeSlot()
  head.append(slot, 1000, 1, 0)
  head.replace(slot, new RunList())
  head.leaveSlot(slot)
  head.reclaim()
  expect(head.takeSlot()).toBe(slot)
  expect(head.firstMs[slot]).toBe(Infinity)
})
