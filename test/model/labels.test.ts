import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Labels, compareLabels } from '../../src/model/labels.ts'

const record = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.string({ maxLength: 8 }), { maxKeys: 8 })

describe('Labels', () => {
  test('sorts names, drops empty values, and is equal whatever the order was', () => {
    const a = Labels.fromPairs([
      ['b', '2'],
      ['a', '1'],
      ['c', ''],
    ])
    expect(a.flat).toEqual(['a', '1', 'b', '2'])
    expect(a.equals(Labels.of({ a: '1', b: '2' }))).toBe(true)
    expect(a.get('c')).toBe('')
  })

  test.each([
    [{ __name__: 'up', job: 'a' }, 'up{job="a"}'],
    [{ __name__: 'up' }, 'up'],
    [{ job: 'a"b' }, '{job="a\\"b"}'],
    [{}, '{}'],
  ])('%j prints as %s', (labels, want) => {
    expect(Labels.of(labels).toString()).toBe(want)
  })

  test('keep and drop part a set in two', () => {
    fc.assert(
      fc.property(record, fc.array(fc.string({ minLength: 1, maxLength: 8 })), (labels, names) => {
        const whole = Labels.of(labels)
        const chosen = new Set(names)
        expect(Labels.of({ ...whole.keep(chosen).toObject(), ...whole.drop(chosen).toObject() }).key).toBe(whole.key)
      }),
    )
  })

  test('with sets one label, and the empty value removes it', () => {
    fc.assert(
      fc.property(
        record,
        fc.string({ minLength: 1, maxLength: 8 }),
        fc.string({ maxLength: 8 }),
        (labels, name, value) => {
          const changed = Labels.of(labels).with(name, value)
          expect(changed.get(name)).toBe(value)
          expect(changed.drop(new Set([name])).key).toBe(Labels.of(labels).drop(new Set([name])).key)
        },
      ),
    )
  })

  test('order is total: only equal sets compare as equal', () => {
    fc.assert(
      fc.property(record, record, (a, b) => {
        const [x, y] = [Labels.of(a), Labels.of(b)]
        expect(compareLabels(x, y) === 0).toBe(x.equals(y))
        expect(Math.sign(compareLabels(x, y))).toBe(-Math.sign(compareLabels(y, x)) + 0)
      }),
    )
  })
})
