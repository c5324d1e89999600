import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import type { TrustedProxyOptions } from '../../../src/api/server/trusted-proxy.ts'
import { isNetwork } from '../../../src/model/network.ts'
import { makeServer, type TestServer } from '../test-server.ts'

/** Listening servers by their options. */
const apps = new Map<string, TestServer['app']>()
afterAll(async () => {
  for (const app of apps.values()) await app.close()
})

async function serverWith(options: Partial<TrustedProxyOptions>): Promise<TestServer['app']> {
  const key = JSON.stringify(options)
  const running = apps.get(key)
  if (running !== undefined) return running
  const authenticate = (token: string) =>
    Promise.resolve(token === 'tv' ? { role: 'viewer' as const, name: 'tv' } : undefined)
  const { app } = await makeServer({ requiresToken: true, proxy: { ...OPTIONS, ...options }, authenticate })
  apps.set(key, app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}

const OPTIONS: TrustedProxyOptions = {
  userHeader: 'x-forwarded-user',
  groupsHeader: 'x-forwarded-groups',
  addresses: ['127.0.0.1'],
  roles: [
    { group: 'admins', role: 'admin' },
    { group: 'sre', role: 'responder' },
  ],
}

/** Who the server takes the sender for: `name role`, or the status of the refusal. */
async function whoIs(
  options: Partial<TrustedProxyOptions>,
  headers: Readonly<Record<string, string | readonly string[]>>,
): Promise<string | number> {
  const { port } = (await serverWith(options)).server.address() as AddressInfo
  // Not `fetch`: headers that are there twice are the point.
  const [status, body] = await new Promise<[number, string]>((resolve, reject) => {
    const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().flatMap((one) => [name, one]))
    const sent = httpRequest(
      { host: '127.0.0.1', port, path: '/api/ui/v1/settings', headers: ['host', '127.0.0.1', ...lines] },
      (answer) => {
        let text = ''
        answer.on('data', (part: Buffer) => (text += part.toString()))
        answer.on('end', () => {
          resolve([answer.statusCode ?? 0, text])
        })
      },
    )
    sent.on('error', reject)
    sent.end()
  })
  if (status !== 200) return status
  const { signedIn } = JSON.parse(body) as { signedIn: { name: string; role: string } }
  return `${signedIn.name} ${signedIn.role}`
}

const ADA = { 'x-forwarded-user': 'ada', 'x-forwarded-groups': 'guests, sre' }

describe('the headers of a proxy', () => {
  test.each([
    ['name a person with the role of their groups', {}, ADA, 'ada responder'],
    ['are read whatever their case', {}, { 'X-Forwarded-User': 'ada', 'X-FORWARDED-GROUPS': 'admins' }, 'ada admin'],
    [
      'of another name are configured',
      { userHeader: 'remote-user' },
      { 'remote-user': 'bob', 'x-forwarded-groups': 'sre' },
      'bob responder',
    ],
    ['of a network count', { addresses: ['10.0.0.0/8', '127.0.0.0/8'] }, ADA, 'ada responder'],
    ['of another address do not', { addresses: ['10.0.0.0/8', '::1'] }, ADA, 401],
    [
      'without a group that has a role let nobody in',
      {},
      { 'x-forwarded-user': 'ada', 'x-forwarded-groups': 'guests' },
      401,
    ],
    ['without groups let nobody in', {}, { 'x-forwarded-user': 'ada' }, 401],
    ['without a name let nobody in', {}, { 'x-forwarded-user': ' ', 'x-forwarded-groups': 'sre' }, 401],
    ['without a user let nobody in', {}, { 'x-forwarded-groups': 'sre' }, 401],
    ['that a client could have added to let nobody in', {}, { ...ADA, 'x-forwarded-user': ['mallory', 'ada'] }, 401],
    [
      'with groups that a client could have added let nobody in',
      {},
      { ...ADA, 'x-forwarded-groups': ['admins', 'sre'] },
      401,
    ],
    ['leave a token its role', {}, { authorization: 'Bearer tv' }, 'tv viewer'],
    ['do not count beside a Bearer token', {}, { ...ADA, authorization: 'Bearer tv' }, 'tv viewer'],
    ['do not count beside an unknown one either', {}, { ...ADA, authorization: 'Bearer x' }, 401],
  ])('%s', async (_what, options, headers, who) => {
    expect(await whoIs(options, headers)).toBe(who)
  })

  test.each([
    ['with the secret', { addresses: [], secret: 's3' }, 's3', 'ada responder'],
    ['with another secret', { addresses: [], secret: 's3' }, 's4', 401],
    ['without a secret', { addresses: [], secret: 's3' }, undefined, 401],
    ['with the secret from another address', { addresses: ['10.0.0.1'], secret: 's3' }, 's3', 401],
    ['with another secret from the address', { secret: 's3' }, 's4', 401],
    ['with both', { secret: 's3' }, 's3', 'ada responder'],
  ])('%s', async (_what, options, secret, who) => {
    const headers = secret === undefined ? ADA : { ...ADA, 'x-daytwo-proxy-secret': secret }
    expect(await whoIs(options, headers)).toBe(who)
  })
})

