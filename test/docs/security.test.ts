import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { OPTIONS } from '../../src/config/config.ts'
import { ROLES } from '../../src/model/token.ts'
import { VERSION } from '../../src/config/version.ts'
import { ROOT } from '../content/content.ts'

const FILES = ['docs/operating/security.md', 'docs/operating/deployment.md', 'deploy/README.md', 'README.md']

describe.each(FILES)('%s', (file) => {
  const text = readFileSync(join(ROOT, file), 'utf8')

  test('names files that exist', () => {
    const named = [...text.matchAll(/`((?:src|test|scripts|deploy|docs)\/[\w./-]+)`/g)].map(([, path]) => path!)
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })

  test('names options that exist', () => {
    const named = [
      ...text.matchAll(/(?:--|`)((?:web|store|ingest|alerts|notify|external|retention|fleet|promql)\.[a-z-]+)/g),
    ]
    expect(named.map(([, option]) => option!).filter((option) => !Object.hasOwn(OPTIONS, option))).toEqual([])
  })

  test('names the image of this version', () => {
    for (const [, tag] of text.matchAll(/\bdaytwo:(\d[\w.]*)/g)) expect(tag).toBe(VERSION)
  })
})

test('the threat model has every role', () => {
  const text = readFileSync(join(ROOT, 'docs/operating/security.md'), 'utf8')
  for (const role of ROLES) expect(text).toMatch(new RegExp(`^### .*\`${role}\` token`, 'm'))
})
