import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import { createContent, type Content } from '../../src/runtime/content.ts'
import { tempDir } from '../support/temp-dir.ts'

const RULE = 'groups: [{name: g, rules: [{alert: A, expr: up == 0}]}]'
const page = (name: string): string =>
  `# ${name}\n\n${['Meaning', 'Impact', 'Diagnosis', 'Mitigation'].map((title) => `## ${title}\n\nText.\n`).join('\n')}`

let folder: ReturnType<typeof tempDir>
let content: Content
/** What the evaluator was handed. */
let used: string[][]
beforeEach(() => {
  folder = tempDir('content')
  for (const name of ['rules', 'runbooks', 'dashboards']) mkdirSync(join(folder.path, name))
  used = []
  const folders = ['rules', 'runbooks', 'dashboards'].map((name) => [name, join(folder.path, name)] as const)
  content = createContent(readConfig(new Map(folders), undefined, {}), silentLog)
})
afterEach(() => {
  folder.remove()
})

function write(path: string, text: string): void {
  writeFileSync(join(folder.path, path), text)
}

async function reload(): Promise<void> {
  const reloadable = content.reloadable((files) => {
    used.push(files.map(({ text }) => text))
    return Promise.resolve()
  })
  await (
    await reloadable.read()
  )()
}

test('what is kept of the catalog shows what is in use now', async () => {
  write('rules/a.yaml', RULE)
  write('runbooks/A.md', page('A'))
  const { catalog } = content
  expect([catalog.alertNames, [...catalog.pages.keys()]]).toEqual([['A'], ['A']])
  write('rules/b.yaml', RULE.replace('A', 'B'))
  write('runbooks/B.md', page('B'))
  expect(catalog.alertNames).toEqual(['A'])
  await reload()
  expect([catalog.alertNames, [...catalog.pages.keys()]]).toEqual([
    ['A', 'B'],
    ['A', 'B'],
  ])
  expect(used).toEqual([[RULE, RULE.replace('A', 'B')]])
})

test('a bad rule file is refused with a caret, and nothing else is taken', async () => {
  write('rules/a.yaml', RULE)
  expect(content.catalog.alertNames).toEqual(['A'])
  write('rules/a.yaml', RULE.replace('up == 0', 'up ='))
  write('rules/b.yaml', RULE.replace('A', 'B'))
  await expect(reload()).rejects.toThrow(/a\.yaml:1:.*error: alert A: .*\n.*\n.*\^/)
  expect([content.catalog.alertNames, used]).toEqual([['A'], []])
})

test('a rule file that is bad at the start keeps it from starting; a page does not', () => {
  write('runbooks/A.md', '---\naliases: 3\n')
  expect(content.catalog.alertNames).toEqual([])
  const rules = join(folder.path, 'rules')
  write('rules/a.yaml', 'groups: 3')
  const bad = createContent(readConfig(new Map([['rules', rules]]), undefined, {}), silentLog)
  expect(() => bad.catalog).not.toThrow()
  expect(() => bad.catalog.alertNames).toThrow('cannot be used')
})

test('a fault that a page had before does not stop a reload, a new one does', async () => {
  write('runbooks/A.md', '# A\n\n```promql live\nup =\n```\n')
  expect(content.catalog.diagnostics.filter(({ severity }) => severity === 'error')).not.toEqual([])
  write('rules/a.yaml', RULE)
  await reload()
  expect(content.catalog.alertNames).toEqual(['A'])
  write('runbooks/B.md', '# B\n\n```promql live\nup =\n```\n')
  await expect(reload()).rejects.toThrow(/B\.md/)
  expect([...content.catalog.pages.keys()]).toEqual(['A'])
})
