import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

// A walk through the code is worth something only as long as it leads through files that exist.

const ROOT = resolve(import.meta.dirname, '../..')
const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')

/** Paths in code marks that begin in the project. */
const named = [...text.matchAll(/`((?:src|sim|test|docs|bench|scripts)\/[\w./-]+\.(?:tsx?|md))`/g)].map(
  (match) => match[1]!,
)

test('every file that the walks name exists', () => {
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

/** Rows of the tables of one walk that have a number. */
function stepsOf(heading: string): readonly number[] {
  const section = text.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''
  return [...section.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]))
}

test.each([
  ['One sample', 15],
  ['One alert', 18],
  ['One upgrade', 25],
])('%s: passes at most %i files, each listed once', (heading, filesMax) => {
  const steps = stepsOf(heading)
  expect(steps.length).toBeGreaterThan(10)
  expect(steps).toEqual(steps.map((_, i) => i + 1))
  expect(steps.length).toBeLessThanOrEqual(filesMax)
  const section = text.split(/^## /m).find((part) => part.startsWith(heading))!
  const files = [...section.matchAll(/^\| \d+ \|[^|]*\| `([^`]+)`/gm)].map((match) => match[1])
  expect(new Set(files).size).toBe(steps.length)
})
