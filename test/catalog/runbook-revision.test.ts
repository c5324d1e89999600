import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Lexer } from 'marked'
import { expect, test } from 'vitest'
import { bindRunbook } from '../../src/catalog/bind-runbook.ts'
import { parseRunbookPage } from '../../src/catalog/runbook-page.ts'
import { revisionOf } from '../../src/catalog/runbook-revision.ts'
import { PROJECT_ROOT } from '../../src/config/project-root.ts'
import { Labels } from '../../src/model/labels.ts'
import { stepPlaces, STEPS_MAX } from '../../src/model/runbook-steps.ts'
import { ruleAlert } from '../api/rule-alert.ts'

const TEXT = `---
aliases:
  - Old
---

# A

## Meaning

1. Not a step.

## Diagnosis

### Which pods are *down*?

\`\`\`bash kubectl
kubectl get pods
\`\`\`

1. Compare with {{cluster}}.

- A remark.

### Verification

## Mitigation

Read this first.

1. Save a copy:

\`\`\`bash kubectl
kubectl get x
\`\`\`

2. Edit it.

| Observation | Action |
|---|---|
| \`Pending\` | Add a [node](https://example.org). |

Delete the pod:

\`\`\`bash kubectl
kubectl delete pod
\`\`\`

### By hand

- Restart it.

### Verification

1. It is gone.

\`\`\`promql live
up
\`\`\`
`

const revision = (text: string) => revisionOf(parseRunbookPage('runbooks/A.md', text).page)
const texts = (text: string) => revision(text).steps.map(({ section, text: own }) => `${section}: ${own}`)

test('steps are the headings and numbered items of Diagnosis, and items, rows and commands of Mitigation', () => {
  expect(texts(TEXT)).toEqual([
    'diagnosis: Which pods are down?',
    'diagnosis: Compare with <cluster>.',
    'mitigation: Save a copy:',
    'mitigation: Edit it.',
    'mitigation: Pending: Add a node.',
    'mitigation: Delete the pod:',
    'mitigation: Restart it.',
  ])
})

test('a revision is of the text without front matter; a step keeps its key as long as its text is the same', () => {
  const before = revision(TEXT)
  expect(before.revision).toMatch(/^[0-9a-f]{12}$/)
  expect(revision(TEXT.replace('- Old', '- Older'))).toEqual(before)
  const after = revision(
    TEXT.replace('Edit it.', 'Edit it well.').replace('1. Save a copy:', '0. Note the time.\n1. Save a\n   copy:'),
  )
  expect(after.revision).not.toBe(before.revision)
  const keys = (of: typeof before) => new Map(of.steps.map(({ text, key }) => [text, key]))
  expect(keys(after).get('Save a copy:')).toBe(keys(before).get('Save a copy:'))
  expect(keys(after).get('Edit it well.')).not.toBe(keys(before).get('Edit it.'))
  expect(before.steps.every(({ key }) => !new RegExp(`^${before.revision}$`).test(key))).toBe(true)
})

test('steps with equal texts have keys of their own, in both sections too; a long text is shortened', () => {
  const { steps } = revision(
    '# A\n\n## Diagnosis\n\n1. Wait.\n\n## Mitigation\n\n- Wait.\n- Wait.\n- ' + 'x'.repeat(300) + '\n',
  )
  expect(new Set(steps.map(({ key }) => key)).size).toBe(4)
  expect(steps[2]!.key).toBe(`${steps[1]!.key}-2`)
  expect([steps[3]!.text.length, steps[3]!.text.at(-1)]).toEqual([200, '…'])
})

test('a runbook has at most so many steps', () => {
  const items = Array.from({ length: STEPS_MAX + 1 }, (_, i) => `- Step ${i}.`).join('\n')
  expect(revision(`# A\n\n## Mitigation\n\n${items}\n`).steps).toHaveLength(STEPS_MAX)
})

const FOLDER = join(PROJECT_ROOT, 'runbooks')
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.md'))

test.each(NAMES)('%s has the same steps with values filled in, among them a mitigation step', (name) => {
  const { page } = parseRunbookPage(name, readFileSync(join(FOLDER, name), 'utf8'))
  const { steps } = revisionOf(page)
  const labels = Labels.of({ alertname: page.name, cluster: '1. a\n- b | c', namespace: '# x', node: '`n`' })
  const alert = { ...ruleAlert(page.name, 'c1'), labels }
  for (const context of [{ isPlain: true } as const, { alert, inventory: undefined }]) {
    const { markdown } = bindRunbook(page, context)
    const places = stepPlaces(new Lexer({ gfm: true }).lex(markdown))
    expect(places.map(({ section }) => section)).toEqual(steps.map(({ section }) => section))
  }
  expect(steps.some(({ section }) => section === 'mitigation')).toBe(true)
  expect(new Set(steps.map(({ key }) => key)).size).toBe(steps.length)
})
