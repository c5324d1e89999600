import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize, resolve } from 'node:path'
import type { AlertItems } from '../../../src/contract/alerts.ts'
import type { Now } from '../../../src/contract/now.ts'
import type { BoundRunbook } from '../../../src/contract/runbooks.ts'
import type { UiSettings } from '../../../src/contract/ui.ts'
import { alertItems, boundRunbook, now, queryAnswer, rangeAnswer, RUNBOOKS, SETTINGS } from './fixtures.ts'

/**
 * Serves the built UI with answers that a test chooses, under the content security policy a real server has.
 * It stands where the API will; what the API itself answers is tested with the API.
 */
export interface FixtureServer {
  readonly origin: string
  /** What to answer; a test replaces parts. */
  readonly answers: Answers
  /** Paths of the API that were asked for, in order. */
  readonly asked: readonly string[]
  readonly close: () => Promise<void>
}

/** An answer, or what stands for a fault: a status with a body, or no answer ever. */
export type Answer<T> = T | { readonly status: number; readonly body: unknown } | 'hang' | 'drop'

export interface Answers {
  now: () => Answer<Now>
  alerts: () => Answer<AlertItems>
  runbook: (name: string, instance: string | null) => Answer<BoundRunbook>
  query: (expr: string) => unknown
  settings: () => Answer<UiSettings>
}

export function usualAnswers(): Answers {
  return {
    now: () => now(Date.now()),
    alerts: () => alertItems(Date.now()),
    runbook: (name, instance) => boundRunbook(Date.now(), name, instance === null ? 0 : 4, instance !== null),
    query: (expr) => queryAnswer(expr, Date.now()),
    settings: () => SETTINGS,
  }
}

const WEB_ROOT = resolve(import.meta.dirname, '../../../dist/web')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

export const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

export async function startFixtureServer(): Promise<FixtureServer> {
  const answers = usualAnswers()
  const asked: string[] = []
  const server = createServer((request, response) => {
    handle(request, response, answers, asked).catch((thrown: unknown) => {
      response.statusCode = 500
      response.end(String(thrown))
    })
  })
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done)
  })
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    answers,
    asked,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(() => {
          done()
        })
      }),
  }
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  answers: Answers,
  asked: string[],
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  if (url.pathname === '/collect') {
    response.statusCode = 202
    response.end('ok')
    return
  }
  if (!url.pathname.startsWith('/api/')) {
    await serveFile(url.pathname, response)
    return
  }
  asked.push(`${url.pathname}${url.search}`)
  const answer = answerTo(url, answers)
  if (answer === 'hang') return
  if (answer === 'drop') {
    response.destroy()
    return
  }
  const isFault = typeof answer === 'object' && answer !== null && 'status' in answer && 'body' in answer
  response.statusCode = isFault ? Number(answer.status) : 200
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(isFault ? answer.body : answer))
}

function answerTo(url: URL, answers: Answers): unknown {
  const { pathname, searchParams } = url
  if (pathname === '/api/fleet/v1/now') return answers.now()
  if (pathname === '/api/fleet/v1/alerts') return answers.alerts()
  if (pathname === '/api/ui/v1/settings') return answers.settings()
  if (pathname === '/api/runbooks/v1/pages') return RUNBOOKS
  if (pathname.startsWith('/api/runbooks/v1/pages/')) {
    return answers.runbook(decodeURIComponent(pathname.split('/').at(-1)!), searchParams.get('instance'))
  }
  if (pathname === '/api/v1/query') return answers.query(searchParams.get('query') ?? '')
  if (pathname === '/api/v1/query_range') {
    const at = (name: string): number => Number(searchParams.get(name))
    return rangeAnswer(at('start'), at('end'), at('step'))
  }
  return { status: 404, body: { error: `no route ${pathname}`, code: 'not_found' } }
}

async function serveFile(pathname: string, response: ServerResponse): Promise<void> {
  const wanted = normalize(
    join(WEB_ROOT, extname(pathname) === '' || pathname.startsWith('/rb/') ? 'index.html' : pathname),
  )
  const body = wanted.startsWith(WEB_ROOT) ? await readFile(wanted).catch(() => undefined) : undefined
  response.statusCode = body === undefined ? 404 : 200
  response.setHeader('content-type', TYPES[extname(wanted)] ?? 'application/octet-stream')
  response.setHeader('content-security-policy', CONTENT_SECURITY_POLICY)
  response.setHeader('cache-control', pathname.startsWith('/assets/') ? 'max-age=31536000, immutable' : 'no-cache')
  response.end(body ?? 'not found')
}
