import { once } from 'node:events'
import { createServer, connect, type Socket, type AddressInfo } from 'node:net'
import fc from 'fast-check'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { fingerprintOf } from '../../../src/model/alert.ts'
import type { AuditedAction } from '../../../src/model/audit.ts'
import { Labels } from '../../../src/model/labels.ts'
import { PostgresFailure } from '../../../src/store/postgres/failures.ts'
import { openFactsIn } from '../../../src/store/facts/facts.ts'
import { NOW_MS } from '../temp-store.ts'
import { openTempFacts, POSTGRES, sharedPostgres } from './temp-postgres.ts'

const DEED: AuditedAction = { atMs: NOW_MS, by: 'ada', action: 'silence.create', subject: 's1', detail: '{}' }

function runOn(cluster: string, firedAtMs = NOW_MS) {
  const labels = Labels.of({ alertname: 'A', cluster })
  return { fingerprint: fingerprintOf(labels), labels, annotations: {}, activeAtMs: firedAtMs, firedAtMs }
}

describe.skipIf(POSTGRES === undefined)('facts in PostgreSQL', () => {
  const postgres = sharedPostgres()

  async function connected(url: string): Promise<Client> {
    const client = new Client(url)
    client.on('error', () => undefined)
    await client.connect()
    return client
  }

  test('keep every text, NUL and what NUL is written as among them, in the order of their bytes', async () => {
    const facts = await openTempFacts(await postgres.options())
    const text = fc.string({ unit: fc.constantFrom('\u0000', '\u0001', '\u0002', 'a', 'B', 'é', '😀', '\uffff') })
    await fc.assert(
      fc.asyncProperty(text, text, async (key, value) => {
        await facts.meta.set(key, value)
        expect(await facts.meta.get(key)).toBe(value)
      }),
      { numRuns: 100 },
    )
    const names = ['\u0000', '\u0000a', '\u0001', '\u0001\u0001', '\u0002', 'A', 'a', 'é', '\uffff']
    const entry = { atMs: 1, firing: [], resolved: [], expiresAtMs: 2 }
    await facts.notificationLog.put(names.toReversed().map((key) => ({ ...entry, key })))
    expect((await facts.notificationLog.load()).map(({ key }) => key)).toEqual(names)
  })

  test('of several servers: the audit is one chain, without gaps', async () => {
    const options = await postgres.options()
    const [one, other] = [await openTempFacts(options), await openTempFacts(options)]
    const broken = { ...DEED, atMs: 0.5 }
    const work = Array.from({ length: 60 }, (_, i) =>
      (i % 2 === 0 ? one : other).audit.add(i % 10 === 7 ? broken : { ...DEED, subject: `s${i}` }),
    )
    const outcomes = await Promise.allSettled(work)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(6)
    const verdict = await one.audit.verify()
    expect(verdict).toMatchObject({ entries: 54, last: { id: 54 } })
    expect(verdict.fault).toBeUndefined()
    await Promise.all([one.audit.prune(NOW_MS + 1), other.audit.prune(NOW_MS + 1), one.audit.add(DEED)])
    expect((await other.audit.verify()).fault).toBeUndefined()
  })

  test('who reads where alerts fired misses no cluster of a transaction that ends later', async () => {
    const options = await postgres.options()
    const facts = await openTempFacts(options)
    const slow = await connected(options.url)
    await slow.query('BEGIN')
    await slow.query(`INSERT INTO alert_change (cluster) VALUES ('slow')`)
    const quick = facts.alertRuns.record([runOn('quick')])
    const seen: string[] = []
    let position = 0
    const read = async (): Promise<void> => {
      const next = await facts.alertRuns.firedSince(position)
      seen.push(...next.clusters)
      position = next.position
    }
    const blocked = async (): Promise<void> => {
      const text = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      while ((await slow.query(text)).rowCount === 0);
    }
    await Promise.race([quick, blocked()])
    await read()
    await slow.query('COMMIT')
    await quick
    await read()
    expect(seen).toEqual(['slow', 'quick'])
    await slow.end()
  })

  test('two servers that report the same clusters at one moment both succeed', async () => {
    const options = await postgres.options()
    const [one, other] = [await openTempFacts(options), await openTempFacts(options)]
    const names = Array.from({ length: 50 }, (_, i) => `c${i}`)
    for (let round = 0; round < 10; round++) {
      const at = NOW_MS + round
      await Promise.all([
        one.alertRuns.record(names.map((name) => runOn(name, at))),
        other.alertRuns.record(names.toReversed().map((name) => runOn(name, at + 1000))),
      ])
    }
    expect(await one.alertRuns.listOpen()).toHaveLength(1000)
    expect((await one.alertRuns.firedSince(0)).clusters).toHaveLength(50)
  })

  test('a connection that ends is replaced, and what it was doing is done again', async () => {
    const options = { ...(await postgres.options()), connectionsMax: 1 }
    const facts = await openTempFacts(options)
    const other = await connected(options.url)
    // The transaction waits for the lock until its connection is ended.
    await other.query('BEGIN; LOCK TABLE silence')
    const written = facts.audit.add(DEED).then(() =>
      facts.silences.write([
        {
          value: {
            ...{ id: 's1', matchers: [], startsAtMs: 1, endsAtMs: 2, updatedAtMs: 1 },
            ...{ createdBy: 'ada', comment: '', untilResolved: false },
          },
          audited: DEED,
        },
      ]),
    )
    for (;;) {
      const { rowCount } = await other.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE application_name = 'daytwo' AND datname = current_database() AND wait_event_type = 'Lock'`,
      )
      if (rowCount === 1) break
    }
    await other.query('COMMIT')
    await written
    expect(await facts.silences.list()).toHaveLength(1)
    expect(await facts.audit.list(9)).toHaveLength(2)
    await other.end()
  })

  test('a COMMIT without an answer is not done again, and the failure says so', async () => {
    const options = await postgres.options()
    const proxy = await cuttingProxy(Number(new URL(options.url).port))
    const facts = await openFactsIn({ ...options, url: options.url.replace(/:\d+\//, `:${proxy.port}/`) })
    proxy.cutAfter('commit')
    await expect(facts.audit.add(DEED)).rejects.toMatchObject({
      code: 'not_ready',
      message: expect.stringMatching(/^writing the audit: PostgreSQL: .*unknown whether it was written$/) as string,
    })
    expect((await facts.audit.list(9)).length).toBeLessThanOrEqual(1)
    await facts.close()
    await proxy.close()
  })

  test('a statement that takes too long fails, and says what to do', async () => {
    const options = { ...(await postgres.options()), statementTimeoutMs: 100 }
    const facts = await openTempFacts(options)
    const other = await connected(options.url)
    await other.query('BEGIN; LOCK TABLE meta')
    await expect(facts.meta.get('a')).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringMatching(/^reading meta: PostgreSQL: .*\(57014\)$/) as string,
      hint: expect.stringContaining('store.facts-statement-timeout') as string,
    })
    await other.end()
    expect(await facts.meta.get('a')).toBeUndefined()
  })

  test('a server that is away is a failure at once, and is used again when it is back', async () => {
    const options = await postgres.options()
    const facts = await openTempFacts(options)
    await facts.meta.set('a', '1')
    await postgres.server.kill()
    await expect(facts.meta.get('a')).rejects.toMatchObject({
      code: 'not_ready',
      status: 503,
      hint: 'check that PostgreSQL runs and can be reached; the server then continues without a restart',
    })
    await expect(openFactsIn(options)).rejects.toMatchObject({ code: 'not_ready' })
    await postgres.server.start()
    expect(await facts.meta.get('a')).toBe('1')
  })

  test('what is repeated is what a lost connection undid, and not a connection that cannot be made', () => {
    const lost = new Error('Connection terminated unexpectedly')
    const isRepeatable = (cause: unknown, during: 'connect' | 'statement' | 'commit'): boolean =>
      new PostgresFailure(cause, during).isRepeatable
    expect([isRepeatable(lost, 'connect'), isRepeatable(lost, 'statement'), isRepeatable(lost, 'commit')]).toEqual([
      ...[false, true, false],
    ])
    const answered = (code: string): Error => Object.assign(new Error('no'), { code })
    expect(
      ['40001', '40P01', '23505', '57014', '57P01'].map((code) => isRepeatable(answered(code), 'statement')),
    ).toEqual([true, true, false, false, true])
  })

  test('a password that is wrong, and a database that is not there, are named', async () => {
    const options = await postgres.options()
    await expect(openFactsIn({ ...options, url: `${options.url}_missing` })).rejects.toMatchObject({
      hint: 'create the database that store.facts names, with encoding UTF8',
    })
    await expect(openFactsIn({ ...options, url: options.url.replace('daytwo@', 'nobody@') })).rejects.toMatchObject({
      hint: expect.stringContaining('check the user of store.facts') as string,
    })
  })
})

/** A connection to a port of this machine that can be cut when a statement passes. */
async function cuttingProxy(port: number) {
  let cutAt: string | undefined
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
    near.on('data', (bytes) => {
      far.write(bytes)
      if (cutAt === undefined || !bytes.includes(cutAt)) return
      cutAt = undefined
      near.destroy()
    })
    far.on('data', (bytes) => near.write(bytes))
    near.on('close', () => far.end())
    far.on('close', () => near.end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cutAfter: (text: string) => {
      cutAt = text
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
