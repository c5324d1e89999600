import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'

// The page opens on a phone, at night, on a bad line: what stands before the first answer has a budget.

const ROOT = resolve(import.meta.dirname, '../../dist/web')
const html = readFileSync(join(ROOT, 'index.html'), 'utf8')
const assets = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1]!)

const gzippedKb = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + gzipSync(readFileSync(join(ROOT, path))).length, 0) / 1000

describe('the first screen', () => {
  test.each([
    ['scripts', '.js', 123],
    ['styles, of all pages', '.css', 17],
  ])('its %s stay below the budget', (_what, ending, budgetKb) => {
    const paths = assets.filter((path) => path.endsWith(ending))
    expect(paths.length).toBeGreaterThan(0)
    expect(gzippedKb(paths)).toBeLessThan(budgetKb)
  })

  test('loads neither charts nor telemetry nor the Markdown reader nor the editor of queries', () => {
    const first = assets.filter((path) => path.endsWith('.js')).map((path) => readFileSync(join(ROOT, path), 'utf8'))
    for (const text of first) expect(text).not.toMatch(/u-legend|x-faro-session-id|blockquoteStart|cm-content/)
  })
})

test.each([
  ['the page of PromQL, with the grammar', /^explore-page-.*\.js$/, 50],
  ['its editor', /^promql-editor-.*\.js$/, 130],
])('%s comes later and stays below its budget', (_what, name, budgetKb) => {
  const paths = readdirSync(join(ROOT, 'assets')).filter((path) => name.test(path))
  expect(paths).toHaveLength(1)
  expect(gzippedKb(paths.map((path) => join('assets', path)))).toBeLessThan(budgetKb)
})

test('everything comes from the own origin', () => {
  expect(assets.every((path) => path.startsWith('/'))).toBe(true)
  const styles = readdirSync(join(ROOT, 'assets')).filter((name) => name.endsWith('.css'))
  for (const name of styles) {
    const text = readFileSync(join(ROOT, 'assets', name), 'utf8')
    expect(text.match(/url\((?!["']?(?:\/assets\/|\.\/|data:|#))[^)]*\)|@import/g) ?? []).toEqual([])
  }
})
