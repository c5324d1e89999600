import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * What a person sees in a browser where the UI cannot be shown: somebody who was not let in, an address that is none.
 * A page of its own, without scripts: the UI would only ask questions that are refused too.
 */
export interface PlainPage {
  readonly status: number
  readonly title: string
  /** Sentences, one paragraph each. */
  readonly says: readonly string[]
  /** What somebody with a terminal types. */
  readonly command?: string
  readonly links: readonly { readonly text: string; readonly href: string }[]
}

/** A browser that opens an address wants a page; our own pages ask for JSON, and other clients for anything. */
export function wantsPage(request: FastifyRequest): boolean {
  return /\btext\/html\b/.test(request.headers.accept ?? '')
}

export function sendPlainPage(reply: FastifyReply, page: PlainPage): FastifyReply {
  return reply
    .code(page.status)
    .header('cache-control', 'no-store')
    .header('vary', 'accept')
    .type('text/html; charset=utf-8')
    .send(htmlOf(page))
}

function htmlOf({ title, says, command, links }: PlainPage): string {
  const paragraphs = says.map((sentence) => `<p>${escaped(sentence)}</p>`)
  const ways = links.map(({ text, href }) => `<a href="${escaped(href)}">${escaped(text)}</a>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Daytwo</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/plain.css">
</head>
<body>
<main>
<p class="brand"><img src="/icon.svg" alt="" width="20" height="20"> Daytwo</p>
<h1>${escaped(title)}</h1>
${paragraphs.join('\n')}${command === undefined ? '' : `\n<pre>${escaped(command)}</pre>`}
${ways.length === 0 ? '' : `<p class="ways">${ways.join(' ')}</p>`}
</main>
</body>
</html>
`
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
