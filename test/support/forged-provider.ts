import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An OpenID provider of which a test decides what it signs: a real one never makes the tokens that must be refused. */
export interface ForgedProvider {
  readonly issuer: string
  /** What the next ID token says, over what is right; `undefined` leaves a claim out. */
  claims: Record<string, unknown>
  /** The header of the next ID token, over `{ alg: 'ES256', kid: 'k1' }`; with `signedBy` another key signs it. */
  header: Record<string, unknown>
  /** What userinfo answers. */
  userinfo: Record<string, unknown>
  /** What the token endpoint answers in place of tokens. */
  refusal: { readonly status: number; readonly body: object } | undefined
  /** Answers nothing any more until it is set back. */
  isDown: boolean
  /** Requests by path. */
  readonly asked: Map<string, number>
  /** The code with which the browser comes back, for what it was sent to ask. */
  authorize(address: string): { readonly search: string }
  close(): Promise<void>
}

const CLIENT_ID = 'daytwo'
const OWN = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const OTHER = generateKeyPairSync('ec', { namedCurve: 'P-256' })

export async function startForgedProvider(): Promise<ForgedProvider> {
  const flows = new Map<string, { readonly nonce: string; readonly challenge: string }>()
  const asked = new Map<string, number>()
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname
    asked.set(path, (asked.get(path) ?? 0) + 1)
    if (provider.isDown) {
      request.socket.destroy()
      return
    }
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      const [status, answer] = answerOf(path, new URLSearchParams(body))
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    })
  })
  const answerOf = (path: string, form: URLSearchParams): readonly [number, object] => {
    const { issuer } = provider
    switch (path) {
      case '/.well-known/openid-configuration':
        return [
          200,
          {
            issuer,
            authorization_endpoint: `${issuer}/auth`,
            token_endpoint: `${issuer}/token`,
            jwks_uri: `${issuer}/jwks`,
            userinfo_endpoint: `${issuer}/me`,
            response_types_supported: ['code'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: ['ES256'],
            code_challenge_methods_supported: ['S256'],
          },
        ]
      case '/jwks':
        return [200, { keys: [{ ...OWN.publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'ES256' }] }]
      case '/me':
        return [200, provider.userinfo]
      case '/token': {
        if (provider.refusal !== undefined) return [provider.refusal.status, provider.refusal.body]
        const flow = flows.get(form.get('code') ?? '')
        const challenge = createHash('sha256')
          .update(form.get('code_verifier') ?? '')
          .digest('base64url')
        if (flow?.challenge !== challenge) return [400, { error: 'invalid_grant' }]
        flows.delete(form.get('code') ?? '')
        return [200, { access_token: 'access', token_type: 'Bearer', expires_in: 60, id_token: idToken(flow.nonce) }]
      }
      default:
        return [404, {}]
    }
  }
  const idToken = (nonce: string): string => {
    const nowSeconds = Math.floor(Date.now() / 1000)
    const right = { iss: provider.issuer, sub: '1', aud: CLIENT_ID, iat: nowSeconds, exp: nowSeconds + 300, nonce }
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { signedBy, ...header } = provider.header
    const content = `${part({ alg: 'ES256', kid: 'k1', ...header })}.${part({ ...right, ...provider.claims })}`
    if (header['alg'] === 'none') return `${content}.`
    const { privateKey: key } = signedBy === undefined ? OWN : OTHER
    return `${content}.${sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
  }
  const provider: ForgedProvider = {
    issuer: '',
    ...{ claims: {}, header: {}, userinfo: {}, refusal: undefined, isDown: false, asked },
    authorize: (address) => {
      const { searchParams } = new URL(address)
      const code = `code-${flows.size}-${Math.random()}`
      const challenge = searchParams.get('code_challenge') ?? ''
      flows.set(code, { nonce: searchParams.get('nonce') ?? '', challenge })
      const back = new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss: provider.issuer })
      return { search: `?${back.toString()}` }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return Object.assign(provider, { issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}
