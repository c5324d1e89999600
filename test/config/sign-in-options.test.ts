import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { configTexts, readConfig } from '../../src/config/config.ts'
import {
  certificateFilesOf,
  identityProviderOptionsOf,
  trustedProxyOptionsOf,
} from '../../src/config/sign-in-options.ts'
import { formatSelector } from '../../src/model/cluster-scope.ts'
import { tempDir } from '../support/temp-dir.ts'

const folder = tempDir('sign-in-options')
afterAll(() => {
  folder.remove()
})

const configOf = (options: Record<string, string>) => readConfig(new Map(Object.entries(options)), undefined, {})

const PROVIDER = {
  'external.url': 'https://daytwo.example',
  'oidc.issuer': 'https://id.example/realms/sre/',
  'oidc.client-id': 'daytwo',
  'auth.roles': '*=viewer',
}

test('the address of the issuer stays as it is written, with its slash', () => {
  expect(identityProviderOptionsOf(configOf(PROVIDER))).toMatchObject({
    issuer: 'https://id.example/realms/sre/',
    externalUrl: 'https://daytwo.example',
    scopes: ['openid', 'profile', 'email'],
  })
  expect(identityProviderOptionsOf(configOf({}))).toBeUndefined()
})

test.each([
  [{ 'oidc.client-id': '' }, 'option oidc.client-id: got nothing'],
  [{ 'auth.roles': '' }, 'option auth.roles: got nothing'],
  [{ 'oidc.issuer': 'http://id.example' }, 'option oidc.issuer: got http://id.example, want https'],
  [{ 'external.url': 'http://daytwo.example' }, 'option external.url: got http://daytwo.example, want https'],
])('a provider with %j is refused', (wrong, message) => {
  expect(() => identityProviderOptionsOf(configOf({ ...PROVIDER, ...wrong }))).toThrow(message)
})

test.each(['127.0.0.1:8080', '[::1]:8080', 'localhost:8080'])('on loopback (%s) http does', (host) => {
  const local = { ...PROVIDER, 'external.url': `http://${host}`, 'oidc.issuer': `http://${host}` }
  expect(identityProviderOptionsOf(configOf(local))?.issuer).toBe(`http://${host}`)
})

test('a proxy is known by its addresses, by a secret, or by both', () => {
  const secret = join(folder.path, 'secret')
  writeFileSync(secret, ' s3cret\n')
  const roles = { 'auth.roles': 'sre=responder' }
  const addresses = { 'auth.proxy-addresses': '10.0.0.0/8, ::1', 'auth.proxy-user-header': 'Remote-User' }
  expect(trustedProxyOptionsOf(configOf(roles))).toBeUndefined()
  expect(trustedProxyOptionsOf(configOf({ ...roles, ...addresses }))).toMatchObject({
    addresses: ['10.0.0.0/8', '::1'],
    userHeader: 'remote-user',
  })
  const withSecret = trustedProxyOptionsOf(configOf({ ...roles, 'auth.proxy-secret-file': secret }))
  expect(withSecret).toMatchObject({ addresses: [], secret: 's3cret' })
  // An empty secret would be everybody's.
  writeFileSync(secret, '\n')
  expect(() => trustedProxyOptionsOf(configOf({ ...roles, 'auth.proxy-secret-file': secret }))).toThrow('is empty')
  expect(() => trustedProxyOptionsOf(configOf(addresses))).toThrow('option auth.roles')
})

test('a certificate has a key, and clients have theirs only over TLS', () => {
  expect(certificateFilesOf(configOf({}))).toBeUndefined()
  expect(certificateFilesOf(configOf({ 'tls.cert': 'c', 'tls.key': 'k', 'tls.client-ca': 'a' }))).toEqual({
    cert: 'c',
    key: 'k',
    clientCa: 'a',
  })
  expect(() => certificateFilesOf(configOf({ 'tls.key': 'k' }))).toThrow('option tls.cert')
  expect(() => certificateFilesOf(configOf({ 'tls.client-ca': 'a' }))).toThrow('option tls.cert')
  expect(() => certificateFilesOf(configOf({ 'tls.client-auth': 'required' }))).toThrow('option tls.client-ca')
  expect(configOf({ 'tls.cert': 'c', 'tls.key': 'k' })['external.url']).toBe('https://127.0.0.1:4318')
})

test.each([
  ['admins=admin,sre=responder,*=viewer', ['admins admin', 'sre responder', '* viewer']],
  ['cn=sre\\,ou=people=responder', ['cn=sre,ou=people responder']],
  [' sre = viewer , ', ['sre viewer']],
])('the roles %s are %j, and are shown as they are read', (text, roles) => {
  const config = configOf({ 'auth.roles': text })
  expect(config['auth.roles'].map(({ group, role }) => `${group} ${role}`)).toEqual(roles)
  expect(configOf({ 'auth.roles': configTexts(config)['auth.roles'] })['auth.roles']).toEqual(config['auth.roles'])
})

test.each([
  ['eu=responder@region=eu', [['eu', 'responder', 'region=eu']]],
  [
    ' eu = viewer @ region = eu & cluster = prod-* , x=admin',
    [
      ['eu', 'viewer', 'region=eu&cluster=prod-*'],
      ['x', 'admin', ''],
    ],
  ],
  // A cluster called as a role gives no role.
  ['sre=viewer@cluster=admin', [['sre', 'viewer', 'cluster=admin']]],
  ['ada@example.com=viewer@cluster=x', [['ada@example.com', 'viewer', 'cluster=x']]],
  ['cn=sre=viewer@cluster=x', [['cn=sre', 'viewer', 'cluster=x']]],
])('the roles %s are over these clusters, and are shown as they are read', (text, roles) => {
  const config = configOf({ 'auth.roles': text })
  expect(
    config['auth.roles'].map(({ group, role, clusters }) => [group, role, formatSelector(clusters ?? [])]),
  ).toEqual(roles)
  expect(configOf({ 'auth.roles': configTexts(config)['auth.roles'] })['auth.roles']).toEqual(config['auth.roles'])
})

test.each([
  [{ 'auth.roles': 'sre=boss' }, 'want groups with their role (viewer, responder, admin)'],
  [{ 'auth.roles': 'sre=ingest' }, 'want groups with their role'],
  [{ 'auth.roles': 'sre' }, 'want groups with their role'],
  [{ 'auth.roles': '=admin' }, 'want groups with their role'],
  [{ 'auth.roles': 'sre=viewer@' }, 'want after @ conditions KEY=PATTERN joined by &'],
  [{ 'auth.roles': 'sre=viewer@eu' }, 'got "sre=viewer@eu"'],
  [{ 'auth.roles': 'sre=viewer@zone=1' }, 'KEY is one of cluster, region, provider'],
  [{ 'auth.proxy-addresses': '10.0.0.0/40' }, 'want addresses or networks'],
  [{ 'tls.client-names': 'ou:*' }, 'want names such as cn:*'],
  [{ 'oidc.issuer': 'id.example' }, 'want an address that starts with'],
])('%j is refused', (options, message) => {
  expect(() => configOf(options)).toThrow(message)
})
