import fc from 'fast-check'
import { Lexer, type Tokens } from 'marked'
import { describe, expect, test } from 'vitest'
import { checkPage } from '../../src/catalog/check-page.ts'
import { blocksOf, codeSpansOf } from '../../src/catalog/markdown-scan.ts'
import { parseRunbookPage } from '../../src/catalog/runbook-page.ts'
import { positionOf } from '../../src/model/diagnostic.ts'

const FENCE = '```'

/** A page without a fault, with `body` in its Diagnosis. */
function pageWith(body: string, head = ''): string {
  return `${head}# Alpha\n\n## Meaning\n\nIt is \`on\`. More.\n\n## Impact\n\nNone.\n\n## Diagnosis\n\n${body}\n\n## Mitigation\n\nWait.\n`
}

/** Each finding as `line: message`. */
function findings(text: string, path = 'runbooks/Alpha.md'): string[] {
  const { page, diagnostics } = parseRunbookPage(path, text)
  return [...diagnostics, ...checkPage(page)].map((found) => {
    expect(found.file).toBe(path)
    expect(found.to).toBeGreaterThan(found.from)
    expect(found.to).toBeLessThanOrEqual(text.length)
    return `${positionOf(text, found.from).line}: ${found.message}`
  })
}

test('a page is read: names, first sentence, cells, placeholders', () => {
  const text = pageWith(
    `Its value:\n\n${FENCE}promql live\nup{a="{{cluster}}"}\n${FENCE}\n\nOther:\n\n${FENCE}promql live\nup\n${FENCE}`,
    '---\naliases: [Old, Older]\n---\n\n',
  )
  const { page, diagnostics } = parseRunbookPage('runbooks/Alpha.md', text)
  expect(diagnostics).toEqual([])
  expect(page).toMatchObject({ name: 'Alpha', aliases: ['Old', 'Older'], summary: 'It is on.' })
  expect(page.cells.map(({ id }) => id)).toEqual(['diagnosis-1', 'diagnosis-2'])
  expect(page.placeholders.map(({ name }) => name)).toEqual(['cluster'])
  expect(findings(text)).toEqual([])
})

test.each([
  ['It broke. Badly.', 'It broke.'],
  ['Version 1.2 of `x` on {{cluster}}\nis [here](/y).\n\nMore.', 'Version 1.2 of x on <cluster> is here.'],
  ['No end', 'No end'],
])('the first sentence of %j is %j', (meaning, summary) => {
  expect(parseRunbookPage('A.md', `# A\n\n## Meaning\n\n${meaning}\n\n## Impact\n`).page.summary).toBe(summary)
})

