import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { encodeSnappy } from '../../src/wire/snappy.ts'
import { encodeWriteRequest } from '../../src/wire/remote-write-encode.ts'
import { Labels } from '../../src/model/labels.ts'
import { LADDER, type Role } from '../../src/model/token.ts'
import { reservePort } from '../../src/runtime/reserve-port.ts'
import { hashToken } from '../../src/runtime/token-index.ts'
import { openFacts } from '../../src/store/facts/facts.ts'
import { cookieClient, type CookieClient } from '../support/cookie-client.ts'
import { CLIENT_ID, CLIENT_SECRET, startRealProvider, throughProvider } from '../support/openid-provider.ts'
import { encodeLogsJson, logsOf, objectRecord } from '../support/otlp-logs.ts'
import { encodeTracesJson, otlpSpan, tracesOf } from '../support/otlp-traces.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'
import { OBJECTS } from '../wire/k8s/objects.ts'

/**
 * A server as it ships, on loopback, with a little of everything: series, a firing alert, objects, a trace, a silence; tokens of
 * every role, and people who have signed in at a real OpenID provider.
 */

const RULES = `groups:
  - name: fuzz
    interval: 1s
    rules:
      - alert: VirtAPIDown
        expr: up == 1
        labels: { severity: critical, operator_health_impact: critical }
        annotations: { summary: 'API of {{ $labels.cluster }}' }
      - record: cluster:up:sum
        expr: sum by (cluster) (up)
`

const ROOT = resolve(import.meta.dirname, '../..')

export interface FuzzedServer extends Pick<RunningServer, 'url' | 'output' | 'pid'> {
  readonly credentials: Credentials
  close(): Promise<void>
}

export const CLUSTER = 'fra-1'
/** A cluster that is there to be erased. */
export const ERASED_CLUSTER = 'lab-1'

interface Granted {
  readonly role: Role
  readonly headers: Readonly<Record<string, string>>
}

/** Headers by which a sender is known. */
export interface Credentials {
  /** Tokens and sessions, with the role that each has. */
  readonly valid: readonly Granted[]
  /** Sessions that a request may end. */
  readonly disposable: readonly Readonly<Record<string, string>>[]
  /** Responses of the provider that were not brought back yet: the cookie of the sign-in, and the query string. */
  readonly callbacks: readonly { readonly cookie: string; readonly search: string }[]
  /** Tokens that are not accepted. */
  readonly expired: readonly Readonly<Record<string, string>>[]
}

const TOKENS: readonly { readonly role: Role; readonly cluster?: string; readonly expiresAtMs?: number }[] = [
  ...LADDER.map((role) => ({ role })),
  { role: 'ingest' },
  { role: 'ingest', cluster: CLUSTER },
  { role: 'viewer', expiresAtMs: 1 },
]
/** Names and groups of people; who has no group is not let in. */
const PEOPLE = { ada: 'responder', bob: 'viewer', cyd: 'admin' } as const
const DISPOSABLE_SESSIONS = 6
const CALLBACKS = 12

