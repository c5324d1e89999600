import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * The page that a browser gets where the UI cannot be shown: access is refused, or the address is unknown. It has no
 * scripts, because the requests of the UI would be refused too.
 */
export interface PlainPage {
  readonly status: number
  readonly title: string
  /** Sentences, one paragraph each. */
  readonly says: readonly string[]
  /** A command to type in a terminal. */
  readonly command?: string
  readonly links: readonly { readonly text: string; readonly href: string }[]
}

/** Whether a browser opens the address; the UI's scripts accept JSON, and other clients anything. */
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