describe('faults of a page are found, each at its line', () => {
  test.each([
    [
      'no title',
      '## Meaning\n\nx\n\n## Impact\n\nx\n\n## Diagnosis\n\nx\n\n## Mitigation\n\nx\n',
      ['1: the page has no title'],
    ],
    ['another title', pageWith('x').replace('# Alpha', '# Beta'), ['1: the title is "Beta", the file is named Alpha']],
    ['two titles', pageWith('x\n\n# Alpha'), ['15: a page has one title']],
    ['a missing section', pageWith('x').replace('## Impact\n\nNone.\n\n', ''), ['13: section Impact is missing']],
    ['a foreign section', pageWith('x\n\n## Notes\n\ny'), ['15: section "Notes" is not one of a runbook\'s']],
    ['a repeated section', pageWith('x\n\n## Impact\n\ny'), ['15: duplicate section Impact']],
    [
      'sections out of order',
      '# Alpha\n\n## Impact\n\nx\n\n## Meaning\n\nx\n\n## Diagnosis\n\nx\n\n## Mitigation\n\nx\n',
      ['7: section Meaning is out of order'],
    ],
    ['an empty section', pageWith(''), ['11: section Diagnosis is empty']],
    ['an unknown placeholder', pageWith('a {{clutser}} b'), ['13: unknown placeholder clutser']],
    [
      'an open fence',
      pageWith(`${FENCE}bash\nls`),
      ['13: the code block is never closed', '18: section Mitigation is missing'],
    ],
    [
      'PromQL that does not parse',
      pageWith(`Text:\n\n${FENCE}promql live\nsum(\n  up{a="{{cluster}}"} +\n)\n${FENCE}`),
      ['18: unexpected ")"'],
    ],
    [
      'PromQL that does not parse and is not live',
      pageWith(`${FENCE}promql\nrate(up)\n${FENCE}`),
      ['14: expected type range vector in call to function "rate", got instant vector'],
    ],
    [
      'a placeholder outside a label value',
      pageWith(`Text:\n\n${FENCE}promql live\n{{name}} == 1\n${FENCE}`),
      ['16: a placeholder in PromQL must be inside a label value in double quotes'],
    ],
    [
      'a cell without a caption',
      pageWith(`### Why\n\n${FENCE}promql live\nup\n${FENCE}`),
      ['15: a live cell needs a caption of one line before it, after a blank line'],
    ],
    [
      'a cell with a caption of two lines',
      pageWith(`one\ntwo:\n\n${FENCE}promql live\nup\n${FENCE}`),
      ['16: a live cell needs a caption of one line before it, after a blank line'],
    ],
    [
      'a value in backticks',
      pageWith(`${FENCE}bash\necho \`ls {{name}}\`\n${FENCE}`),
      ['14: a value cannot be quoted safely here'],
    ],
    [
      'a command in a sentence',
      pageWith('Type `kubectl get vm {{name}}` now.'),
      ['13: a command with a placeholder is inline, where its value is not quoted'],
    ],
    ['a value in HTML', pageWith('<b title="{{name}}">x</b>'), ['13: no placeholders in HTML or indented code']],
    ['a value in indented code', pageWith('x\n\n    ls {{name}}'), ['15: no placeholders in HTML or indented code']],
    ['an unknown key', pageWith('x', '---\nalias: [Old]\n---\n'), ['2: unknown key "alias" in the front matter']],
    [
      'aliases that are no list',
      pageWith('x', '---\naliases: Old\n---\n'),
      ['2: aliases must be a list of alert names'],
    ],
    [
      'an empty reason',
      pageWith('x', '---\nwithout_rule: ""\n---\n'),
      ['2: without_rule must be the reason, in words'],
    ],
    ['front matter that is a list', pageWith('x', '---\n- a\n---\n'), ['2: front matter must be keys and values']],
  ])('%s', (_, text, want) => {
    expect(findings(text)).toEqual(want)
  })

  test('broken YAML at the head is one finding, and the page is read all the same', () => {
    const text = pageWith('x', '---\naliases: [a\n---\n')
    expect(findings(text)).toHaveLength(1)
    expect(parseRunbookPage('Alpha.md', text).page.summary).toBe('It is on.')
  })

  test.each([
    ['a continued list item', '1. one\n\n    two {{name}}'],
    ['a placeholder in a code span', '`{{name}}` and `kubectl get vm`'],
    ['a live cell in a list', `- Caption:\n\n  ${FENCE}promql live\n  up\n  ${FENCE}`],
    ['a comparison in prose', 'x < 3 {{name}} > 2'],
  ])('not a fault: %s', (_, body) => {
    expect(findings(pageWith(body))).toEqual([])
  })

  test('no text makes the reader throw', () => {
    const pieces = [
      '# ',
      '## Meaning\n',
      FENCE,
      '~~~',
      '`',
      '\n',
      '{{',
      '}}',
      'name',
      'bash\n',
      'promql live\n',
      '---\n',
      ' ',
      '\t',
      'a: [',
      '"',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (parts) => {
        const text = parts.join('')
        const { page } = parseRunbookPage('Alpha.md', text)
        for (const found of checkPage(page)) expect(found.from).toBeLessThanOrEqual(text.length)
      }),
      { numRuns: 500 },
    )
  })
})

describe('the scanner', () => {
  test('every character is in exactly one block', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(FENCE, '````', '~~~', ' ', '\n', 'a', '`', 'bash'), { maxLength: 25 }),
        (parts) => {
          const text = parts.join('')
          const blocks = blocksOf(text, 0)
          expect(blocks.map((block) => text.slice(block.from, block.to)).join('')).toBe(text)
        },
      ),
    )
  })

  test('sees the same fences as the Markdown lexer', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(`${FENCE}bash\n`, `${FENCE}\n`, '````\n', '~~~\n', 'a\n', '\n', ` ${FENCE}\n`, '`a`\n'),
          { maxLength: 14 },
        ),
        (parts) => {
          const text = parts.join('')
          const own = blocksOf(text, 0).filter((block) => block.kind === 'fence')
          const theirs = Lexer.lex(text).filter((token) => token.type === 'code') as Tokens.Code[]
          expect(own.map((fence) => fence.info)).toEqual(theirs.map((token) => token.lang))
        },
      ),
    )
  })

  test.each([
    ['a `b` c', ['b']],
    ['``a ` b`` `c`', ['a ` b', 'c']],
    ['\\`a` b', []],
    ['`a\nb`', ['a b']],
    ['`a\n\nb`', []],
    ['`` ` ``', ['`']],
    ['`a', []],
  ])('the code spans of %j are %j', (text, spans) => {
    expect(codeSpansOf(text).map((span) => span.text)).toEqual(spans)
  })
})