export async function startFuzzedServer(): Promise<FuzzedServer> {
  const dir = tempDir('fuzz-http')
  const content = (name: string): string => join(dir.path, name)
  for (const name of ['rules', 'runbooks', 'dashboards']) mkdirSync(content(name))
  writeFileSync(join(content('rules'), 'fuzz.yaml'), RULES)
  for (const path of ['runbooks/VirtAPIDown.md', 'dashboards/daytwo.yaml']) cpSync(join(ROOT, path), content(path))
  const tokens = await addTokens(content('data'))
  const listen = `127.0.0.1:${await reservePort('127.0.0.1')}`
  const provider = await startRealProvider(`http://${listen}`)
  for (const [name, role] of Object.entries(PEOPLE)) provider.groups.set(name, [role])
  writeFileSync(content('secret'), CLIENT_SECRET)
  const server = await startServer([
    ...['serve', '--listen', listen, '--external.url', `http://${listen}`, '--data', content('data')],
    ...['--rules', content('rules'), '--runbooks', content('runbooks'), '--dashboards', content('dashboards')],
    // A busy machine is no fault of the server.
    ...['--watchdog.hung-after', '5m'],
    ...['--content.watch', 'false', '--oidc.issuer', provider.issuer, '--oidc.client-id', CLIENT_ID],
    ...['--oidc.client-secret-file', content('secret'), '--oidc.scopes', 'email,groups'],
    ...[
      '--auth.roles',
      Object.values(PEOPLE)
        .map((role) => `${role}=${role}`)
        .join(),
    ],
  ])
  const close = async (): Promise<void> => {
    await server.stop()
    await provider.close()
    dir.remove()
  }
  try {
    const admin = tokens.find(({ role }) => role === 'admin')!.headers
    await fill(server.url, admin)
    return { ...server, credentials: await credentialsOf(server.url, tokens), close }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

interface Token extends Granted {
  readonly isExpired: boolean
}

async function addTokens(dataDir: string): Promise<readonly Token[]> {
  const facts = openFacts(dataDir)
  const tokens: Token[] = []
  for (const [i, granted] of TOKENS.entries()) {
    // Far from each other: a mutation of one is not another one.
    const token = `fuzz-token-${String.fromCharCode(97 + i).repeat(12)}`
    const record = { ...granted, name: token, hash: hashToken(token), createdAtMs: 0 }
    await facts.tokens.add(record, { atMs: 0, by: 'fuzz', action: 'token.add', detail: '{}' })
    // Basic auth of a browser, or a Bearer token.
    const authorization = i % 2 === 0 ? `Bearer ${token}` : `Basic ${Buffer.from(`x:${token}`).toString('base64')}`
    tokens.push({ role: granted.role, headers: { authorization }, isExpired: granted.expiresAtMs !== undefined })
  }
  facts.close()
  return tokens
}

async function credentialsOf(url: string, tokens: readonly Token[]): Promise<Credentials> {
  const isBack = (next: URL): boolean => next.pathname === '/sign-in/callback'
  const begun = async (login: string): Promise<{ readonly client: CookieClient; readonly back: URL }> => {
    const client = cookieClient()
    return { client, back: await throughProvider(client, `${url}/sign-in/start?to=%2Falerts`, login, isBack) }
  }
  const cookieOf = (client: CookieClient): string =>
    [...(client.jar.get(url) ?? [])].map((pair) => pair.join('=')).join('; ')
  const session = async (login: string): Promise<Readonly<Record<string, string>>> => {
    const { client, back } = await begun(login)
    await client.request(back.href)
    return { cookie: cookieOf(client) }
  }
  const valid: Granted[] = tokens.filter(({ isExpired }) => !isExpired)
  for (const [login, role] of Object.entries(PEOPLE)) valid.push({ role, headers: await session(login) })
  const disposable: Readonly<Record<string, string>>[] = []
  for (let i = 0; i < DISPOSABLE_SESSIONS; i++) disposable.push(await session('ada'))
  const callbacks: { readonly cookie: string; readonly search: string }[] = []
  for (let i = 0; i < CALLBACKS; i++) {
    const { client, back } = await begun(i % 4 === 0 ? 'eve' : 'bob')
    callbacks.push({ cookie: cookieOf(client), search: back.search })
  }
  return {
    valid,
    disposable,
    callbacks,
    expired: tokens.filter(({ isExpired }) => isExpired).map(({ headers }) => headers),
  }
}

async function fill(url: string, admin: Readonly<Record<string, string>>): Promise<void> {
  const nowMs = Date.now()
  const nowNs = BigInt(nowMs) * 1_000_000n
  const resource = { 'service.name': 'hco', 'k8s.cluster.name': CLUSTER }
  const post = async (path: string, body: string | Uint8Array, type = 'application/json'): Promise<void> => {
    const headers = {
      ...admin,
      'content-type': type,
      ...(typeof body === 'string' ? {} : { 'content-encoding': 'snappy' }),
    }
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: Buffer.from(body as string) })
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`)
  }
  const series = ['up', 'kubevirt_hco_system_health_status', 'kubevirt_info'].flatMap((name) =>
    [CLUSTER, ERASED_CLUSTER].map((cluster) => ({
      labels: Labels.of({ __name__: name, cluster, job: 'virt-api' }),
      samples: [120_000, 60_000, 0].map((agoMs) => ({ timeMs: nowMs - agoMs, value: 1 })),
    })),
  )
  await post('/api/v1/write', encodeSnappy(encodeWriteRequest(series)), 'application/x-protobuf')
  const records = OBJECTS.map(({ resource: kind, object }) => objectRecord(kind, object, nowMs, 'ADDED'))
  await post('/v1/logs', encodeLogsJson({ resources: [logsOf(records, resource)] }))
  await post(
    '/v1/traces',
    encodeTracesJson(tracesOf(resource, otlpSpan({ startNs: nowNs - 5_000_000n, endNs: nowNs }))),
  )
  const end = new Date(nowMs + 86_400_000).toISOString()
  await post('/api/v2/alerts', JSON.stringify([{ labels: { alertname: 'Ext', cluster: CLUSTER }, endsAt: end }]))
  const matchers = [{ name: 'alertname', value: 'Ext', isRegex: false, isEqual: true }]
  const silence = { matchers, startsAt: new Date(nowMs).toISOString(), endsAt: end, createdBy: 'fuzz', comment: 'c' }
  await post('/api/v2/silences', JSON.stringify(silence))
  await until('the alert of the rule', async () => {
    const answer = await fetch(`${url}/api/v1/alerts`, { headers: admin })
    return (await answer.text()).includes('VirtAPIDown') ? true : undefined
  })
}
