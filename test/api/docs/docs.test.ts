import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { docHtml } from '../../../src/api/docs/doc-html.ts'
import { loadDocs } from '../../../src/api/docs/doc-pages.ts'
import { textOf } from '../../docs/documents.ts'
import { makeServer, type TestServer } from '../test-server.ts'

const PAGES = new Set(['', 'concepts', 'operating/backup', 'operating/access'])
const html = (markdown: string, path = 'operating/access'): string =>
  docHtml(path, markdown, (page) => PAGES.has(page)).html

describe('a page as HTML', () => {
  test.each([
    ['[a](backup.md)', '<a href="/docs/operating/backup">a</a>'],
    ['[a](backup.md#rate-limit)', '<a href="/docs/operating/backup#rate-limit">a</a>'],
    ['[a](../concepts.md)', '<a href="/docs/concepts">a</a>'],
    ['[a](../README.md)', '<a href="/docs">a</a>'],
    ['[a](#tokens)', '<a href="#tokens">a</a>'],
    ['[a](https://example.com/x?y=1&z=2)', '<a href="https://example.com/x?y=1&amp;z=2">a</a>'],
    ['[`A`](../../runbooks/KubeVirtCRModified.md)', '<a href="/rb/KubeVirtCRModified"><code>A</code></a>'],
    // What the product does not serve is text.
    ['[a](../../SECURITY.md)', 'a'],
    ['[a](none.md)', 'a'],
    ['[a](../../../../etc/passwd)', 'a'],
    ['[a](javascript:alert(1))', 'a'],
    ['[a](/etc/passwd)', 'a'],
    ['![a](x.png)', 'a'],
    ['<b>a</b>', '&lt;b&gt;a&lt;/b&gt;'],
    ['`<a>`', '<code>&lt;a&gt;</code>'],
  ])('%s', (markdown, want) => {
    expect(html(markdown)).toBe(`<p>${want}</p>\n`)
  })

  test('a comment is left out', () => {
    expect(html('<!-- a -->\n\nb\n')).toBe('<p>b</p>\n')
    expect(html('<!-- a --> <b>\n')).toContain('&lt;b&gt;')
  })

  test('links of the index are below its address', () => {
    expect(html('[a](operating/backup.md)', '')).toContain('href="/docs/operating/backup"')
  })

  test('headings have ids as GitHub has them, each once', () => {
    const page = docHtml(
      'x',
      '# The `title`\n\n## Out-of-band: a `gate`\n\n## Same\n\n### Below\n\n## Same\n',
      () => false,
    )
    expect(page.title).toBe('The title')
    expect(page.sections).toEqual([
      { id: 'out-of-band-a-gate', title: 'Out-of-band: a gate' },
      { id: 'same', title: 'Same' },
      { id: 'same-1', title: 'Same' },
    ])
    expect(page.html).toContain('<h1 id="the-title">The <code>title</code></h1>')
    expect(page.html).toContain('<h3 id="below">Below</h3>')
  })

  test('code and tables are escaped and reachable by keyboard', () => {
    expect(html('```sh\na <b> & c\n```')).toBe('<pre tabindex="0"><code>a &lt;b&gt; &amp; c</code></pre>\n')
    const table = html('| A | B |\n|---|---|\n| `x` | <i> |')
    expect(table).toContain('<th>A</th><th>B</th>')
    expect(table).toContain('<td><code>x</code></td><td>&lt;i&gt;</td>')
    expect(table).toContain('tabindex="0"')
  })
})

test('a folder that is not there has no pages', () => {
  const docs = loadDocs('/no/such/folder')
  expect([docs.contents, docs.read('')]).toEqual([[], undefined])
})

describe('/docs', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await makeServer()
  })
  afterAll(() => server.app.close())

  test('is the index, with all pages in its contents, and has no scripts', async () => {
    const answer = await server.app.inject('/docs')
    expect([answer.statusCode, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ])
    expect(answer.body).toContain('<title>Documentation · Daytwo</title>')
    expect(answer.body).not.toMatch(/<script/)
    const contents = answer.body.slice(answer.body.indexOf('id="contents"'))
    const pages = [...contents.matchAll(/<a href="([^"]+)"/g)].map(([, address]) => address!)
    expect(pages.slice(0, 4)).toEqual(['/docs', '/docs/getting-started', '/docs/concepts', '/docs/faq'])
    expect(pages).toContain('/docs/reference/options')
    for (const url of pages) expect((await server.app.inject(url)).statusCode, url).toBe(200)
  })

  test.each(['/docs/operating/backup', '/docs/operating/backup.md', '/docs/operating/backup/'])('%s', async (url) => {
    const { statusCode, body } = await server.app.inject(url)
    expect([statusCode, body.includes('<h1 id="backup-and-restore">Backup and restore</h1>')]).toEqual([200, true])
    expect(body).toContain('<a href="/docs/operating/backup" aria-current="page">')
  })

  test.each(['/docs/none', '/docs/operating', '/docs/../package.json', '/docs/%2e%2e/README', '/docs/toString'])(
    '%s is 404',
    async (url) => {
      expect((await server.app.inject(url)).statusCode).toBe(404)
    },
  )

  test('HEAD is GET without a body', async () => {
    const answer = await server.app.inject({ method: 'HEAD', url: '/docs/concepts' })
    expect([answer.statusCode, answer.body]).toEqual([200, ''])
  })

  test('runbooks that the reference links to are pages of the product', async () => {
    const { body } = await server.app.inject('/docs/reference/alerts')
    const linked = [...body.matchAll(/href="(\/rb\/\w+)"/g)].map(([, address]) => address!)
    expect(linked.length).toBeGreaterThan(90)
    expect(textOf('docs/reference/alerts.md')).toContain('../../runbooks/KubeVirtCRModified.md')
  })
})
