import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderLabels } from '../../../src/api/prometheus/answer-json.ts'
import { Labels } from '../../../src/model/labels.ts'

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '\n', '\u0000', '\u001f', '\u007f', '\u2028', '\ud800', 'a\udc00b', '1', '__proto__'),
)

test('labels are an object of JSON with their names and values, in their order', () => {
  fc.assert(
    fc.property(fc.dictionary(text, text, { noNullPrototype: true }), (object) => {
      const labels = Labels.of(object)
      const rendered = renderLabels(labels)
      const read = JSON.parse(rendered) as Record<string, string>
      expect(Object.entries(read).sort()).toEqual([...labels.pairs()].map(([name, value]) => [name, value]).sort())
      expect(rendered).toBe(
        `{${[...labels.pairs()].map((pair) => pair.map((one) => JSON.stringify(one)).join(':')).join(',')}}`,
      )
    }),
  )
})

test('names that are whole numbers stand in the order of texts, and halves of characters are escaped', () => {
  expect(renderLabels(Labels.of({ 9: 'b', 10: 'a' }))).toBe('{"10":"a","9":"b"}')
  expect(renderLabels(Labels.of({ a: '\ud800' }))).toBe('{"a":"\\ud800"}')
})
