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

function linksAt(pathname: string): readonly Link[] {
  const links: Link[] = []
  const head = { append: (link: Link) => links.push(link) }
  runInNewContext(script, { location: { pathname }, document: { head, createElement: () => ({}) } })
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
