/**
 * A page of the documentation as HTML, from its Markdown (CommonMark with GitHub's tables). HTML inside a page is shown as
 * the text it is, images are left out, and links lead to where the product serves their target. Pure.
 */
import { posix } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import { escaped } from '../server/plain-page.ts'

export interface DocHtml {
  /** The first heading, without markup. */
  readonly title: string
  /** The sections of the page, for links to them. */
  readonly sections: readonly { readonly id: string; readonly title: string }[]
  readonly html: string
}

/**
 * @param path of the page below the folder, without `.md`: `operating/backup`
 * @param isPage whether the folder has a page of this path
 */
export function docHtml(path: string, markdown: string, isPage: (path: string) => boolean): DocHtml {
  const seen = new Map<string, number>()
  const sections: { id: string; title: string }[] = []
  let title = path
  const marked = new Marked({
    renderer: {
      heading({ depth, tokens }) {
        const text = plainText(tokens)
        const id = uniqueId(headingId(text), seen)
        if (depth === 1) title = text
        if (depth === 2) sections.push({ id, title: text })
        return `<h${depth} id="${escaped(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens)
        const target = linkTarget(path, href, isPage)
        return target === undefined ? content : `<a href="${escaped(target)}">${content}</a>`
      },
      table(table) {
        const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td'): string =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`
        const rows = table.rows.map((cells) => row(cells, 'td')).join('\n')
        // Reachable by keyboard, because a wide table scrolls inside of its frame.
        return `<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n<thead>${row(table.header, 'th')}</thead>\n<tbody>\n${rows}\n</tbody>\n</table></div>\n`
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
      // A comment is for authors of the file.
      html: ({ text }) => (text.startsWith('<!--') && text.trimEnd().endsWith('-->') ? '' : escaped(text)),
      image: ({ text }) => escaped(text),
    },
  })
  const html = marked.parse(markdown, { async: false })
  return { title, sections, html }
}

/**
 * Where a link leads in the product: a page of the documentation, a runbook, or another server. `undefined` for a file of the
 * project that the product does not serve, and for schemes that are not followed.
 */
function linkTarget(path: string, href: string, isPage: (path: string) => boolean): string | undefined {
  if (/^(?:https?|mailto):/i.test(href)) return href
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith('/')) return undefined
  const [file = '', fragment] = href.split('#', 2)
  if (file === '') return `#${fragment ?? ''}`
  const target = posix.join('docs', posix.dirname(path), file)
  const runbook = /^runbooks\/(\w+)\.md$/.exec(target)
  if (runbook !== null) return `/rb/${runbook[1]!}`
  const page = pathOfFile(target.replace(/^docs\//, ''))
  if (!target.startsWith('docs/') || page === undefined || !isPage(page)) return undefined
  return `${docAddress(page)}${fragment === undefined ? '' : `#${fragment}`}`
}

/** The address of a page: that of the index is `/docs`. */
export function docAddress(path: string): string {
  return path === '' ? '/docs' : `/docs/${path}`
}

/** `operating/backup.md` is `operating/backup`, the index is the empty text; `undefined`: not a page. */
export function pathOfFile(file: string): string | undefined {
  if (!file.endsWith('.md')) return undefined
  return file === 'README.md' ? '' : file.slice(0, -'.md'.length)
}

/** As GitHub writes the ids of headings, so that one link works there and here. */
export function headingId(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

function uniqueId(id: string, seen: Map<string, number>): string {
  const before = seen.get(id)
  seen.set(id, (before ?? 0) + 1)
  return before === undefined ? id : `${id}-${before}`
}

function plainText(tokens: readonly Token[]): string {
  return tokens.map((token) => ('tokens' in token ? plainText(token.tokens ?? []) : textOf(token))).join('')
}

function textOf(token: Token): string {
  return 'text' in token && typeof token.text === 'string' ? token.text : token.raw
}
