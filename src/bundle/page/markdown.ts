/**
 * A runbook as HTML. HTML inside of it is shown as the text it is, images are their texts, and links are followed only to web
 * addresses. Pure.
 */
import { Marked } from 'marked'
import { escaped, Html } from './html.ts'

/** The headings of the page are above those of a runbook. */
const HEADINGS_DOWN = 3

export function markdownHtml(markdown: string): Html {
  const marked = new Marked({
    renderer: {
      heading({ depth, tokens }) {
        const level = Math.min(6, depth + HEADINGS_DOWN)
        return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens)
        return /^https?:\/\//i.test(href)
          ? `<a href="${escaped(href)}" rel="noreferrer noopener">${content}</a>`
          : content
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
      codespan: ({ text }) => `<code>${escaped(text)}</code>`,
      html: ({ text }) => escaped(text),
      image: ({ text }) => escaped(text),
      text(token) {
        return 'tokens' in token ? this.parser.parseInline(token.tokens) : escaped(token.text)
      },
      checkbox: ({ checked }) => (checked ? '[x] ' : '[ ] '),
    },
  })
  return new Html(marked.parse(markdown, { async: false }))
}