test('headers that are not of the proxy are removed, and nobody reads them later', async () => {
  const { createProxyReader } = await import('../../../src/api/server/trusted-proxy.ts')
  const headers: Record<string, string | undefined> = { ...ADA }
  const request = { headers, headersDistinct: {}, socket: { remoteAddress: '10.0.0.9' } }
  expect(createProxyReader(OPTIONS)(request as never)).toBeUndefined()
  expect(headers).toEqual({ 'x-forwarded-user': undefined, 'x-forwarded-groups': undefined })
})

test.each([
  ['::ffff:10.1.2.3', '10.1.0.0/16', true],
  ['10.2.2.3', '10.1.0.0/16', false],
  ['fd00::7', 'fd00::/8', true],
  ['::1', '127.0.0.1', false],
  [undefined, '0.0.0.0/0', false],
])('a sender at %s is of %s: %s', async (remoteAddress, network, isOfProxy) => {
  const { createProxyReader } = await import('../../../src/api/server/trusted-proxy.ts')
  const distinct = Object.fromEntries(Object.entries(ADA).map(([name, value]) => [name, [value]]))
  const request = { headers: { ...ADA }, headersDistinct: distinct, socket: { remoteAddress } }
  const found = createProxyReader({ ...OPTIONS, addresses: [network] })(request as never)
  expect(found?.name).toBe(isOfProxy ? 'ada' : undefined)
})

test.each([
  ['10.0.0.1', true],
  ['10.0.0.0/8', true],
  ['fd00::/128', true],
  ['10.0.0.0/33', false],
  ['fd00::/129', false],
  ['10.0.0.0/8/8', false],
  ['10.0.0.0/', false],
  ['10.0.0', false],
  ['proxy.example', false],
])('%s is a network: %s', (text, is) => {
  expect(isNetwork(text)).toBe(is)
})

test('the groups give roles over clusters', async () => {
  const { createProxyReader } = await import('../../../src/api/server/trusted-proxy.ts')
  const clusters = [{ key: 'region', pattern: 'eu' }] as const
  const read = createProxyReader({ ...OPTIONS, roles: [{ group: 'eu', role: 'responder', clusters }] })
  const headers = { 'x-forwarded-user': 'ada', 'x-forwarded-groups': 'chess, eu' }
  const headersDistinct = { 'x-forwarded-user': ['ada'], 'x-forwarded-groups': ['chess, eu'] }
  const request = { headers, headersDistinct, socket: { remoteAddress: '127.0.0.1' } }
  const scopes = [{ role: 'responder', clusters: [clusters] }]
  expect(read(request as never)).toEqual({ role: 'responder', name: 'ada', via: 'proxy', scopes })
})
