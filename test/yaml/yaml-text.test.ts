import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Document, isMap, isScalar, parseDocument, type Scalar } from 'yaml'
import { yamlText } from '../../src/yaml/yaml-text.ts'

const STYLES = ['PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'] as const

/** Words and blanks as expressions have them, with what YAML must escape or fold. */
const texts = fc
  .array(
    fc.constantFrom('sum', ' ', '\n', '  ', '"', "'", '\\', '{', '}', ':', '#', 'é', '😀', '\t', 'x'.repeat(30), '=='),
    {
      maxLength: 40,
    },
  )
  .map((parts) => parts.join(''))

test('each character of a value is found where it stands in the file, in every style', () => {
  fc.assert(
    fc.property(texts, fc.constantFrom(...STYLES), (value, style) => {
      const document = new Document({ before: 1, rules: { expr: value }, after: 2 })
      const scalar = document.getIn(['rules', 'expr'], true) as Scalar
      scalar.type = style
      const source = document.toString()
      const read = parseDocument(source).getIn(['rules', 'expr'])
      // The library writes a few plain texts as something else; and only blanks may change on the way through a file.
      fc.pre(typeof read === 'string')
      const { text, at } = find(source)
      expect(text.replace(/\s/g, '')).toBe(value.replace(/\s/g, ''))
      for (let i = 0; i < text.length; i++) {
        if (!/[a-z={}#:é]/.test(text[i]!)) continue
        const { from, to } = at.rangeOf(i, i + 1)
        // A double-quoted text may write a character as an escape; then the caret is at its backslash.
        expect([text[i], '\\']).toContain(source[from])
        expect(to).toBe(from + 1)
      }
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['an escaped pair of surrogates', 'rules: {expr: "\\U0001F600 x"}', 'x'],
  ['escapes of blanks and letters', 'rules: {expr: "\\t\\x20\\u0041 \\n x"}', 'x'],
  ['joined lines', 'rules: {expr: "a\\\n   b x"}', 'x'],
])('%s', (_, source, wanted) => {
  const { text, at } = find(source)
  const i = text.indexOf(wanted)
  const { from, to } = at.rangeOf(i, i + 1)
  expect(source.slice(from, to)).toBe(wanted)
})

test('an empty text has a place too', () => {
  const source = 'rules: {expr: ""}\n'
  expect(find(source).at.rangeOf(0, 0)).toEqual({ from: 15, to: 16 })
})

function find(source: string) {
  const { contents } = parseDocument(source)
  const scalar = isMap(contents) ? contents.getIn(['rules', 'expr'], true) : undefined
  if (!isScalar(scalar)) throw new Error('no scalar')
  const text = scalar.value as string
  return { text, at: yamlText(source, scalar.range![0], scalar.range![1], text) }
}
