import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request, type RequestOptions } from 'node:https'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import { builtApp } from '../support/built-app.ts'
import { makeCertificate, type TestCertificate } from '../support/certificate.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { openFactsInMode } from '../support/mode.ts'
import { writeBody } from '../support/remote-write.ts'
import { NO_CONTENT } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { eventually } from '../support/until.ts'
import { hashToken } from '../../src/runtime/token-index.ts'

// The server as it ships, over TLS: which certificate it shows, and which of clients it takes.

let folder: ReturnType<typeof tempDir>
let startApp: Awaited<ReturnType<typeof builtApp>>['startApp']
let app: App | undefined
let agents: Agent[] = []
const clock = new FakeClock(Date.now())

beforeAll(async () => {
  ;({ startApp } = await builtApp())
})
beforeEach(() => {
  folder = tempDir('tls')
})
afterEach(async () => {
  for (const agent of agents) agent.destroy()
  agents = []
  await app?.stop()
  app = undefined
  folder.remove()
})

function file(name: string, text: string): string {
  const path = join(folder.path, name)
  writeFileSync(path, text)
  return path
}

function writeServerCertificate({ cert, key }: TestCertificate): Record<string, string> {
  return { 'tls.cert': file('tls.crt', cert), 'tls.key': file('tls.key', key) }
}

async function start(options: Record<string, string>): Promise<void> {
  const entries = Object.entries({
    listen: '127.0.0.1:0',
    data: join(folder.path, 'data'),
    'own-metrics': 'false',
    ...{ rules: NO_CONTENT, runbooks: NO_CONTENT, dashboards: NO_CONTENT },
    ...options,
  })
  app = await startApp({ config: readConfig(new Map(entries), undefined, {}), clock, log: silentLog, isDemo: false })
}

interface Sent {
  readonly status: number
  readonly body: string
  readonly headers: NodeJS.Dict<string | string[]>
}

function send(path: string, options: RequestOptions & { readonly payload?: Uint8Array } = {}): Promise<Sent> {
  const { payload, ...rest } = options
  return new Promise((resolve, reject) => {
    const sent = request(`${app!.url}${path}`, { rejectUnauthorized: false, ...rest }, (answer) => {
      let body = ''
      answer.on('data', (part: Buffer) => (body += part.toString()))
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, body, headers: answer.headers })
      })
    })
    sent.on('error', reject)
    sent.end(payload)
  })
}

