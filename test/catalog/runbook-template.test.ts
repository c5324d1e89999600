import { resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadCatalog } from '../../src/catalog/catalog.ts'
import { checkPage } from '../../src/catalog/check-page.ts'
import { parseRunbookPage } from '../../src/catalog/runbook-page.ts'
import { RUNBOOK_NAME, runbookTemplate, type AlertSketch } from '../../src/catalog/runbook-template.ts'
import { loadRuleFiles } from '../../src/rules/rule-file.ts'

const ROOT = resolve(import.meta.dirname, '../..')

function faultsOf(sketch: AlertSketch): readonly string[] {
  const { page, diagnostics } = parseRunbookPage(`runbooks/${sketch.name}.md`, runbookTemplate(sketch))
  return [...diagnostics, ...checkPage(page)].map(({ message }) => message)
}

describe('the template of a runbook', () => {
  test('has what the rule says: its texts with placeholders for its labels, and its expression', () => {
    const text = runbookTemplate({
      name: 'TeamQueueFull',
      expr: 'queue_length{job="x"} > 10',
      annotations: {
        summary: 'Queue of {{ $labels.namespace }} on {{$labels.cluster}} is full.',
        description: '{{ $value | humanize }} entries,\n  {{ $labels.shard }} and {{ template "x" }}.',
      },
    })
    expect(text.split('\n\n').slice(0, 6)).toEqual([
      '# TeamQueueFull',
      '## Meaning',
      'Queue of {{namespace}} on {{cluster}} is full.',
      '{{value}} entries, (shard) and ….',
      'The rule:',
      '```promql\nqueue_length{job="x"} > 10\n```',
    ])
    expect(text).toContain('count(count by (cluster) (ALERTS{alertname="TeamQueueFull", alertstate="firing"}))')
    expect(text.endsWith('```\n')).toBe(true)
  })

  test('has an instruction where nothing is known', () => {
    const text = runbookTemplate({ name: 'A', annotations: {} })
    expect(text).toContain('## Meaning\n\nState in one sentence when the alert fires.\n\n## Impact')
    expect(text).not.toContain('The rule:')
    expect(faultsOf({ name: 'A', annotations: {} })).toEqual([])
  })

  test('is a page without a fault for each shipped alert', () => {
    const folders = ['alert-rules', 'runbooks', 'dashboards'].map((folder) => resolve(ROOT, folder)) as [
      string,
      string,
      string,
    ]
    const catalog = loadCatalog({ rulesDir: folders[0], runbooksDir: folders[1], dashboardsDir: folders[2] })
    const rules = loadRuleFiles(catalog.ruleFiles).groups.flatMap((group) => group.rules)
    const faults = rules.flatMap((rule) =>
      rule.kind === 'alerting' ? faultsOf(rule).map((fault) => `${rule.name}: ${fault}`) : [],
    )
    expect(rules.length).toBeGreaterThan(80)
    expect(faults).toEqual([])
  })

  test('whatever a cluster writes into an alert is text in it', () => {
    const part = fc.constantFrom(
      '```',
      '{{cluster}}',
      '{{nonsense}}',
      '{{',
      '}}',
      '# ',
      '\n',
      '<b>',
      '`',
      '> ',
      'a',
      ' ',
    )
    const text = fc.oneof(
      fc.string(),
      fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, text, (summary, description) => {
        const sketch = { name: 'A', annotations: { summary, description } }
        expect(faultsOf(sketch)).toEqual([])
        expect(runbookTemplate(sketch).match(/^#+ .*/gm)).toHaveLength(8)
      }),
    )
  })
})

test.each([
  ['VMStuck', true],
  ['team_queue-full', true],
  ['9Lives', false],
  ['../x', false],
  ['a b', false],
  ['', false],
  ['a'.repeat(201), false],
])('%s as a name: %s', (name, isName) => {
  expect(RUNBOOK_NAME.test(name)).toBe(isName)
})
