/** Derives the options of TLS and of sign-in from the configuration. What belongs together is checked here. */
import { readFileSync } from 'node:fs'
import { FleetError, messageOf } from '../base/errors.ts'
import type { Config } from './config.ts'
import { isLoopback } from './folder-options.ts'

/** The files of the certificate; `undefined`: plain http. */
export function certificateFilesOf(config: Config) {
  const { 'tls.cert': cert, 'tls.key': key, 'tls.client-ca': clientCa } = config
  if ((cert === '') !== (key === '')) throw missing(cert === '' ? 'tls.cert' : 'tls.key', 'the other one is set')
  if (cert === '') {
    if (clientCa !== '') throw missing('tls.cert', 'tls.client-ca is set, and clients send certificates only over TLS')
    if (config['tls.client-auth'] === 'required') throw missing('tls.client-ca', 'tls.client-auth is required')
    return undefined
  }
  if (clientCa === '' && config['tls.client-auth'] === 'required') {
    throw missing('tls.client-ca', 'tls.client-auth is required')
  }
  return { cert, key, ...(clientCa === '' ? {} : { clientCa }) }
}

/** The OpenID Connect provider; `undefined`: people have tokens. */
export function identityProviderOptionsOf(config: Config) {
  const { 'oidc.issuer': issuer, 'oidc.client-id': clientId, 'external.url': externalUrl } = config
  if (issuer === '') return undefined
  if (clientId === '') throw missing('oidc.client-id', 'oidc.issuer is set')
  checkRoles(config, 'oidc.issuer')
  for (const [option, address] of [
    ['oidc.issuer', issuer],
    ['external.url', externalUrl],
  ] as const) {
    const { protocol, hostname } = new URL(address)
    if (protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''))) continue
    throw new FleetError('config_invalid', `option ${option}: got ${address}, want https: people sign in over it`)
  }
  const secretFile = config['oidc.client-secret-file']
  return {
    ...{ name: config['oidc.name'], issuer, clientId, externalUrl, roles: config['auth.roles'] },
    ...{
      nameClaim: config['oidc.name-claim'],
      groupsClaim: config['oidc.groups-claim'],
      scopes: config['oidc.scopes'],
    },
    ...(secretFile === '' ? {} : { clientSecretFile: secretFile }),
  }
}

/** The proxy whose headers name people; `undefined`: nobody's do. */
export function trustedProxyOptionsOf(config: Config) {
  const { 'auth.proxy-addresses': addresses, 'auth.proxy-secret-file': secretFile } = config
  if (addresses.length === 0 && secretFile === '') return undefined
  checkRoles(config, 'a proxy')
  return {
    addresses,
    roles: config['auth.roles'],
    userHeader: config['auth.proxy-user-header'].toLowerCase(),
    groupsHeader: config['auth.proxy-groups-header'].toLowerCase(),
    ...(secretFile === '' ? {} : { secret: secretOf(secretFile) }),
  }
}

function checkRoles(config: Config, what: string): void {
  if (config['auth.roles'].length === 0) throw missing('auth.roles', `${what} is set, but no user would have a role`)
}

function secretOf(path: string): string {
  try {
    const secret = readFileSync(path, 'utf8').trim()
    if (secret !== '') return secret
  } catch (thrown) {
    throw new FleetError('config_invalid', `option auth.proxy-secret-file: cannot read ${path}: ${messageOf(thrown)}`)
  }
  throw new FleetError('config_invalid', `option auth.proxy-secret-file: ${path} is empty, want a secret`)
}

function missing(option: string, why: string): FleetError {
  return new FleetError('config_invalid', `option ${option}: got nothing, want a value: ${why}`)
}
