import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import type { CookieClient, Followed } from './cookie-client.ts'

/** A real OpenID provider on loopback, with pages that take any name and password. */
export interface RealProvider {
  readonly issuer: string
  /** Groups of a person, by the name with which they sign in. */
  readonly groups: Map<string, readonly string[]>
  close(): Promise<void>
}

export const CLIENT_ID = 'daytwo'
/** With a character that has a meaning in the header of Basic auth. */
export const CLIENT_SECRET = 's3cret:with+signs'

/** @param externalUrl of the server at which people sign in */
export async function startRealProvider(externalUrl: string): Promise<RealProvider> {
  const groups = new Map<string, readonly string[]>()
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${externalUrl}/sign-in/callback`],
        post_logout_redirect_uris: [`${externalUrl}/sign-in`],
      },
    ],
    cookies: { keys: ['a test'] },
    claims: { openid: ['sub'], email: ['email'], groups: ['groups'] },
    findAccount: (_ctx: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, groups: groups.get(id) ?? [] }),
    }),
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
  })
  // The provider has to know the address at which it listens.
  server.on('request', provider.callback())
  return {
    issuer,
    groups,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

/**
 * Goes from a page of the server through the pages of the provider as `login`, up to the address at which the provider
 * sends the browser back.
 */
export async function throughProvider(
  client: CookieClient,
  start: string,
  login: string,
  isBack: (next: URL) => boolean,
): Promise<URL> {
  let at = await client.follow(start, isBack)
  // Its pages: who one is, and whether the server may know.
  for (let pages = 0; pages < 3 && at.next === undefined; pages++) at = await submitForm(client, at, login, isBack)
  if (at.next === undefined) throw new Error(`the provider did not send back: ${at.url.href}, ${at.response.status}`)
  return at.next
}

async function submitForm(
  client: CookieClient,
  { response, url }: Followed,
  login: string,
  isBack: (next: URL) => boolean,
): Promise<Followed> {
  const html = await response.text()
  const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1]
  if (action === undefined) throw new Error(`no form at ${url.href}: ${response.status} ${html.slice(0, 500)}`)
  const hidden = [...html.matchAll(/<input[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)]
  const body = new URLSearchParams(hidden.map(([, name, value]): [string, string] => [name!, value!]))
  if (html.includes('name="login"')) {
    body.set('login', login)
    body.set('password', 'any')
  }
  const answer = await client.request(new URL(action, url).href, { method: 'POST', body })
  const location = answer.headers.get('location')
  if (location === null) return { response: answer, url }
  const next = new URL(location, url)
  return isBack(next) ? { response: answer, url, next } : client.follow(next.href, isBack)
}
