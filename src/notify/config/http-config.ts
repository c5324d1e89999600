/** `http_config` of a receiver: how to authenticate, whom to trust. Prometheus' common form, without proxies and OAuth. */
import { X509Certificate, createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { messageOf } from '../../base/errors.ts'
import {
  atMostOne,
  filePath,
  flag,
  record,
  scalar,
  secret,
  secretFile,
  secretOf,
  text,
  type Kind,
  type Reading,
} from './fields.ts'
import type { Secret } from './secret.ts'
import type { Range } from '../../yaml/yaml-reader.ts'

export interface HttpConfig {
  readonly basicAuth?: { readonly username: Secret; readonly password?: Secret }
  /** The scheme, such as `Bearer`, and what follows it. */
  readonly authorization?: { readonly type: string; readonly credentials?: Secret }
  readonly tls: TlsConfig
  readonly followsRedirects: boolean
}

/** Certificates as PEM: texts, or files that are read at each connection. */
export interface TlsConfig {
  readonly ca?: Secret
  readonly cert?: Secret
  readonly key?: Secret
  readonly serverName?: string
  readonly isInsecure: boolean
  readonly minVersion?: TlsVersion
  readonly maxVersion?: TlsVersion
}

export type TlsVersion = 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'

export const HTTP_DEFAULTS: HttpConfig = { tls: { isInsecure: false }, followsRedirects: true }

const TLS_VERSIONS: Readonly<Record<string, TlsVersion>> = {
  TLS10: 'TLSv1',
  TLS11: 'TLSv1.1',
  TLS12: 'TLSv1.2',
  TLS13: 'TLSv1.3',
}

const tlsVersion: Kind<TlsVersion> = scalar((raw) => {
  const value = TLS_VERSIONS[raw]
  return value === undefined ? { wanted: `one of ${Object.keys(TLS_VERSIONS).join(', ')}` } : { value }
})

export const tlsConfig: Kind<TlsConfig> = record(
  {
    ca: text,
    ca_file: filePath,
    cert: text,
    cert_file: filePath,
    key: secret,
    key_file: secretFile,
    server_name: text,
    insecure_skip_verify: flag,
    min_version: tlsVersion,
    max_version: tlsVersion,
  },
  (read, reading, what) => {
    const { values, at } = read
    atMostOne(read, reading, ['ca', 'ca_file'])
    atMostOne(read, reading, ['cert', 'cert_file'])
    const hasCert = values.cert !== undefined || values.cert_file !== undefined
    const key = secretOf(read, reading, 'key')
    if (hasCert !== (key !== undefined)) {
      const [written, missing] = hasCert ? (['cert', 'key'] as const) : (['key', 'cert'] as const)
      const where = values[written] === undefined ? at(`${written}_file`) : at(written)
      reading.reader.error(
        where,
        `${what} has a ${written} and no ${missing}; both are needed for a client certificate`,
      )
    }
    const ca = pem(values.ca, values.ca_file)
    const cert = pem(values.cert, values.cert_file)
    checkPem(reading, ca, 'certificate', values.ca === undefined ? at('ca_file') : at('ca'))
    checkPem(reading, cert, 'certificate', values.cert === undefined ? at('cert_file') : at('cert'))
    checkPem(reading, key, 'key', values.key === undefined ? at('key_file') : at('key'))
    return {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(values.server_name === undefined ? {} : { serverName: values.server_name }),
      isInsecure: values.insecure_skip_verify ?? false,
      ...(values.min_version === undefined ? {} : { minVersion: values.min_version }),
      ...(values.max_version === undefined ? {} : { maxVersion: values.max_version }),
    }
  },
)

function pem(written: string | undefined, path: string | undefined): Secret | undefined {
  if (written !== undefined) return { kind: 'text', value: written }
  return path === undefined || path === '' ? undefined : { kind: 'file', path }
}

/** A certificate that cannot be read makes every message fail: so it is reported when the file is loaded. */
function checkPem(reading: Reading, from: Secret | undefined, what: 'certificate' | 'key', at: Range): void {
  if (from === undefined) return
  let content: string
  try {
    content = from.kind === 'text' ? from.value : readFileSync(from.path, 'utf8')
  } catch (thrown) {
    // The file may be checked on another machine than the one it is for.
    reading.reader.warning(at, `the ${what} cannot be read now: ${messageOf(thrown)}`)
    return
  }
  try {
    if (what === 'certificate') new X509Certificate(content)
    else createPrivateKey(content)
  } catch (thrown) {
    // What is wrong inside of a key is nobody's business.
    reading.reader.error(at, `the ${what} cannot be used${what === 'key' ? '' : `: ${messageOf(thrown)}`}`)
  }
}

const basicAuth = record(
  {
    username: text,
    username_file: secretFile,
    password: secret,
    password_file: secretFile,
  },
  (read, reading) => {
    atMostOne(read, reading, ['username', 'username_file'])
    const { username, username_file } = read.values
    const name: Secret = username === undefined ? (username_file ?? plain('')) : plain(username)
    const password = secretOf(read, reading, 'password')
    return { username: name, ...(password === undefined ? {} : { password }) }
  },
)

const authorization = record({ type: text, credentials: secret, credentials_file: secretFile }, (read, reading) => {
  const credentials = secretOf(read, reading, 'credentials')
  const { type = 'Bearer' } = read.values
  if (type.trim().toLowerCase() === 'basic') {
    reading.reader.error(read.at('type'), 'authorization type cannot be Basic', 'write basic_auth instead')
  }
  return { type: type.trim() === '' ? 'Bearer' : type.trim(), ...(credentials === undefined ? {} : { credentials }) }
})

const UNSUPPORTED = ['oauth2', 'proxy_url', 'no_proxy', 'proxy_from_environment', 'proxy_connect_header'] as const

/** Read and reported: pretending would send messages another way than the file says. */
const unsupported: Kind<never> = {
  read: (reading, _node, what, at) => {
    reading.reader.error(at, `${what} is not offered here`)
    return undefined
  },
}

export const httpConfig: Kind<HttpConfig> = record(
  {
    basic_auth: basicAuth,
    authorization,
    bearer_token: secret,
    bearer_token_file: secretFile,
    tls_config: tlsConfig,
    follow_redirects: flag,
    enable_http2: flag,
    ...(Object.fromEntries(UNSUPPORTED.map((key) => [key, unsupported])) as Record<
      (typeof UNSUPPORTED)[number],
      Kind<never>
    >),
  },
  (read, reading) => {
    atMostOne(read, reading, ['basic_auth', 'authorization', 'bearer_token', 'bearer_token_file'])
    const { values } = read
    const bearer = values.bearer_token ?? values.bearer_token_file
    const auth = values.authorization ?? (bearer === undefined ? undefined : { type: 'Bearer', credentials: bearer })
    return {
      ...(values.basic_auth === undefined ? {} : { basicAuth: values.basic_auth }),
      ...(auth === undefined ? {} : { authorization: auth }),
      tls: values.tls_config ?? HTTP_DEFAULTS.tls,
      followsRedirects: values.follow_redirects ?? true,
    }
  },
)

function plain(value: string): Secret {
  return { kind: 'text', value }
}
