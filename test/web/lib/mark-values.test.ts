import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMarker } from '../../../src/web/lib/mark-values.ts'

const binding = (value: string, name = 'name'): { name: string; value: string; source: string } => ({
  name,
  value,
  source: 'the label',
})

function marked(text: string, values: readonly string[], unbound: readonly string[] = []): string {
  const mark = createMarker({ bindings: values.map((value) => binding(value)), unbound })
  return mark(text)
    .map((part) => (part.kind === 'text' ? part.text : `[${part.text}]`))
    .join('')
}

describe('values in a text', () => {
  test.each([
    ['on prod-1 now', ['prod-1'], 'on [prod-1] now'],
    ['product prod-12 xprod-1', ['prod-1'], 'product prod-12 xprod-1'],
    ['prod prod-1', ['prod', 'prod-1'], '[prod] [prod-1]'],
    ['{cluster="prod-1"}', ['prod-1'], '{cluster="[prod-1]"}'],
    ['a.b a+b axb', ['a.b', 'a+b'], '[a.b] [a+b] axb'],
    ['2 of 2', ['2'], '2 of 2'],
    ['', ['prod-1'], ''],
    ["it's ($5)", ['($5)'], "it's [($5)]"],
  ])('%j with %j', (text, values, want) => {
    expect(marked(text, values)).toBe(want)
  })

  test('a placeholder nothing filled is marked as such', () => {
    expect(createMarker({ bindings: [], unbound: ['vmi'] })('get <vmi> now')).toEqual([
      { kind: 'text', text: 'get ' },
      { kind: 'unbound', text: '<vmi>', title: 'vmi: value not known, enter it by hand' },
      { kind: 'text', text: ' now' },
    ])
  })

  test('says where a value is from', () => {
    const [part] = createMarker({ bindings: [binding('prod-1', 'cluster')], unbound: [] })('prod-1')
    expect(part).toEqual({ kind: 'filled', text: 'prod-1', title: 'cluster, from the label' })
  })
})

test('marking never changes the text', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), (text, values) => {
      const mark = createMarker({ bindings: values.map((value) => binding(value)), unbound: values })
      expect(
        mark(text)
          .map((part) => part.text)
          .join(''),
      ).toBe(text)
    }),
  )
})
