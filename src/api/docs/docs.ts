/** `/docs`: the documentation as HTML that the server writes, so that it is readable without scripts. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { escaped, htmlDocument, sendPlainPage, unknownAddress } from '../server/plain-page.ts'
import { docAddress, type DocHtml } from './doc-html.ts'
import { loadDocs, type DocGroup } from './doc-pages.ts'

/** @param docsDir the folder of the Markdown files */
export function registerDocs(app: FastifyInstance, docsDir: string): void {
  const pages = loadDocs(docsDir)
  const send = (reply: FastifyReply, url: string, path: string): FastifyReply => {
    const page = pages.read(path)
    if (page === undefined) return sendPlainPage(reply, unknownAddress(url))
    return reply
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(htmlDocument(page.title, 'docs.css', bodyOf(path, page, pages.contents)))
  }
  const config = { access: 'viewer', dialect: 'text', scope: 'none' } as const
  app.route({
    method: ['GET', 'HEAD'],
    url: '/docs',
    config,
    handler: (request, reply) => send(reply, request.url, ''),
  })
  app.route<{ Params: { '*': string } }>({
    method: ['GET', 'HEAD'],
    url: '/docs/*',
    config,
    // The name of the file, as links in the project have it, is the page too.
    handler: (request, reply) => send(reply, request.url, request.params['*'].replace(/(?:\.md|\/)$/, '')),
  })
}

function bodyOf(path: string, { html, sections }: DocHtml, contents: readonly DocGroup[]): string {
  const here = docAddress(path)
  const groups = contents.map(
    ({ title, pages }) =>
      `<p>${escaped(title)}</p>\n<ul>${pages.map((page) => `<li>${linkTo(page, page.address === here)}</li>`).join('')}</ul>`,
  )
  const jumps = sections.map(({ id, title }) => `<li><a href="#${escaped(id)}">${escaped(title)}</a></li>`)
  const onPage =
    jumps.length < 3 ? '' : `<nav class="sections" aria-label="On this page"><ul>${jumps.join('')}</ul></nav>`
  return `<a class="skip" href="#text">Skip to content</a>
<header><a class="brand" href="/"><img src="/icon.svg" alt="" width="20" height="20"> Daytwo</a> <a class="to-contents" href="#contents">Contents</a></header>
<div class="columns">
<main id="text" tabindex="-1">
${onPage}
${html}</main>
<nav class="contents" id="contents" tabindex="-1" aria-label="Documentation">
${groups.join('\n')}
</nav>
</div>`
}

function linkTo({ address, title }: { readonly address: string; readonly title: string }, isHere: boolean): string {
  return `<a href="${escaped(address)}"${isHere ? ' aria-current="page"' : ''}>${escaped(title)}</a>`
}