/** The common name of the certificate that a new connection is shown. */
async function shown(): Promise<string> {
  const { hostname, port } = new URL(app!.url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

describe('the certificate of the server', () => {
  test('serves https alone, from TLS 1.2 on, and says when it expires', async () => {
    const notAfter = new Date('2031-05-06T07:08:09Z')
    const certificate = makeCertificate({ notAfter })
    await start(writeServerCertificate(certificate))
    expect(app!.url).toMatch(/^https:/)
    const answer = await send('/', { ca: certificate.cert, rejectUnauthorized: true })
    expect([answer.status, answer.headers['strict-transport-security']]).toEqual([200, 'max-age=31536000'])
    await expect(fetch(app!.url.replace('https:', 'http:'))).rejects.toThrow()
    await expect(send('/', { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' })).rejects.toThrow(
      /protocol version|unsupported protocol|wrong version/i,
    )
    expect((await send('/', { maxVersion: 'TLSv1.2' })).status).toBe(200)
    const metrics = (await send('/metrics')).body
    expect(metrics).toContain(`daytwo_tls_certificate_expiry_timestamp_seconds ${notAfter.getTime() / 1000}`)
  })

  test('that was renewed is shown to new connections, and open ones go on', async () => {
    await start(writeServerCertificate(makeCertificate({ commonName: 'first' })))
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    agents.push(agent)
    const sockets = new Set<TLSSocket>()
    agent.on('free', (socket: TLSSocket) => sockets.add(socket))
    expect((await send('/-/healthy', { agent })).status).toBe(200)
    expect(await shown()).toBe('first')

    // Written one after the other, as tools do: the two do not fit in between.
    const renewed = makeCertificate({ commonName: 'second' })
    file('tls.crt', renewed.cert)
    expect((await send('/-/reload', { method: 'POST' })).status).toBe(200)
    expect(await shown()).toBe('first')
    file('tls.key', renewed.key)
    // By the files alone: nobody has to say it.
    await expect
      .poll(() => {
        clock.advance(30_000)
        return shown()
      })
      .toBe('second')
    expect((await send('/-/healthy', { agent })).status).toBe(200)
    expect(sockets.size).toBe(1)
    const metrics = (await send('/metrics')).body
    expect(metrics).toMatch(/daytwo_tls_certificate_reloads_total\{outcome="ok"\} 1/)
    expect(metrics).toMatch(/daytwo_tls_certificate_reloads_total\{outcome="failed"\} [1-9]/)
  })

  test.each([
    ['without its key', { 'tls.key': '' }, 'option tls.key: got nothing'],
    ['with the key of another', { 'tls.key': 'other.key' }, 'option tls.key'],
    ['that is none', { 'tls.cert': 'none.crt' }, 'option tls.cert'],
    ['that is not there', { 'tls.cert': 'gone.crt' }, 'option tls.cert'],
    ['with authorities that are none', { 'tls.client-ca': 'none.crt' }, 'option tls.client-ca'],
    ['with clients that must have one, and no authority', { 'tls.client-auth': 'required' }, 'option tls.client-ca'],
  ])('%s keeps the server from starting', async (_what, wrong, message) => {
    const right = writeServerCertificate(makeCertificate())
    file('other.key', makeCertificate().key)
    file('none.crt', 'no certificate')
    const options = Object.entries(wrong).map(([name, value]) => [
      name,
      /\.(key|crt)$/.test(value) ? join(folder.path, value) : value,
    ])
    await expect(start({ ...right, ...(Object.fromEntries(options) as object) })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining(message) as string,
    })
  })
})

describe('a client certificate', () => {
  const authority = makeCertificate({ commonName: 'fleet authority' })
  const prague = makeCertificate({ commonName: 'prague', issuer: authority })
  const body = (labels: Record<string, string>) =>
    writeBody([{ labels: { __name__: 'up', ...labels }, samples: [{ timeMs: clock.nowMs(), value: 1 }] }])
  const WRITE = {
    method: 'POST',
    headers: { 'content-encoding': 'snappy', 'content-type': 'application/x-protobuf' },
  }
  const write = (labels: Record<string, string>, options: RequestOptions = {}) => {
    const payload = body(labels)
    const headers = { ...WRITE.headers, 'content-length': payload.length, ...(options.headers as object) }
    // Without an agent each request is a new connection, on which the certificate is read anew.
    return send('/api/v1/write', { agent: false, ...WRITE, ...options, headers, payload })
  }
  /** With the authority of clients, the tokens `prague`, `brno` and `all` of role ingest, and `sre` of role viewer. */
  const startWith = async (options: Record<string, string> = {}): Promise<void> => {
    const facts = await openFactsInMode(join(folder.path, 'data'))
    for (const name of ['prague', 'brno', 'all', 'sre']) {
      const bound = name === 'prague' || name === 'brno' ? { cluster: name } : {}
      const role = name === 'sre' ? 'viewer' : 'ingest'
      const record = { role, name, hash: hashToken(name), createdAtMs: 0, ...bound } as const
      await facts.tokens.add(record, { atMs: 0, by: 'test', action: 'token.add', detail: '{}' })
    }
    await facts.close()
    const ca = file('clients.crt', authority.cert)
    await start({ ...writeServerCertificate(makeCertificate()), 'tls.client-ca': ca, ...options })
  }
  const clustersOf = async (): Promise<readonly string[]> => {
    const headers = { authorization: 'Bearer sre' }
    const answer = await send(`/api/v1/query?query=up&time=${clock.nowMs() / 1000}`, { headers })
    const { data } = JSON.parse(answer.body) as { data: { result: { metric: { cluster: string; job?: string } }[] } }
    return data.result.map(({ metric }) => metric.cluster).sort()
  }
  const sentFor = (clusters: readonly string[]): Promise<void> =>
    eventually(async () => {
      expect(await clustersOf()).toEqual(clusters)
    })
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

  test('sends for its cluster and no other, on the fast path and off it', async () => {
    await startWith()
    expect((await write({ job: 'a' }, prague)).status).toBe(204)
    // A request of a page takes the long way.
    expect((await write({ job: 'b' }, { ...prague, headers: { 'sec-fetch-site': 'none' } })).status).toBe(204)
    await sentFor(['prague', 'prague'])
    const refused = await write({ cluster: 'brno' }, prague)
    expect([refused.status, refused.body]).toEqual([400, expect.stringContaining('cluster_mismatch')])
    expect((await send('/api/v1/labels', prague)).status).toBe(403)
  })

  test.each([
    ['of another authority', makeCertificate({ commonName: 'prague', issuer: makeCertificate() })],
    ['that trusts itself', makeCertificate({ commonName: 'prague' })],
    ['that is over', makeCertificate({ commonName: 'prague', issuer: authority, notAfter: new Date('2021-01-01') })],
  ])('%s is as good as none', async (_what, certificate) => {
    await startWith()
    expect((await write({}, certificate)).status).toBe(401)
    expect((await write({}, { ...certificate, ...bearer('prague') })).status).toBe(204)
  })

  test('is read by the names that are configured', async () => {
    await startWith({ 'tls.client-names': 'uri:spiffe://fleet/*' })
    expect((await write({}, prague)).status).toBe(401)
    const brno = makeCertificate({ commonName: 'agent', uris: ['spiffe://fleet/brno'], issuer: authority })
    expect((await write({}, brno)).status).toBe(204)
    await sentFor(['brno'])
  })

  test('beside a token is of the same cluster, and binds a token that has none', async () => {
    await startWith()
    expect((await write({ job: 'a' }, { ...prague, ...bearer('prague') })).status).toBe(204)
    expect((await write({ job: 'b' }, { ...prague, ...bearer('all') })).status).toBe(204)
    await sentFor(['prague', 'prague'])
    expect((await write({ cluster: 'brno' }, { ...prague, ...bearer('all') })).status).toBe(400)
    const refused = await write({}, { ...prague, ...bearer('brno') })
    expect([refused.status, refused.body]).toEqual([
      403,
      expect.stringContaining('token "brno" is of cluster brno, the client certificate of cluster prague'),
    ])
    expect((await write({}, { ...prague, ...bearer('unknown') })).status).toBe(401)
  })

  test('is needed where it is required, for senders and for nobody else', async () => {
    await startWith({ 'tls.client-auth': 'required' })
    const refused = await write({}, bearer('prague'))
    expect([refused.status, refused.body]).toEqual([
      401,
      expect.stringContaining('token "prague" counts only with a client certificate'),
    ])
    expect((await write({}, { ...prague, ...bearer('prague') })).status).toBe(204)
    expect((await write({}, prague)).status).toBe(204)
    expect((await send('/api/v1/labels', bearer('sre'))).status).toBe(200)
  })

  test('is not accepted after its expiry on a connection that is still open', async () => {
    const soon = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000)
    const short = makeCertificate({ commonName: 'prague', issuer: authority, notAfter: soon })
    await startWith()
    const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false, ...short })
    agents.push(agent)
    const before = clock.nowMs()
    expect((await write({}, { agent })).status).toBe(204)
    clock.set(soon.getTime())
    expect((await write({}, { agent })).status).toBe(401)
    clock.set(before)
  })

  test('of an authority that was exchanged is taken without a restart', async () => {
    await startWith()
    const next = makeCertificate({ commonName: 'next authority' })
    const brno = makeCertificate({ commonName: 'brno', issuer: next })
    expect((await write({}, brno)).status).toBe(401)
    file('clients.crt', readFileSync(join(folder.path, 'clients.crt'), 'utf8') + next.cert)
    await app!.reload('signal')
    expect((await write({}, brno)).status).toBe(204)
    expect((await write({}, prague)).status).toBe(204)
  })
})
