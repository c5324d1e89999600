/** A client of the HTTP API of a running Daytwo or Prometheus. */
import { unexpected } from './arguments.ts'
import { readFileSync } from 'node:fs'
import { FleetError, messageOf } from '../base/errors.ts'
import type { OwnError } from '../contract/ui.ts'

export interface Server {
  /** Base URL without user, password and trailing slash. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** A successful response. */
export interface Answered<T> {
  readonly data: T
  /** Annotations: `warning: ...`, `info: ...`. */
  readonly notes: readonly string[]
}

/** The default address of a server. */
export const DEFAULT_SERVER = 'http://127.0.0.1:4318'

/** A failed request; `message` is in promtool's format. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

/**
 * Parses an address. The token is from `--token`, from the file of `--token-file`, or with a user from the address
 * itself. Throws FleetError `config_invalid`.
 */
export function serverOf(address: string, options: ReadonlyMap<string, string>): Server {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw unexpected('server', address, 'an address that starts with http:// or https://')
  }
  const { username, password, origin, pathname } = new URL(address)
  const url = `${origin}${pathname.replace(/\/+$/, '')}`
  const token = options.get('token') ?? tokenFrom(options.get('token-file'))
  if (token !== undefined) return { url, headers: { authorization: `Bearer ${token}` } }
  if (username === '' && password === '') return { url, headers: {} }
  const pair = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  return { url, headers: { authorization: `Basic ${pair}` } }
}

function tokenFrom(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (thrown) {
    throw new FleetError('config_invalid', `cannot read the token from ${path}: ${messageOf(thrown)}`, {
      cause: thrown,
    })
  }
}

/** The response as text, with its status. Throws `NoAnswer` without a response. */
export async function requestText(
  server: Server,
  path: string,
): Promise<{ readonly isOk: boolean; readonly text: string }> {
  const response = await send(server, path, { headers: server.headers })
  return { isOk: response.ok, text: await response.text() }
}

/** Sends a form, because expressions may be long. Throws `NoAnswer` unless it succeeds. */
export function postForm<T>(server: Server, path: string, params: URLSearchParams): Promise<Answered<T>> {
  return ask(server, path, { method: 'POST', headers: server.headers, body: params })
}

export function getData<T>(server: Server, path: string, params: URLSearchParams): Promise<Answered<T>> {
  return ask(server, `${path}?${params.toString()}`, { headers: server.headers })
}

/** Requests one of Daytwo's own routes. Throws `NoAnswer` with the server's error message. */
export async function requestOwn<T>(
  server: Server,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
): Promise<T> {
  const sent =
    body === undefined
      ? { headers: server.headers }
      : { headers: { ...server.headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await send(server, path, { method, ...sent })
  const text = await response.text()
  if (response.ok) return JSON.parse(text) as T
  throw new NoAnswer(ownErrorIn(text) ?? `server_error: server error: ${response.status}`)
}

/** A file of one of Daytwo's own routes, with the name that the server gives it. Throws `NoAnswer` as `requestOwn` does. */
export async function requestFile(
  server: Server,
  path: string,
): Promise<{ readonly bytes: Uint8Array; readonly fileName: string }> {
  const response = await send(server, path, { headers: server.headers })
  if (!response.ok) {
    throw new NoAnswer(ownErrorIn(await response.text()) ?? `server_error: server error: ${response.status}`)
  }
  // Only letters, digits and hyphens: a name of a server must not lead to another folder.
  const [, name] =
    /filename="([\w-]{1,100}(?:\.[\w-]{1,10})?)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
  try {
    return { bytes: new Uint8Array(await response.arrayBuffer()), fileName: name ?? 'daytwo-bundle.zip' }
  } catch (thrown) {
    throw new NoAnswer(`the response of ${server.url} ended early: ${messageOf(thrown)}`)
  }
}

function ownErrorIn(text: string): string | undefined {
  try {
    const { error, hint } = JSON.parse(text) as Partial<OwnError>
    return error === undefined ? undefined : `${error}${hint === undefined ? '' : ` (${hint})`}`
  } catch {
    return undefined
  }
}

async function ask<T>(server: Server, path: string, init: RequestInit): Promise<Answered<T>> {
  const response = await send(server, path, init)
  const text = await response.text()
  let answer: Envelope
  try {
    answer = JSON.parse(text) as Envelope
  } catch {
    throw new NoAnswer(`server_error: server error: ${response.status} ${text.trim().split('\n')[0] ?? ''}`.trimEnd())
  }
  if (answer.status !== 'success') throw new NoAnswer(`${answer.errorType ?? 'server_error'}: ${answer.error ?? text}`)
  const { warnings = [], infos = [] } = answer
  return {
    data: answer.data as T,
    notes: [...warnings.map((note) => `warning: ${note}`), ...infos.map((note) => `info: ${note}`)],
  }
}

interface Envelope {
  readonly status?: string
  readonly data?: unknown
  readonly errorType?: string
  readonly error?: string
  readonly warnings?: readonly string[]
  readonly infos?: readonly string[]
}

async function send({ url }: Server, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`${url}${path}`, init)
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown
    throw new NoAnswer(`cannot reach ${url}: ${messageOf(cause)}`)
  }
}
