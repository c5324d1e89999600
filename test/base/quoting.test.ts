import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { Lexer, type Token, type Tokens } from 'marked'
import { describe, expect, test } from 'vitest'
import {
  codeSpan,
  escapeLink,
  escapeMarkdown,
  escapePromqlString,
  escapeRegex,
  escapeShellDouble,
  escapeShellSingle,
  quoteShellWord,
  whyNotBindable,
} from '../../src/base/quoting.ts'
import { parseSelector } from '../../src/promql/parse.ts'

const SPECIAL = '\'"\\$`();&|<>{}[]*?!#~=%^- \n\t\u001ba7.'
const NASTY = [...SPECIAL.split(/(?=.)/s), 'é', '界', '😀', '$(id)', 'www.', 'http://', '--']

/** Any text a label value can be: well-formed Unicode, no NUL; half of it made of what is special somewhere. */
const anyValue = fc.oneof(
  fc.string({ unit: fc.constantFrom(...NASTY), maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll('\0', '')),
)

/** What a real shell hands to a program for each of the words. */
function shellArguments(words: readonly string[]): string[] {
  const script = words.map((word) => `printf '%s\\0' ${word}\n`).join('')
  const { stdout, status, stderr } = spawnSync('/bin/sh', {
    input: script,
    encoding: 'utf8',
    env: { PATH: '' },
    cwd: tmpdir(), // a quoting fault may write files
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.split('\0').slice(0, -1)
}

describe('a real sh reads back the value, byte for byte', () => {
  const manyValues = fc.array(anyValue, { minLength: 200, maxLength: 400 })

  test.each<[string, (value: string) => string]>([
    ['as a word', quoteShellWord],
    ['between single quotes', (value) => `'${escapeShellSingle(value)}'`],
    ['between double quotes', (value) => `"${escapeShellDouble(value)}"`],
  ])('%s', (_, quote) => {
    fc.assert(
      fc.property(manyValues, (values) => {
        expect(shellArguments(values.map(quote))).toEqual(values)
      }),
      { numRuns: 15 },
    )
  })

  test('as a part of a word', () => {
    const values = ["it's", '$(touch x)', '; rm -rf /', '', 'plain']
    expect(shellArguments(values.map((value) => `kubevirt/${quoteShellWord(value)}-`))).toEqual(
      values.map((value) => `kubevirt/${value}-`),
    )
  })

  test.each([
    ['openshift-cnv', 'openshift-cnv'],
    ['kubevirt.kubevirt.io/jsonpatch', 'kubevirt.kubevirt.io/jsonpatch'],
    ['registry:5000/a@sha256:0f', 'registry:5000/a@sha256:0f'],
    ['', "''"],
    ['-A', "'-A'"],
    ['~root', "'~root'"],
    ['a=b', "'a=b'"],
    ["it's", `'it'\\''s'`],
  ])('%j is written %s', (value, quoted) => {
    expect(quoteShellWord(value)).toBe(quoted)
  })
})

describe('PromQL reads back the value', () => {
  test('as a label value', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const [matcher] = parseSelector(`{x="", __name__="${escapePromqlString(value)}_"}`).filter(
          ({ name }) => name === '__name__',
        )
        expect(matcher?.value).toBe(`${value}_`)
      }),
      { numRuns: 500 },
    )
  })

  test('as a pattern that matches the value and nothing else', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const text = `up{a=~"${escapePromqlString(escapeRegex(value))}"}`
        const [matcher] = parseSelector(text).filter(({ name }) => name === 'a')
        expect(matcher?.value).toBe(escapeRegex(value))
        const pattern = new RegExp(`^(?:${escapeRegex(value)})$`, 'us')
        expect(pattern.test(value)).toBe(true)
        expect(pattern.test(`${value}x`)).toBe(false)
      }),
      { numRuns: 300 },
    )
  })
})

/** All that is shown of Markdown, when it is nothing but plain text in one paragraph; else the kind of the odd token. */
function shownText(markdown: string): string {
  const blocks = Lexer.lex(markdown).filter((token) => token.type !== 'space')
  const kinds = blocks.map((token) => token.type).join(' ')
  return kinds === 'paragraph' ? inlineText((blocks[0] as Tokens.Paragraph).tokens) : `not a paragraph but ${kinds}`
}

function inlineText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'escape' || token.type === 'codespan') return token.text as string
      if (token.type === 'text' && !('tokens' in token)) return token.text as string
      return `<${token.type}>`
    })
    .join('')
}

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ')

describe('Markdown shows the value', () => {
  test.each<[string, string]>([
    ['in a sentence', 'before '],
    ['in a word', 'before'],
    ['after an opening mark', '*before* ('],
  ])('%s', (_, before) => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const shown = shownText(`${before}${escapeMarkdown(value)} after`)
        expect(shown).toBe(`${before.replace('*before*', '<em>')}${oneLine(value)} after`)
      }),
      { numRuns: 1000 },
    )
  })

  test.each([' -\n', '-', '\t- a', ' 1. a', '1.', ' + ', ' # a', '   > a', ' ---'])(
    '%j begins a line as itself',
    (value) => {
      expect(shownText(`${escapeMarkdown(value)}x`).trimStart()).toBe(`${oneLine(value)}x`.trimStart())
    },
  )

  test('at the beginning of a line', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        // White space at the beginning of a paragraph is never shown.
        expect(shownText(`${escapeMarkdown(value)}x`).trimStart()).toBe(`${oneLine(value)}x`.trimStart())
      }),
      { numRuns: 1000 },
    )
  })

  test('in a table cell', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const [table] = Lexer.lex(`| a | b |\n|---|---|\n| x${escapeMarkdown(value)}x | y |\n`)
        const rows = table?.type === 'table' ? (table.rows as { tokens: Token[] }[][]) : []
        expect(rows.map((row) => row.map((cell) => inlineText(cell.tokens)))).toEqual([[`x${oneLine(value)}x`, 'y']])
      }),
      { numRuns: 500 },
    )
  })

  test('in a code span', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(shownText(`before ${codeSpan(`x${value}`)} after`)).toBe(`before ${oneLine(`x${value}`)} after`)
      }),
      { numRuns: 1000 },
    )
  })

  test('in the target of a link', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const [paragraph] = Lexer.lex(`[x](/rb/${escapeLink(value)}?a=1)`)
        const [link, ...others] = (paragraph?.type === 'paragraph' ? paragraph.tokens : undefined) ?? []
        expect(others).toEqual([])
        const href = link?.type === 'link' ? String(link.href) : ''
        expect(decodeURIComponent(href)).toBe(`/rb/${value}?a=1`)
      }),
      { numRuns: 500 },
    )
  })
})

test.each([
  ['openshift-cnv', undefined],
  ['$(id); `id`', undefined],
  ['', 'empty'],
  ['a\nb', 'holds control characters'],
  ['\u001b[201~', 'holds control characters'],
  ['a\u0085', 'holds control characters'],
  ['a\u2028b', 'holds control characters'],
  ['user\u202egnp.exe', 'holds characters that change the order of the text'],
  ['--all', 'would be taken for an option'],
  ['x'.repeat(1000), undefined],
  ['x'.repeat(1001), 'too long'],
])('whether %j is put into a page: %s', (value, why) => {
  expect(whyNotBindable(value)).toBe(why)
})
