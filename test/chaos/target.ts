/** A server under load, and requests to it. */
export interface Target {
  readonly url: string
  readonly dataPath: string
  /** Of a role that may do everything. */
  readonly token: string
  /** For programs that work on the same data folder. */
  readonly environment: Readonly<Record<string, string>>
  /** Place in the trace of writes; 0 without one. */
  position(): number
}

/** There is no answer, and no server. */
export class ServerGone extends Error {}

/** 429 or 503: the same request may succeed later. */
export class NotNow extends Error {}

export interface Sent {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly json?: unknown
  readonly body?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** The text of a whole answer. Throws `ServerGone`, `NotNow`, and `Error` for every other status than 2xx. */
export async function send(target: Target, path: string, sent: Sent = {}): Promise<string> {
  const { method = sent.json === undefined && sent.body === undefined ? 'GET' : 'POST', json, body, headers } = sent
  const answer = fetch(target.url + path, {
    method,
    headers: {
      authorization: `Bearer ${target.token}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(body === undefined ? {} : { body: new Uint8Array(body) }),
  }).then(async (response) => ({ status: response.status, text: await response.text() }))
  const { status, text } = await answer.catch((cause: unknown) => {
    throw new ServerGone('no answer', { cause })
  })
  if (status === 429 || status === 503) throw new NotNow(`${status} ${text}`)
  if (status < 200 || status > 299) throw new Error(`${method} ${path}: got ${status} ${text.slice(0, 300)}`)
  return text
}

export async function get<T>(target: Target, path: string): Promise<T> {
  return JSON.parse(await send(target, path)) as T
}
