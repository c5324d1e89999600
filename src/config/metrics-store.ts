/**
 * The Prometheus-compatible store of `store.metrics`: its addresses, headers and limits, derived from the configuration. Samples
 * are forwarded to `writeUrl`, and PromQL is sent to `queryUrl`.
 */
import { readFileSync } from 'node:fs'
import { FleetError, messageOf } from '../base/errors.ts'
import type { Config } from './config.ts'

type MetricsStoreKind = Config['store.metrics-kind']

export interface MetricsStore {
  readonly kind: MetricsStoreKind
  /** Receives remote write. */
  readonly writeUrl: string
  /** Without `/api/v1/...`, and without a slash at the end. */
  readonly queryUrl: string
  /** The header of the tenant, where the kind has one. */
  readonly tenantHeaders: Readonly<Record<string, string>>
  /** Of further headers, for `readHeadersFile`; undefined: none. Reload it after a 401 or 403: tokens rotate. */
  readonly headersFile: string | undefined
  /** Authorities that the certificates of both addresses are verified by (PEM); undefined: those of Node. */
  readonly ca: string | undefined
  /** Acknowledged samples are sent again when the remote side restarted this long after it acknowledged them. */
  readonly resendWindowMs: number
  /** Of samples that are not forwarded yet, or may be sent again. */
  readonly bufferBytesMax: number
  /** Requests under way; the samples of one series use one of them. */
  readonly connections: number
}

/** Where each kind receives and answers, below its address. */
const PATHS: Readonly<
  Record<MetricsStoreKind, (tenant: string) => { readonly write: string; readonly query: string }>
> = {
  prometheus: () => ({ write: '/api/v1/write', query: '' }),
  'victoriametrics-cluster': (tenant) => ({
    write: `/insert/${tenant || '0'}/prometheus/api/v1/write`,
    query: `/select/${tenant || '0'}/prometheus`,
  }),
  mimir: () => ({ write: '/api/v1/push', query: '/prometheus' }),
  thanos: () => ({ write: '/api/v1/receive', query: '' }),
}

/** The defaults of each project; a cluster of VictoriaMetrics has the tenant in its paths. */
const TENANT_HEADERS: Readonly<Record<MetricsStoreKind, string | undefined>> = {
  prometheus: 'x-scope-orgid',
  'victoriametrics-cluster': undefined,
  mimir: 'x-scope-orgid',
  thanos: 'thanos-tenant',
}

/** `undefined`: samples are stored here alone. Throws FleetError `config_invalid`. */
export function metricsStoreOf(config: Config): MetricsStore | undefined {
  const { 'store.metrics': base, 'store.metrics-write': write, 'store.metrics-query': query } = config
  const { 'store.metrics-kind': kind, 'store.metrics-tenant': tenant } = config
  if (base === '' && write === '' && query === '') return undefined
  if (base === '' && (write === '' || query === '')) {
    const [has, lacks] = write === '' ? ['query', 'write'] : ['write', 'query']
    const why = `store.metrics-${has} is set, and without store.metrics no other address can be derived`
    throw new FleetError('config_invalid', `option store.metrics-${lacks}: got nothing, want a URL: ${why}`)
  }
  checkTenant(kind, tenant)
  const paths = PATHS[kind](tenant)
  const header = TENANT_HEADERS[kind]
  const { 'store.metrics-headers-file': headersFile, 'store.metrics-ca': caFile } = config
  // A mistake in it ends the start, not the first request.
  if (headersFile !== '') readHeadersFile(headersFile)
  return {
    kind,
    writeUrl: addressOf('store.metrics-write', write, base, paths.write),
    queryUrl: addressOf('store.metrics-query', query, base, paths.query),
    tenantHeaders: tenant === '' || header === undefined ? {} : { [header]: tenant },
    headersFile: headersFile === '' ? undefined : headersFile,
    ca: caFile === '' ? undefined : textOfFile('store.metrics-ca', caFile),
    resendWindowMs: config['store.metrics-resend-window'],
    bufferBytesMax: config['store.metrics-buffer-bytes-max'],
    connections: Math.max(1, config['store.metrics-connections']),
  }
}

/** The address that an option gives, or the derived one. Secrets belong into the file of headers: addresses are logged. */
function addressOf(option: string, given: string, base: string, path: string): string {
  const address = given === '' ? base.replace(/\/+$/, '') + path : given.replace(/\/+$/, '')
  const { username, password } = new URL(address)
  if (username === '' && password === '') return address
  const name = given === '' ? 'store.metrics' : option
  throw new FleetError('config_invalid', `option ${name}: got a URL with a user or password, want one without`, {
    hint: 'put an Authorization header into the file of store.metrics-headers-file',
  })
}

function checkTenant(kind: MetricsStoreKind, tenant: string): void {
  const [pattern, wanted] =
    kind === 'victoriametrics-cluster'
      ? [/^(\d+(:\d+)?)?$/, 'an account such as 0 or 12:3, as VictoriaMetrics has it in its paths']
      : [HEADER_VALUE, 'a text that can be sent in a header']
  if (pattern.test(tenant)) return
  throw new FleetError('config_invalid', `option store.metrics-tenant: got ${JSON.stringify(tenant)}, want ${wanted}`)
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** Set by each request itself. */
const OWN_HEADERS =
  /^(host|connection|transfer-encoding|content-(type|encoding|length)|x-prometheus-remote-write-version)$/

/**
 * The headers in a file, by lower-case name: one `Name: value` per line; empty lines and those that start with # are ignored.
 * Throws FleetError `config_invalid`, without the value of any header.
 */
export function readHeadersFile(path: string): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const [index, line] of textOfFile('store.metrics-headers-file', path).split('\n').entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const at = line.indexOf(':')
    const name = line.slice(0, Math.max(at, 0)).trim().toLowerCase()
    const value = line.slice(at + 1).trim()
    const isSendable = HEADER_NAME.test(name) && HEADER_VALUE.test(value) && !OWN_HEADERS.test(name)
    if (!isSendable) {
      const place = `option store.metrics-headers-file: line ${index + 1} of ${path}`
      const wanted = OWN_HEADERS.test(name) ? `a header other than ${name}` : '"Name: value"'
      throw new FleetError('config_invalid', `${place}: want ${wanted}`)
    }
    headers[name] = value
  }
  return headers
}

function textOfFile(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    throw new FleetError('config_invalid', `option ${option}: cannot read ${path}: ${messageOf(thrown)}`)
  }
}
