import { expect, test } from 'vitest'
import { Ledger } from './ledger.ts'

function ledgerOf(): Ledger {
  const ledger = new Ledger()
  for (const [key, sent, acked] of [
    ['a', 10, 20],
    ['b', 30, 40],
    ['c', 50, undefined],
  ] as const) {
    ledger.sent(key, sent)
    if (acked !== undefined) ledger.acked(key, acked)
  }
  return ledger
}

test.each([
  ['all is there', ['a', 'b', 'c'], Infinity, []],
  ['what had no answer is not there', ['a', 'b'], Infinity, []],
  ['one is lost', ['b'], Infinity, ['lost: a']],
  ['one is there twice', ['a', 'b', 'b'], Infinity, ['2 times: b']],
  ['one was never sent', ['a', 'b', 'x'], Infinity, ['never sent: x']],
  ['acknowledged at the place of the cut', [], 20, ['lost: a']],
  ['acknowledged after the cut', [], 19, []],
  ['sent at the place of the cut', ['a', 'b'], 30, []],
  ['sent after the cut', ['a', 'b'], 29, ['never sent: b']],
])('%s', (_, found, place, faults) => {
  expect(ledgerOf().faults(found, place)).toEqual(faults)
})

test('of a copy that took some time, what was sent meanwhile is there or not', () => {
  expect(ledgerOf().faults(['a', 'b'], 20, 30)).toEqual([])
  expect(ledgerOf().faults(['a'], 20, 30)).toEqual([])
  expect(ledgerOf().faults(['a', 'b'], 20, 29)).toEqual(['never sent: b'])
})

test('a repeat counts from its first request', () => {
  const ledger = ledgerOf()
  ledger.sent('a', 60)
  ledger.acked('a', 70)
  expect(ledger.faults([], 20)).toEqual(['lost: a'])
  expect(ledger.faults(['a'], 20)).toEqual([])
})

test('after a roll back, what was acknowledged later is there or not, and what was sent later is not', () => {
  const ledger = ledgerOf()
  ledger.rollBack(35)
  expect([ledger.isAcked('a'), ledger.isAcked('b'), ledger.isSent('b'), ledger.isSent('c')]).toEqual([
    true,
    false,
    true,
    false,
  ])
  expect(ledger.faults([], 0)).toEqual(['lost: a'])
  expect(ledger.faults(['a', 'b', 'c'], 0)).toEqual(['never sent: c'])
  expect(ledger.keys(0)).toEqual(['a', 'b'])
})

test.each([
  [29, false, false],
  [30, true, false],
  [39, true, false],
  [40, true, true],
])('a roll back to %d counts what is at that place', (place, isSent, isAcked) => {
  const ledger = ledgerOf()
  ledger.rollBack(place)
  expect([ledger.isSent('b'), ledger.isAcked('b')]).toEqual([isSent, isAcked])
})
