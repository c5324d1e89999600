import { describe, expect, test } from 'vitest'
import { FaultWatch } from '../../src/runtime/fault-watch.ts'
import type { GroupReport, RuleError } from '../../src/rules/rule-status.ts'

const NOW_MS = 1_787_220_000_000
const FULL = { code: 'storage_full', message: 'writing the log: database or disk is full' } as const
const ROOM = { freeBytes: 0, sizeBytes: 400 }

describe('a store that cannot be written', () => {
  test('is told since when, with the room that is left now, until it can', () => {
    const watch = new FaultWatch()
    expect(watch.seeStore({ commitFailure: undefined, damage: undefined }, ROOM, NOW_MS)).toBe(false)
    expect(watch.faults.storage).toBe(undefined)
    expect(watch.seeStore({ commitFailure: FULL, damage: undefined }, ROOM, NOW_MS + 1000)).toBe(true)
    expect(watch.seeStore({ commitFailure: FULL, damage: undefined }, { ...ROOM, freeBytes: 9 }, NOW_MS + 2000)).toBe(
      false,
    )
    expect(watch.faults.storage).toEqual({ ...FULL, freeBytes: 9, sizeBytes: 400, sinceMs: NOW_MS + 1000 })
    expect(watch.seeStore({ commitFailure: undefined, damage: undefined }, ROOM, NOW_MS + 3000)).toBe(true)
    expect(watch.faults.storage).toBe(undefined)
    // The next time it began then.
    watch.seeStore({ commitFailure: FULL, damage: undefined }, ROOM, NOW_MS + 9000)
    expect(watch.faults.storage?.sinceMs).toBe(NOW_MS + 9000)
  })
})

test('damage is told when there is more or less of it', () => {
  const watch = new FaultWatch()
  const damage = { count: 1, fromMs: 1, toMs: 2, kind: 'pack', message: 'damaged' }
  expect(watch.seeStore({ commitFailure: undefined, damage }, ROOM, NOW_MS)).toBe(true)
  expect(watch.faults.damage).toEqual(damage)
  expect(watch.seeStore({ commitFailure: undefined, damage }, ROOM, NOW_MS)).toBe(false)
  expect(watch.seeStore({ commitFailure: undefined, damage: { ...damage, count: 2 } }, ROOM, NOW_MS)).toBe(true)
  expect(watch.seeStore({ commitFailure: undefined, damage: undefined }, ROOM, NOW_MS)).toBe(true)
})

describe('rules that fail', () => {
  const errorOf = (ruleKey: string): RuleError => ({ rule: ruleKey, ruleKey, during: 'query', message: 'no' })
  const groupOf = (name: string, failing: readonly string[]): GroupReport => ({
    ...{
      name,
      file: 'a.yaml',
      intervalMs: 30_000,
      timeMs: NOW_MS,
      evaluationMs: 5,
      missed: 0,
      ruleCount: 3,
      samples: 0,
    },
    errors: failing.map(errorOf),
  })

  test('are those of the last evaluation of each group', () => {
    const watch = new FaultWatch()
    expect(watch.seeRules({ groups: [groupOf('a', ['A', 'B']), groupOf('b', ['C'])] })).toBe(true)
    expect(watch.faults.failingRules).toBe(3)
    // Groups that were not due are as they were.
    expect(watch.seeRules({ groups: [groupOf('a', ['A'])] })).toBe(true)
    expect(watch.faults.failingRules).toBe(2)
    expect(watch.seeRules({ groups: [groupOf('b', ['C'])] })).toBe(false)
  })

  test('are none when rules were read again, until they are evaluated', () => {
    const watch = new FaultWatch()
    watch.seeRules({ groups: [groupOf('a', ['A'])] })
    watch.forgetRules()
    expect(watch.faults.failingRules).toBe(0)
  })
})
