import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../src/rules/checks/check.ts'
import { applySuppressions, suppressionsIn } from '../../../src/rules/checks/suppression.ts'

/** The text with a finding of check `odd` at each `@`, and what is left of them and said about suppressions. */
function left(file: string, text: string): string[] {
  const findings = [...text.matchAll(/@(\w)/g)].map((match): Finding => ({
    check: 'odd',
    severity: 'error',
    file,
    from: match.index,
    to: match.index + 2,
    message: match[1]!,
  }))
  return applySuppressions(findings, suppressionsIn(file, text), new Set(['odd', 'even'])).map(({ message }) => message)
}

const yaml = (text: string): string[] => left('a.yaml', text)
const markdown = (text: string): string[] => left('a.md', text)

describe('in YAML', () => {
  test.each([
    ['at the end of a line: that line', 'a: @1 # daytwo-lint: ignore odd: so\nb: @2', ['2']],
    ['before an item: the item', '- @1\n# daytwo-lint: ignore odd: so\n- @2\n  x: @3\n- @4', ['1', '4']],
    ['before a key: the key', 'a:\n  # daytwo-lint: ignore odd: so\n  b:\n    - @1\n    - @2\n  c: @3', ['3']],
    ['a list that is not indented', '# daytwo-lint: ignore odd: so\na:\n- @1\n- @2\nb: @3', ['3']],
    ['other comments and empty lines between', '# daytwo-lint: ignore odd: so\n# more\n\n- @1\n- @2', ['2']],
    ['before the first key: the file', '# daytwo-lint: ignore odd: so\ngroups:\n  - @1\n  - @2', []],
    ['comments inside do not end it', '# daytwo-lint: ignore odd: so\n- a\n# here\n  @1\n- @2', ['2']],
    ['several checks', 'a: @1 # daytwo-lint: ignore odd, even: so', ['the suppression of even hides nothing']],
    ['another check', 'a: @1 # daytwo-lint: ignore even: so', ['1', 'the suppression of even hides nothing']],
    ['no reason', 'a: @1 # daytwo-lint: ignore odd', ['1', 'odd is suppressed without a reason']],
    ['an empty reason', 'a: @1 # daytwo-lint: ignore odd: ', ['1', 'odd is suppressed without a reason']],
    ['an unknown check', 'a: @1 # daytwo-lint: ignore od: so', ['1', 'no check is called od']],
    ['words that are none', 'a: @1 # daytwo-lint: please', ['1', 'not a suppression']],
    ['at the end of the file', 'a: @1\n# daytwo-lint: ignore odd: so', ['1', 'the suppression of odd hides nothing']],
  ])('%s', (_, text, want) => {
    expect(yaml(text)).toEqual(want)
  })
})

describe('in Markdown', () => {
  const ignore = '<!-- daytwo-lint: ignore odd: so -->'
  test.each([
    ['a paragraph', `${ignore}\n\n@1\n@2\n\n@3`, ['3']],
    ['a fence', `${ignore}\n\`\`\`bash\n@1\n\n@2\n\`\`\`\n@3`, ['3']],
    ['a section with those below it', `@1\n${ignore}\n## A\n@2\n### B\n@3\n## C\n@4`, ['1', '4']],
    ['the page, before its title', `${ignore}\n# T\n@1\n## A\n@2`, []],
    ['a line', `@1 ${ignore}\n@2`, ['2']],
    ['a comment of YAML is none', '# daytwo-lint: ignore odd: so\n@1', ['1']],
  ])('%s', (_, text, want) => {
    expect(markdown(text)).toEqual(want)
  })
})
