import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FleetError } from '../../base/errors.ts'
import { redirectTarget, signInAddress } from './sign-in-address.ts'

/**
 * The page that a browser gets where the UI cannot be shown: access is refused, a sign-in is required, or the address is
 * unknown. It has no scripts, because the requests of the UI would be refused too.
 */
interface PlainPage {
  readonly status: number
  readonly title: string
  /** Sentences, one paragraph each. */
  readonly says: readonly string[]
  /** The link to press, drawn as a button. */
  readonly button?: PageLink
  /** A command to type in a terminal. */
  readonly command?: string
  readonly links: readonly PageLink[]
}

interface PageLink {
  readonly text: string
  readonly href: string
}

/**
 * The page for people: without the hints for programs on how to send a token.
 * @param provider the name of the identity provider; absent: people have tokens
 */
export function failurePage(url: string, failure: FleetError, provider?: string): PlainPage {
  const { status } = failure
  const again = { text: 'Try again', href: url }
  switch (failure.code) {
    case 'unauthenticated':
      if (provider !== undefined && !asksForToken(url)) return signInPage(url, provider, failure)
      return {
        status,
        title: 'Sign in to Daytwo',
        says: [
          ...errorOf(failure),
          'Try again and enter your token as the password, with any user name. An administrator of this server creates tokens:',
        ],
        command: 'daytwo token add --role viewer --name YOU',
        button: again,
        links: [],
      }
    case 'forbidden':
      if (provider !== undefined && isOfSignIn(url)) {
        return { ...signInPage('/', provider, failure), title: 'Sign-in failed' }
      }
      return {
        status,
        title: 'This page needs another role',
        says: [...sentencesOf(failure), 'Pages are for the roles viewer, responder and admin.'],
        links: [{ text: 'Use another token', href: `/sign-in?to=${encodeURIComponent(url)}` }],
      }
    default:
      return {
        status,
        title: isOfSignIn(url) ? 'Sign-in failed' : 'This page cannot be shown now',
        says: sentencesOf(failure),
        // A sign-in that failed cannot be continued, only begun again.
        button: isOfSignIn(url) ? { text: 'Sign in', href: '/sign-in' } : again,
        links: isOfSignIn(url) ? [TOKEN_LINK('/')] : [],
      }
  }
}

function signInPage(url: string, provider: string, failure: FleetError): PlainPage {
  const { pathname, searchParams } = new URL(url, 'http://here.invalid')
  const isForbidden = failure.code === 'forbidden'
  const to = pathname === '/sign-in' ? redirectTarget(searchParams.get('to') ?? '') : url
  return {
    status: failure.status,
    title: 'Sign in to Daytwo',
    says: isForbidden ? sentencesOf(failure) : errorOf(failure),
    button: { text: `Sign in with ${provider}`, href: signInAddress(to) },
    links: [TOKEN_LINK(to)],
  }
}

/** The error, unless it is only that there are no credentials. */
function errorOf({ message }: FleetError): readonly string[] {
  return message === NO_CREDENTIALS ? [] : [asSentence(message)]
}

/** What failed, and what to do. */
function sentencesOf({ message, hint }: FleetError): readonly string[] {
  return [message, hint].flatMap((text) => (text === undefined ? [] : [asSentence(text)]))
}

/** The message of a request without any credentials: the page need not repeat it. */
export const NO_CREDENTIALS = 'this needs a token'

const TOKEN_LINK = (to: string): PageLink => {
  return { text: 'Use a token', href: `/sign-in?with=token&to=${encodeURIComponent(to)}` }
}

/** Whether the browser shall ask for a token, although there is an identity provider. */
export function asksForToken(url: string): boolean {
  return /^\/sign-in\?(?:.*&)?with=token(?:&|$)/.test(url)
}

function isOfSignIn(url: string): boolean {
  return url.startsWith('/sign-in/')
}

export function unknownAddress(url: string): PlainPage {
  return {
    status: 404,
    title: 'There is no page at this address',
    says: [`Not found: ${url.split('?')[0] ?? ''}. The link may be incomplete, or from another version.`],
    links: [
      { text: 'Now', href: '/' },
      { text: 'Alerts', href: '/alerts' },
      { text: 'Fleet', href: '/fleet' },
    ],
  }
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.)]$/.test(text) ? '' : '.'}`
}

/** A failure as one line of text. */
export function textOf(failure: FleetError): string {
  return failure.hint === undefined ? failure.message : `${failure.message} (${failure.hint})`
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

function htmlOf({ title, says, button, command, links }: PlainPage): string {
  const paragraphs = says.map((sentence) => `<p>${escaped(sentence)}</p>`)
  const ways = links.map(({ text, href }) => `<a href="${escaped(href)}">${escaped(text)}</a>`)
  return htmlDocument(
    title,
    'plain.css',
    `<main>
<p class="brand"><img src="/icon.svg" alt="" width="20" height="20"> Daytwo</p>
<h1>${escaped(title)}</h1>
${paragraphs.join('\n')}${command === undefined ? '' : `\n<pre>${escaped(command)}</pre>`}${button === undefined ? '' : `\n<p><a class="button" href="${escaped(button.href)}">${escaped(button.text)}</a></p>`}
${ways.length === 0 ? '' : `<p class="ways">${ways.join(' ')}</p>`}
</main>`,
  )
}

/** A whole page that the server writes. @param styles the name of a file beside the UI's page @param body as HTML */
export function htmlDocument(title: string, styles: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Daytwo</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/${styles}">
</head>
<body>
${body}
</body>
</html>
`
}

/** A text as HTML, in elements and in attributes with quotation marks. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
