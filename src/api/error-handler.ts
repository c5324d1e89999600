import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ERROR_CODES, FleetError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { PrometheusError } from '../contract/prometheus.ts'
import type { OwnError } from '../contract/ui.ts'
import { otlpStatus } from '../ingest/otlp-outcome.ts'
import { legacyErrors } from './jaeger-legacy.ts'
import { v3Error } from './jaeger-v3.ts'
import { OTLP_TYPES, otlpEncodingOf } from './otlp-http.ts'
import { sendPrometheusJson } from './prometheus-json.ts'
import { isAlertmanagerPath } from './route-config.ts'

/**
 * The one mapping from what was thrown to what the client reads. Failures keep their message; a bug says only that
 * there was one, and its stack goes to the log.
 */
export function installErrorHandler(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((thrown, request, reply) => {
    const failure = asFailure(thrown)
    const route = request.routeOptions.url
    logFailure(log, route, thrown, failure)
    return sendFailure(request, reply, failure)
  })
  app.setNotFoundHandler((request, reply) => {
    // A missing asset arrives here with the caching of a found one.
    void reply.code(404).header('cache-control', 'no-store')
    if (!isAlertmanagerPath(request.url)) {
      return reply.type('text/plain; charset=utf-8').send('404 page not found\n')
    }
    const message = `path ${request.url.split('?')[0] ?? ''} was not found`
    return reply.type('application/json').send(Buffer.from(`${JSON.stringify({ code: 404, message })}\n`))
  })
}

/** Says once what a server's keeper should know: bugs with their stack, and what we could not do. */
export function logFailure(log: Log, route: string | undefined, thrown: unknown, failure: FleetError): void {
  if (failure.code === 'internal') log.error({ route, err: thrown }, 'request failed')
  else if (failure.status >= 500) log.warn({ route, code: failure.code, err: failure }, 'request not answered')
}

/** Seconds after which a sender should try again what we could not take for our own reasons. */
export const RETRY_AFTER_SECONDS = 5

function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: FleetError): FastifyReply {
  void reply.code(failure.status)
  if (failure.status === 503) void reply.header('retry-after', RETRY_AFTER_SECONDS)
  if (failure.code === 'unauthenticated') {
    // Both, so that Prometheus' `authorization` and `basic_auth` work, and a browser asks by itself.
    void reply.header('www-authenticate', ['Basic realm="daytwo", charset="UTF-8"', 'Bearer realm="daytwo"'])
  }
  switch (request.routeOptions.config.speaks ?? 'text') {
    case 'prometheus':
      return sendPrometheusJson(reply, JSON.stringify(prometheusError(failure)))
    case 'own':
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(ownError(failure)))
    case 'otlp': {
      // A request of another type has no encoding to be answered in.
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
      return reply.type('text/plain; charset=utf-8').send(`${textOf(failure)}\n`)
  }
}

/** As the Prometheus routes tell it. */
export function prometheusError(failure: FleetError): PrometheusError {
  return { status: 'error', errorType: ERROR_CODES[failure.code].errorType, error: failure.message }
}

function ownError(failure: FleetError): OwnError {
  const { code, message, hint } = failure
  return hint === undefined ? { error: message, code } : { error: message, code, hint }
}

/** A failure as one line of text. */
export function textOf(failure: FleetError): string {
  return failure.hint === undefined ? failure.message : `${failure.message} (${failure.hint})`
}

/** Any thrown value as a failure. Fastify's own refusals are recognised by their status. */
export function asFailure(thrown: unknown): FleetError {
  if (thrown instanceof FleetError) return thrown
  const status = thrown instanceof Error && 'statusCode' in thrown ? thrown.statusCode : undefined
  const message = thrown instanceof Error ? thrown.message : ''
  if (status === 413) return new FleetError('too_large', message)
  if (status === 415) return new FleetError('unsupported_media', message)
  if (typeof status === 'number' && status >= 400 && status < 500) return new FleetError('bad_request', message)
  return new FleetError('internal', 'internal error; the server log has the details', { cause: thrown })
}
