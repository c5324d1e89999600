import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { FleetError, messageOf } from '../../base/errors.ts'

/**
 * The texts of requests. Malformed escape sequences and malformed UTF-8 are refused: decoders replace them silently, and
 * the answer would be that of another query.
 */

/** Checks the query string of every request. Install after access control. */
export function checkQueryStrings(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    done(escapeFault(searchOf(request)))
  })
}

/** The query string, which `checkQueryStrings` has checked; still encoded. Node refuses URLs that are not ASCII. */
export function searchOf({ raw: { url = '' } }: FastifyRequest): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

/** What is wrong with the escape sequences of a query string or of a form. */
export function escapeFault(text: string): FleetError | undefined {
  if (!text.includes('%')) return undefined
  const escape = /%(?![0-9A-Fa-f]{2}).{0,2}/su.exec(text)?.[0]
  if (escape !== undefined) return new FleetError('bad_request', `invalid URL escape ${JSON.stringify(escape)}`)
  return isDecodable(text) ? undefined : malformedUtf8()
}

/** @param text not empty */
function isDecodable(text: string): boolean {
  try {
    // The result is used, because the bundler drops a call without a use: it takes this one for one that never throws.
    return decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}

/** The text fields of a `multipart/form-data` body; files are ignored. @param type the content type, which has the boundary */
export async function multipartFields(body: Buffer, type: string): Promise<URLSearchParams> {
  if (!isUtf8(body)) throw malformedUtf8()
  let form: FormData
  try {
    // Deprecated for servers because it holds the body in memory; this body is in memory, and its parser has a limit.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  } catch (thrown) {
    throw new FleetError('bad_request', `multipart/form-data: ${messageOf(thrown)}`)
  }
  const fields = new URLSearchParams()
  for (const [name, value] of form) if (typeof value === 'string') fields.append(name, value)
  return fields
}

/** For parsers of bodies: `read` gets the text of the body. */
export function utf8Body(body: Buffer, done: (fault: Error) => void, read: (text: string) => void): void {
  if (isUtf8(body)) read(body.toString('utf8'))
  else done(malformedUtf8())
}

/** Routes whose scope has no parser of its own accept JSON. */
export function acceptJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    utf8Body(body, done, (text) => {
      void parse(request, text, done)
    })
  })
}

function malformedUtf8(): FleetError {
  return new FleetError('bad_request', 'the request has malformed UTF-8')
}
