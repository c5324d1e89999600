import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'

// What the head of the built page asks for before the program runs.

const ROOT = resolve(import.meta.dirname, '../../dist/web')
const html = readFileSync(join(ROOT, 'index.html'), 'utf8')
const script = readFileSync(join(ROOT, /src="\/(assets\/page-parts-[\w-]+\.js)"/.exec(html)![1]!), 'utf8')

interface Link {
  readonly href: string
  readonly rel: string
  readonly as?: string
  readonly crossOrigin: string
}

function linksAt(pathname: string, next: readonly string[] = []): readonly Link[] {
  const links: Link[] = []
  const head = { append: (link: Link) => links.push(link) }
  const location = { pathname }
  const listeners: (() => void)[] = []
  const addEventListener = (_name: string, listener: () => void): void => void listeners.push(listener)
  runInNewContext(script, { location, addEventListener, document: { head, createElement: () => ({}) } })
  for (const path of next) {
    location.pathname = path
    for (const listener of listeners) listener()
  }
  return links
}

test.each([
  ['/fleet', /fleet-page-.*\.js$/],
  ['/alerts/0123456789abcdef', /alerts-page-.*\.js$/],
  ['/explore/dashboards/adoption', /dashboard-page-.*\.js$/],
])('%s: the parts of the page, as files that are there', (pathname, page) => {
  const links = linksAt(pathname)
  expect(links[0]).toMatchObject({ rel: 'modulepreload', crossOrigin: '', href: expect.stringMatching(page) as string })
  expect(links.filter(({ href }) => !existsSync(join(ROOT, href)))).toEqual([])
  for (const { href, rel, as } of links) {
    expect([rel, as]).toEqual(['modulepreload', undefined])
    expect(html, 'what the first screen has is not asked for twice').not.toContain(href)
  }
})

test.each(['/', '/nowhere'])('%s has no parts of its own', (pathname) => {
  expect(linksAt(pathname)).toEqual([])
})

test('the parts of each page that is navigated to are asked for, and none twice', () => {
  const pages = (links: readonly Link[]): readonly string[] => links.map(({ href }) => href)
  const links = pages(linksAt('/', ['/fleet', '/alerts', '/fleet']))
  expect(new Set(links)).toEqual(new Set([...pages(linksAt('/fleet')), ...pages(linksAt('/alerts'))]))
  expect(links).toHaveLength(new Set(links).size)
})
