import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { pagePatterns } from '../../../src/web/lib/page-files.ts'

const fileOf = (path: string): string | undefined => pagePatterns().find(({ pattern }) => pattern.test(path))?.file

test('every page that comes later has an address', () => {
  const pages = readdirSync(resolve(import.meta.dirname, '../../../src/web/pages')).flatMap((name) =>
    name.endsWith('.tsx') ? [name.slice(0, -4)] : [],
  )
  const later = pages.filter((name) => name !== 'now-page' && name !== 'not-found-page')
  expect([...new Set(pagePatterns().map(({ file }) => file))].sort()).toEqual(later.sort())
})

test.each([
  ['/', undefined],
  ['/fleet', 'fleet-page'],
  ['/fleet/clusters/', 'fleet-page'],
  ['/fleet/clusters/a%2Fb', 'cluster-page'],
  ['/fleet/edges/hco/1.9.0/1.10.0', 'edge-page'],
  ['/alerts', 'alerts-page'],
  ['/alerts/rules', 'rules-page'],
  ['/alerts/rules/VirtOperatorDown', 'rule-page'],
  ['/alerts/0123456789abcdef', 'alerts-page'],
  ['/explore/traces/00ff', 'trace-page'],
  ['/rb/VirtOperatorDown.md', 'runbook-page'],
  ['/explore/nothing/there', undefined],
])('%s is %s', (path, file) => {
  expect(fileOf(path)).toBe(file)
})
