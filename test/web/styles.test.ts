import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

// What a browser pays for a rule, it pays on every page.

const ASSETS = resolve(import.meta.dirname, '../../dist/web/assets')

test('no rule is about any element after any other', () => {
  // `* + *` styles a whole parent anew whenever a child comes or goes, in each list of each page.
  const styles = readdirSync(ASSETS).filter((name) => name.endsWith('.css'))
  expect(styles.length).toBeGreaterThan(0)
  const selectors = styles.flatMap((name) => readFileSync(join(ASSETS, name), 'utf8').split(/[{},]/))
  expect(selectors.filter((selector) => ANY_SIBLING.test(selector))).toEqual([])
})

const ANY_SIBLING = /(?:^|[\s>(])\*\s*[+~]/
