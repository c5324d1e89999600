import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ERROR_CODES, FleetError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { PrometheusError } from '../../contract/prometheus.ts'
import type { OwnError } from '../../contract/ui.ts'
import { otlpStatus } from '../../ingest/otlp/outcome.ts'
import { legacyErrors } from '../jaeger/legacy.ts'
import { v3Error } from '../jaeger/v3.ts'
import { OTLP_TYPES, otlpEncodingOf } from '../ingest/otlp.ts'
import { sendPrometheusJson } from '../prometheus/prometheus-json.ts'
import { asksForToken, failurePage, sendPlainPage, textOf, unknownAddress, wantsPage } from './plain-page.ts'
import { isAlertmanagerPath } from './route-config.ts'

/**
 * The only mapping from exceptions to error responses. The client gets the message of a failure; of a bug it gets a
 * fixed sentence, and the stack goes to the log.
 * @param provider the name of the identity provider, with which people sign in
 */
export function installErrorHandler(app: FastifyInstance, log: Log, provider?: string): void {
  app.setErrorHandler((thrown, request, reply) => {
    const failure = asFailure(thrown, request.routeOptions.bodyLimit)
    const route = request.routeOptions.url
    logFailure(log, route, thrown, failure)
    return sendFailure(request, reply, failure, provider)
  })
  app.setNotFoundHandler((request, reply) => {
    // A missing asset arrives here with the cache headers of an existing one.
    void reply.code(404).header('cache-control', 'no-store')
    if (!isAlertmanagerPath(request.url)) {
      // Requests below /api come from programs, some of which send a browser's headers.
      if (wantsPage(request) && !request.url.startsWith('/api/')) {
        return sendPlainPage(reply, unknownAddress(request.url))
      }
      return reply.type('text/plain; charset=utf-8').send('404 page not found\n')
    }
    const message = `path ${request.url.split('?')[0] ?? ''} was not found`
    return reply.type('application/json').send(Buffer.from(`${JSON.stringify({ code: 404, message })}\n`))
  })
}

/** Logs what an administrator should know: bugs with their stack, and server failures. @param log of requests */
export function logFailure(log: Log, route: string | undefined, thrown: unknown, failure: FleetError): void {
  if (failure.code === 'internal') log.error({ route, err: thrown }, 'request failed')
  else if (failure.status >= 500) {
    log.warn({ route, code: failure.code, error: textOf(failure) }, 'request not answered')
  }
}

/** After which a client should retry a request that failed with 429 or 503. */
export const RETRY_AFTER_SECONDS = 5

/** Whether a response with this status has a `Retry-After`. */
export function hasRetryAfter(status: number): boolean {
  return status === 429 || status === 503
}

function sendFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  failure: FleetError,
  provider: string | undefined,
): FastifyReply {
  void reply.code(failure.status)
  if (hasRetryAfter(failure.status)) void reply.header('retry-after', RETRY_AFTER_SECONDS)
  if (failure.code === 'unauthenticated') {
    // Both, so that Prometheus' `authorization` and `basic_auth` work, and a browser prompts for the password.
    const bearer = 'Bearer realm="daytwo"'
    const basic = 'Basic realm="daytwo", charset="UTF-8"'
    // Where people sign in, the page asks them, and not the browser's dialog.
    const isAskedByPage = provider !== undefined && wantsPage(request) && !asksForToken(request.url)
    void reply.header('www-authenticate', isOfScript(request) || isAskedByPage ? bearer : [basic, bearer])
  }
  switch (request.routeOptions.config.dialect ?? 'text') {
    case 'prometheus':
      return sendPrometheusJson(reply, JSON.stringify(prometheusError(failure)))
    case 'own':
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(ownError(failure)))
    case 'otlp': {
      // For a request of another content type, no encoding of the response is known.
      const encoding = otlpEncodingOf(request.headers['content-type'])
      if (encoding === undefined) return reply.type('text/plain; charset=utf-8').send(`${textOf(failure)}\n`)
      void reply.type(OTLP_TYPES[encoding])
      return reply.send(Buffer.from(otlpStatus(failure.status, textOf(failure), encoding)))
    }
    case 'alertmanager': {
      const { status: code } = failure
      return reply.type('application/json').send(Buffer.from(`${JSON.stringify({ code, message: textOf(failure) })}\n`))
    }
    case 'jaeger': {
      const body = legacyErrors([{ code: failure.status, msg: textOf(failure) }])
      return reply.type('application/json').send(Buffer.from(body))
    }
    case 'jaeger_v3':
      return reply.type('application/json').send(Buffer.from(v3Error(failure.status, textOf(failure))))
    case 'text':
      if (wantsPage(request)) return sendPlainPage(reply, failurePage(request.url, failure, provider))
      return reply.type('text/plain; charset=utf-8').send(`${textOf(failure)}\n`)
  }
}

/**
 * Whether a page's script sent the request. A challenge would make the browser open its password dialog over the page
 * at each poll; the page itself reports the missing access and links to `/sign-in`.
 */
function isOfScript({ headers }: FastifyRequest): boolean {
  const mode = headers['sec-fetch-mode']
  // Browsers send `sec-fetch-mode` only to https and to this machine.
  return (mode !== undefined && mode !== 'navigate') || headers['x-requested-with'] === 'daytwo'
}

/** The error format of the Prometheus routes. */
function prometheusError(failure: FleetError): PrometheusError {
  return { status: 'error', errorType: ERROR_CODES[failure.code].errorType, error: failure.message }
}

function ownError(failure: FleetError): OwnError {
  const { code, message, hint } = failure
  return hint === undefined ? { error: message, code } : { error: message, code, hint }
}

/** Fastify's, which does not name the limit. */
const TOO_LARGE = 'Request body is too large'

/** Any exception as a failure. Fastify's own refusals are recognised by their status. @param bodyBytesMax of the route */
export function asFailure(thrown: unknown, bodyBytesMax?: number): FleetError {
  if (thrown instanceof FleetError) return thrown
  const status = thrown instanceof Error && 'statusCode' in thrown ? thrown.statusCode : undefined
  const message = thrown instanceof Error ? thrown.message : ''
  if (status === 413) {
    const isOfRoute = bodyBytesMax !== undefined && message === TOO_LARGE
    return new FleetError(
      'too_large',
      isOfRoute ? `request body: got more than ${bodyBytesMax} bytes, want at most as many` : message,
    )
  }
  if (status === 415) return new FleetError('unsupported_media', message)
  if (typeof status === 'number' && status >= 400 && status < 500) return new FleetError('bad_request', message)
  return new FleetError('internal', 'internal error; the server log has the details', { cause: thrown })
}
