import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import { compileMatcher, type Matcher } from '../../src/model/matcher.ts'
import type { Silence } from '../../src/model/silence.ts'
import { SilenceIndex } from '../../src/notify/silence-index.ts'

const NOW_MS = 1_000_000

function silenceOf(id: string, matchers: readonly Matcher[], more: Partial<Silence> = {}): Silence {
  return {
    id,
    matchers,
    startsAtMs: NOW_MS - 10,
    endsAtMs: NOW_MS + 10,
    updatedAtMs: NOW_MS,
    createdBy: 'ada',
    comment: '',
    untilResolved: false,
    ...more,
  }
}

const NAMES = ['alertname', 'cluster', 'severity', 'vm']
const VALUES = ['a', 'b', 'ab', '']
const labelsArbitrary = fc
  .dictionary(fc.constantFrom(...NAMES), fc.constantFrom(...VALUES))
  .map((record) => Labels.of(record))
const matcherArbitrary = fc.record({
  name: fc.constantFrom(...NAMES),
  op: fc.constantFrom('=' as const, '!=' as const, '=~' as const, '!~' as const),
  value: fc.constantFrom(...VALUES, 'a|b', '.*', '.+'),
})

describe('the index of silences', () => {
  test('finds what testing every silence finds, whatever came and went before', () => {
    const silences = fc.array(fc.tuple(fc.nat(5), fc.array(matcherArbitrary, { minLength: 1, maxLength: 3 })), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(silences, labelsArbitrary, (entries, labels) => {
        const all = entries.map(([id, matchers]) => silenceOf(`s${id}`, matchers))
        const index = new SilenceIndex(all.slice(0, 3))
        index.put(all.slice(3))
        const newest = [...new Map(all.map((silence) => [silence.id, silence])).values()]
        const want = newest
          .filter(({ matchers }) => matchers.every((matcher) => compileMatcher(matcher)(labels.get(matcher.name))))
          .map(({ id }) => id)
        expect(index.silencedBy(labels, NOW_MS)).toEqual(want.sort())
      }),
    )
  })

  test.each([
    ['before its start', NOW_MS - 11, false],
    ['at its start', NOW_MS - 10, true],
    ['before its end', NOW_MS + 9, true],
    ['at its end', NOW_MS + 10, false],
  ])('%s', (_, nowMs, isSilenced) => {
    const index = new SilenceIndex([silenceOf('s', [{ name: 'a', op: '=', value: 'b' }])])
    expect(index.silencedBy(Labels.of({ a: 'b' }), nowMs)).toEqual(isSilenced ? ['s'] : [])
  })

  test('forgets what ended before a time, and only that', () => {
    const matchers = [{ name: 'a', op: '=', value: 'b' }] as const
    const index = new SilenceIndex([silenceOf('old', matchers, { endsAtMs: 5 }), silenceOf('new', matchers)])
    index.prune(6)
    expect([...index.all()].map(({ id }) => id)).toEqual(['new'])
    expect(index.silencedBy(Labels.of({ a: 'b' }), NOW_MS)).toEqual(['new'])
  })

  test('tests an alert only against silences that name one of its values', () => {
    // A getter that counts: 200 silences of other clusters are not looked at.
    let looked = 0
    const silences = Array.from({ length: 200 }, (_, i) => {
      const silence = silenceOf(`s${i}`, [
        { name: 'severity', op: '=', value: 'x' },
        { name: 'cluster', op: '=', value: `c${i}` },
      ])
      return Object.defineProperty({ ...silence }, 'startsAtMs', { get: () => (looked++, NOW_MS - 10) })
    })
    const index = new SilenceIndex(silences)
    for (let i = 0; i < 2000; i++)
      index.silencedBy(Labels.of({ alertname: 'A', severity: 'x', cluster: `c${i % 400}` }), NOW_MS)
    expect(looked).toBe(1000)
  })
})
