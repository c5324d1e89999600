/** `http_config` of a receiver: how to authenticate, whom to trust. Prometheus' common form, without proxies and OAuth. */
import { X509Certificate, createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { messageOf } from '../../base/errors.ts'
import {
  defaultsOf,
  flag,
  or,
  record,
  refused,
  scalar,
  secret,
  secretFile,
  text,
  type Kind,
  type Reading,
  type Values,
} from './fields.ts'
import type { Secret } from './secret.ts'
import type { Range } from '../../yaml/yaml-reader.ts'

type TlsVersion = 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'

const TLS_VERSIONS: ReadonlyMap<string, TlsVersion> = new Map(
  Object.entries<TlsVersion>({
    TLS10: 'TLSv1',
    TLS11: 'TLSv1.1',
    TLS12: 'TLSv1.2',
    TLS13: 'TLSv1.3',
  }),
)

const tlsVersion: Kind<TlsVersion> = scalar((raw) => {
  const value = TLS_VERSIONS.get(raw)
  return value === undefined ? { wanted: `one of ${[...TLS_VERSIONS.keys()].join(', ')}` } : { value }
})

/** A text that is no secret, where a file may be given instead. */
const plain: Kind<Secret> = scalar((value) => ({ value: { kind: 'text', value } }))

const TLS = {
  ca: plain,
  ca_file: secretFile,
  cert: plain,
  cert_file: secretFile,
  key: secret,
  key_file: secretFile,
  server_name: text,
  insecure_skip_verify: or(flag, false),
  min_version: tlsVersion,
  max_version: tlsVersion,
}

/** Certificates and keys are PEM: texts, or files that are read at each connection. */
export type TlsConfig = Values<typeof TLS>

export const tlsConfig: Kind<TlsConfig> = record(TLS, (values, { what, reading, at, fault }) => {
  const { ca, cert, key } = values
  if ((cert === undefined) !== (key === undefined)) {
    const [written, missing] = key === undefined ? (['cert', 'key'] as const) : (['key', 'cert'] as const)
    fault(written, `${what} has a ${written} and no ${missing}; both are needed for a client certificate`)
  }
  checkPem(reading, ca, 'certificate', at('ca'))
  checkPem(reading, cert, 'certificate', at('cert'))
  checkPem(reading, key, 'key', at('key'))
  return values
})

/** An invalid certificate would make every message fail, so it is reported when the file is loaded. */
function checkPem(reading: Reading, from: Secret | undefined, what: 'certificate' | 'key', at: Range): void {
  if (from === undefined) return
  let content: string
  try {
    content = from.kind === 'text' ? from.value : readFileSync(from.path, 'utf8')
  } catch (thrown) {
    // The configuration may be checked on another machine than the one that uses it.
    reading.reader.warning(at, `the ${what} cannot be read now: ${messageOf(thrown)}`)
    return
  }
  try {
    if (what === 'certificate') new X509Certificate(content)
    else createPrivateKey(content)
  } catch (thrown) {
    // The message could reveal parts of the key.
    reading.reader.error(at, `the ${what} cannot be used${what === 'key' ? '' : `: ${messageOf(thrown)}`}`)
  }
}

const basicAuth = record(
  {
    username: or(plain, { kind: 'text', value: '' } as const),
    username_file: secretFile,
    password: secret,
    password_file: secretFile,
  },
  (values) => values,
)

/** `type` is the scheme, such as `Bearer`. */
const authorization = record(
  { type: or(text, 'Bearer'), credentials: secret, credentials_file: secretFile },
  (values, { fault }) => {
    const type = values.type.trim() || 'Bearer'
    if (type.toLowerCase() === 'basic') {
      fault('type', 'authorization type cannot be Basic', 'write basic_auth instead')
    }
    return { ...values, type }
  },
)

const absent = refused('is not offered here')

const HTTP = {
  basic_auth: basicAuth,
  authorization,
  bearer_token: secret,
  bearer_token_file: secretFile,
  tls_config: or(tlsConfig, defaultsOf(TLS)),
  follow_redirects: or(flag, true),
  enable_http2: flag,
  oauth2: absent,
  proxy_url: absent,
  no_proxy: absent,
  proxy_from_environment: absent,
  proxy_connect_header: absent,
}

export type HttpConfig = Omit<Values<typeof HTTP>, 'bearerToken' | 'enableHttp2'>
export const HTTP_DEFAULTS: HttpConfig = defaultsOf(HTTP)

export const httpConfig: Kind<HttpConfig> = record(HTTP, ({ bearerToken, ...values }, { atMostOne }) => {
  atMostOne(['basic_auth', 'authorization', 'bearer_token', 'bearer_token_file'])
  return bearerToken === undefined ? values : { ...values, authorization: { type: 'Bearer', credentials: bearerToken } }
})
