import { expect, test } from 'vitest'
import { isWholeList, otherLength } from '../../../src/web/lib/address.ts'

test('a list is shown whole and cut again, and what else the address says stays', () => {
  const whole = otherLength('at=2026-09-01T10%3A00%3A00Z&all=silent', 'stuck')
  expect(whole).toBe('at=2026-09-01T10%3A00%3A00Z&all=silent&all=stuck')
  expect([isWholeList(whole, 'stuck'), isWholeList(whole, 'silent'), isWholeList(whole, 'waiting')]).toEqual([
    true,
    true,
    false,
  ])
  expect(otherLength(otherLength(whole, 'stuck'), 'silent')).toBe('at=2026-09-01T10%3A00%3A00Z')
})
