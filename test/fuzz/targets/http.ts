import { makeServer } from '../../api/test-server.ts'
import { createCookies } from '../../../src/api/server/session-cookie.ts'
import { DEFAULT_FARO_OPTIONS } from '../../../src/api/ingest/faro.ts'
import { requestDrawer, type ApiRequest, type OpenApi, type RouteEntry } from '../api-requests.ts'
import { HttpClient, type ApiAnswer } from '../http-client.ts'
import { CLUSTER, ERASED_CLUSTER, startFuzzedServer, type FuzzedServer } from '../http-server.ts'
import { mutated } from '../mutate.ts'
import { querySeeds, tokensOf } from '../queries.ts'
import { simplerBytes, type Target } from '../target.ts'

/** A request, or bytes that may be none. */
type HttpInput = ApiRequest | { readonly raw: Uint8Array }

async function knownRoutes(): Promise<readonly RouteEntry[]> {
  const refuse = () => Promise.reject(new Error('no request is sent to this server'))
  const provider = { name: '', begin: refuse, complete: refuse, signOutAddress: () => undefined }
  const sessions = { find: () => undefined, rotate: refuse, start: refuse, end: refuse }
  const signIn = { provider, sessions, cookies: createCookies(false) }
  const { app } = await makeServer({ faro: DEFAULT_FARO_OPTIONS, signIn })
  const routes = app.routeTable
    .filter(({ isWrongMethod }) => !isWrongMethod)
    .map(({ method, url, access }) => ({ method, url, access }))
  await app.close()
  return routes
}

type Headers = Readonly<Record<string, string>>

async function textsAt(url: string, headers: Headers, pattern: RegExp): Promise<readonly string[]> {
  const body = await (await fetch(url, { headers })).text()
  return [...body.matchAll(pattern)].map(([, text]) => text ?? '')
}

async function drawerFor({ url, credentials }: FuzzedServer) {
  const { headers } = credentials.valid.find(({ role }) => role === 'admin')!
  const queries = querySeeds()
  const document = (await (await fetch(`${url}/api/openapi.json`, { headers })).json()) as OpenApi
  const draw = requestDrawer(await knownRoutes(), document, {
    nowMs: Date.now(),
    cluster: CLUSTER,
    erasedCluster: ERASED_CLUSTER,
    credentials,
    fingerprints: await textsAt(`${url}/api/v2/alerts`, headers, /"fingerprint":"(\w+)"/g),
    silenceIds: await textsAt(`${url}/api/v2/silences`, headers, /"id":"([\w-]+)"/g),
    upgradeIds: await textsAt(`${url}/api/fleet/v1/upgrades`, headers, /"id":"([^"]+)"/g),
    queries,
    dictionary: [...new Set(queries.flatMap(tokensOf))].filter((token) => token.trim() !== ''),
  })
  return draw
}

/** What Prometheus has and Daytwo does not answers as a Prometheus in which it is turned off: with a 500. */
const TURNED_OFF = '/api/v1/admin/tsdb/'

function faultOf(input: HttpInput, answer: ApiAnswer): string | undefined {
  const { status, retryAfter, type, body } = answer
  const path = pathOf(input)
  if (status === 503 && retryAfter === undefined && !body.includes('"timeout"'))
    return 'answers 503 without Retry-After'
  if (status >= 500 && status !== 503 && !path.startsWith(TURNED_OFF)) return `answers ${status}: ${body.slice(0, 300)}`
  if ('path' in input && input.isForbidden && status >= 200 && status < 300) return `answers ${status} without the role`
  if (/node_modules|\/dist\/|\bat \S+ \(.*:\d+:\d+\)/.test(body) && status >= 400) return `shows its inside: ${body}`
  if (body === '' || !type.startsWith('application/json')) return undefined
  try {
    JSON.parse(body)
  } catch {
    return `answers JSON that is none: ${body.slice(0, 300)}`
  }
  return undefined
}

/** Of bytes, what stands where a request has its path. */
function pathOf(input: HttpInput): string {
  return 'path' in input ? input.path : (Buffer.from(input.raw).toString('latin1').split(' ', 2)[1] ?? '')
}

function rawOf({ method, path, headers, body }: ApiRequest): Uint8Array {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: a', ...Object.entries(headers).map((pair) => pair.join(': '))]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n`), body])
}

/** Whether Node sends it as it is; what it refuses to send goes out as bytes. */
function isSendable({ headers }: ApiRequest): boolean {
  return Object.values(headers).every((value) => /^[\t\x20-\x7e]*$/.test(value))
}

const http: Target<HttpInput> = {
  name: 'http',
  claim: 'Every request is answered, none with a 500, and the server lives and logs no bug.',
  inputs: { suite: 512, long: 600_000 },
  batch: 512,
  sessionInputs: 50_000,
  shares: { '2xx': 0.15, '4xx': 0.3 },
  open: async () => {
    const server = await startFuzzedServer()
    const draw = await drawerFor(server)
    const client = new HttpClient(server.url)
    let logged = server.output().length
    return {
      make: (random) => {
        const drawn = draw(random)
        if (!isSendable(drawn)) return { raw: rawOf(drawn) }
        return random(50) === 0 ? { raw: mutated(random, [rawOf(drawn)]) } : drawn
      },
      check: async (inputs) => {
        const answers = await Promise.all(
          inputs.map((input) => ('raw' in input ? client.sendBytes(input.raw) : client.send(input))),
        )
        inputs.forEach((input, i) => {
          const fault = faultOf(input, answers[i]!)
          if (fault !== undefined) throw new Error(fault)
        })
        const log = server.output().slice(logged)
        logged += log.length
        const bug = log.split('\n').find((line) => /"level":[56]0/.test(line))
        if (bug !== undefined) throw new Error(`the server logs ${bug}`)
        return answers.map(({ status }) =>
          status === 0 ? 'closed' : status >= 500 ? String(status) : `${Math.floor(status / 100)}xx`,
        )
      },
      simpler: function* (input) {
        if ('raw' in input) {
          for (const raw of simplerBytes(input.raw)) yield { raw }
          return
        }
        for (const name of Object.keys(input.headers)) {
          const headers = Object.fromEntries(Object.entries(input.headers).filter(([other]) => other !== name))
          yield { ...input, headers }
        }
        const [path = '', search = ''] = input.path.split('?')
        const pairs = search.split('&')
        for (const pair of pairs)
          yield { ...input, path: `${path}?${pairs.filter((other) => other !== pair).join('&')}` }
        for (const body of simplerBytes(input.body)) yield { ...input, body }
      },
      show: (input) =>
        'raw' in input
          ? JSON.stringify(Buffer.from(input.raw).toString('latin1'))
          : JSON.stringify({ ...input, body: Buffer.from(input.body).toString('latin1') }),
      close: async () => {
        client.close()
        await server.close()
      },
    }
  },
}

export const HTTP = [http]
