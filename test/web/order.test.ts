import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const WEB = resolve(import.meta.dirname, '../../src/web')

/** Folders from the bottom up; each may import itself and those before it. */
const ORDER = ['lib', 'ui', 'query', 'panels', 'pages']

function importsOf(path: string): string[] {
  const text = readFileSync(join(WEB, path), 'utf8')
  return [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map((match) =>
    relative(WEB, resolve(WEB, dirname(path), match[1]!)),
  )
}

const files = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path))

test('each folder uses only those below it', () => {
  const upward = files.flatMap((path) => {
    const place = ORDER.indexOf(path.split('/')[0]!)
    if (place < 0) return []
    return importsOf(path)
      .filter((target) => ORDER.indexOf(target.split('/')[0]!) > place)
      .map((target) => `${path} imports ${target}`)
  })
  expect(upward).toEqual([])
})

test('primitives know neither the router nor the API', () => {
  const knowing = files
    .filter((path) => path.startsWith('ui/') || path.startsWith('lib/'))
    .filter((path) => /from '(wouter|@tanstack\/react-query)'|\bfetch\(/.test(readFileSync(join(WEB, path), 'utf8')))
  expect(knowing).toEqual([])
})

test('addresses of pages are written in paths.ts only', () => {
  const written = files
    .filter((path) => path.endsWith('.tsx'))
    .filter((path) => /(?:href|to)=(?:"|\{[`'])\/|navigate\([`']\//.test(readFileSync(join(WEB, path), 'utf8')))
  expect(written).toEqual([])
})

test('nothing asks the locale or makes markup of a string', () => {
  const asking = files.filter((path) =>
    /\.toLocale\w*String\(|Intl\.|dangerouslySetInnerHTML=|\.innerHTML\b/.test(readFileSync(join(WEB, path), 'utf8')),
  )
  expect(asking).toEqual([])
})
