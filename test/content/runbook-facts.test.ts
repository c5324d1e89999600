import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseRunbookPage } from '../../src/catalog/runbook-page.ts'
import { loadRuleFiles } from '../../src/rules/rule-file.ts'
import { ROOT, shippedCatalog } from './content.ts'
import { factsOfAnnotation, factsOfPage } from './runbook-facts.ts'

const catalog = shippedCatalog()

// A sentence may change, a fact must not. Who changes a fact runs `npx vitest run test/content/runbook-facts.test.ts -u`
// and commits the difference.
test('the facts of the runbooks are those that are stored', async () => {
  const lines = [...catalog.pages.values()].flatMap(factsOfPage).join('\n')
  await expect(`${lines}\n`).toMatchFileSnapshot(join(ROOT, 'test/content/runbook-facts.txt'))
})

test('the templates and numbers of the alerts are those that are stored', async () => {
  const lines = loadRuleFiles(catalog.ruleFiles)
    .groups.flatMap((group) => group.rules)
    .flatMap((rule) =>
      rule.kind === 'alerting'
        ? Object.entries(rule.annotations)
            .filter(([key]) => key !== 'runbook_url')
            .map(
              ([key, text]) => `${rule.name} ${rule.labels['severity']} ${key}: ${factsOfAnnotation(text).join(', ')}`,
            )
        : [],
    )
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(join(ROOT, 'test/content/alert-facts.txt'))
})

describe('a fact', () => {
  const factsOf = (body: string): string[] =>
    factsOfPage(parseRunbookPage('runbooks/A.md', `# A\n\n## Meaning\n\n${body}\n`).page)

  test.each([
    ['a number with its unit, in digits or in words', 'For an hour, then 15 minutes', 'For 1 h, then fifteen min'],
    ['a fraction, in digits or in words', 'Below nine tenths for half\nan hour', 'Below 90 % for 30 minutes'],
    ['a percentage', 'at 90 %', 'at 90 percent'],
    ['a placeholder wherever its paragraph has it', '{{vm}} on {{cluster}}', 'On {{cluster}}, {{vm}} (see {{vm}})'],
    ['a word, which is none', 'One of the two says so.', 'An operator reports that.'],
    ['a line of a list item, indented or not', '- a\n  `b`', '- a\n`b`'],
    ['a paragraph, which may be split', '`a` and `b`.', '`b`.\n\n`a`.'],
  ])('%s: is the same', (_, before, after) => {
    expect(factsOf(after)).toEqual(factsOf(before))
  })

  test.each([
    ['a number', 'For 15 minutes.', 'For 10 minutes.'],
    ['a unit', 'For 15 minutes.', 'For 15 seconds.'],
    ['a number in words', 'More than three times.', 'More than two times.'],
    ['a placeholder', 'On {{cluster}}.', 'On {{cluster_id}}.'],
    ['a name in code', 'See `spec.a`.', 'See `spec.b`.'],
    ['the target of a link', '[x](/rb/A)', '[x](/rb/B)'],
    ['the order of steps', '- `a`\n- `b`', '- `b`\n- `a`'],
    ['the number of steps', '- Begin.\n- End.', '- Begin and end.'],
    ['what a step names', '- `a` on `b`\n- c', '- `a`\n- c on `b`'],
    ['a row of a table', '| `a` | 1 |\n|---|---|\n| `b` | 2 |', '| `a` | 2 |\n|---|---|\n| `b` | 1 |'],
    ['the language of a block', '```bash\nls\n```', '```bash kubectl\nls\n```'],
    ['a command', '```bash\nls -l\n```', '```bash\nls -a\n```'],
    ['the order of blocks', '```bash\na\n```\n\n```bash\nb\n```', '```bash\nb\n```\n\n```bash\na\n```'],
    ['the block a number stands before', '0 is up.\n\n```bash\na\n```', '```bash\na\n```\n\n0 is up.'],
    ['the step that names something', '### A\n\n`a`\n\n### B\n\nb', '### A\n\na\n\n### B\n\n`b`'],
  ])('%s: is another', (_, before, after) => {
    expect(factsOf(after)).not.toEqual(factsOf(before))
  })
})

test.each([
  ['{{ $labels.cluster }}: down for 10 minutes', 'Down for 10 min on {{ $labels.cluster }}', true],
  ['{{ $labels.cluster }}: down', '{{ $labels.cluster_id }}: down', false],
  ['{{ $value }} of 3', '{{ $value }} of 4', false],
])('annotation %s: %s has the same facts: %s', (before, after, isSame) => {
  const facts = (text: string): string => factsOfAnnotation(text).join('\n')
  expect(facts(before) === facts(after)).toBe(isSame)
})
