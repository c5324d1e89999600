import { afterEach, describe, expect, test } from 'vitest'
import type Database from 'better-sqlite3'
import { Client } from 'pg'
import { openDatabaseForReading } from '../../../src/store/database.ts'
import { copyFacts, forgetComparing } from '../../../src/store/postgres/copy-facts.ts'
import type { PostgresOptions } from '../../../src/store/postgres/options.ts'
import { upgradeRecord } from '../../support/upgrade-record.ts'
import { NOW_MS, TempStore } from '../temp-store.ts'
import { openTempFacts, POSTGRES, sharedPostgres } from './temp-postgres.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const audited = { atMs: NOW_MS, by: 'ada', action: 'token.add', detail: '{}' } as const

async function withFactsOf(store: TempStore, name: string): Promise<void> {
  const { facts } = store.writer
  const token = { hash: `hash of ${name}`, role: 'viewer', name, createdAtMs: NOW_MS } as const
  await facts.tokens.add(token, audited)
  await facts.audit.add({ ...audited, action: 'silence.create', subject: `a\u0000 text of ${name}` })
  const upgrade = upgradeRecord({ id: name, cluster: name, startedMs: NOW_MS + 0.25 }, { observedUntilMs: NOW_MS })
  const none = { put: [], removed: [] }
  await facts.fleet.write({
    changes: [{ cluster: name, upgrades: { put: [upgrade], removed: [] }, intervals: none, modifications: none }],
    meta: [['fleet.position', '{}']],
  })
}

describe.skipIf(POSTGRES === undefined)('copied facts', () => {
  const postgres = sharedPostgres()

  function sourceOf(store: TempStore): Database.Database {
    const db = openDatabaseForReading(store.options.dir)
    closing.push(() => db.close())
    return db
  }

  const copy = (store: TempStore, target: PostgresOptions, sourceId = 'one') =>
    copyFacts({ source: sourceOf(store), target, sourceId, nowMs: () => NOW_MS, onProgress: () => undefined })

  test('are all facts, a later copy takes their place, and what is added afterwards continues them', async () => {
    const [store, target] = [new TempStore(), await postgres.options()]
    await withFactsOf(store, 'a')
    expect((await copy(store, target)).rows.get('audit')).toBe(2)
    await store.writer.facts.tokens.remove(1, { ...audited, action: 'token.remove', subject: '1' })
    await withFactsOf(store, 'b')
    const { rows } = await copy(store, target)
    expect([...rows].filter(([, count]) => count > 0)).toEqual([
      ['token', 1],
      ['audit', 5],
      ['upgrade', 2],
    ])
    const facts = await openTempFacts(target)
    const own = store.writer.facts
    expect(await facts.tokens.list()).toEqual(await own.tokens.list())
    expect(await facts.audit.list(100)).toEqual(await own.audit.list(100))
    expect(await facts.fleet.upgrade('a')).toEqual(await own.fleet.upgrade('a'))
    // Positions of changes in the directory mean nothing there.
    expect(await facts.meta.get('fleet.position')).toBeUndefined()
    const token = { hash: 'another', role: 'viewer', name: 'c', createdAtMs: NOW_MS } as const
    expect((await facts.tokens.add(token, audited)).id).toBe(3)
    expect(await facts.audit.verify()).toMatchObject({ entries: 6 })
    expect((await facts.audit.list(1))[0]!.id).toBe(6)
  })

  test('continue the audit after its anchor, when all entries have expired', async () => {
    const [store, target] = [new TempStore(), await postgres.options()]
    await withFactsOf(store, 'a')
    await store.writer.facts.audit.prune(NOW_MS + 1)
    await copy(store, target)
    const facts = await openTempFacts(target)
    await facts.audit.add({ ...audited, subject: 'x' })
    expect((await facts.audit.list(1))[0]!.id).toBe(3)
    expect(await facts.audit.verify()).not.toHaveProperty('fault')
  })

  test('do not take the place of facts of another directory, of servers, or of processes that live', async () => {
    const [store, target] = [new TempStore(), await postgres.options()]
    await withFactsOf(store, 'a')
    await copy(store, target)
    await expect(copy(store, target, 'another')).rejects.toThrow('has facts of another data directory')
    const facts = await openTempFacts(target)
    const instance = { version: '1', roles: ['serve'], startedMs: NOW_MS }
    await facts
      .leasesOf({ ...instance, name: 'daytwo migrate', instance: 'x' })
      .beat(60_000, { leases: {}, faults: [] })
    await facts.meta.set('fleet.position daytwo migrate', '{}')
    await copy(store, target)
    await facts.leasesOf({ ...instance, name: 'pod-1', instance: 'y' }).beat(60_000, { leases: {}, faults: [] })
    await expect(copy(store, target)).rejects.toThrow('is used by the processes pod-1')
    const client = new Client(target.url)
    await client.connect()
    await client.query("UPDATE process SET lives_until = now() - interval '1 s' WHERE name = 'pod-1'")
    await copy(store, target)
    await forgetComparing(target, 'none')
    expect((await client.query('SELECT name FROM process')).rows).toEqual([{ name: 'pod-1' }])
    await client.end()
    await facts.meta.set('fleet.position pod-1', '{}')
    await expect(copy(store, target)).rejects.toThrow('has facts that servers have stored since the migration')
    expect(await facts.fleet.upgrade('a')).toBeDefined()
  })

  test('a copy that fails leaves the earlier one', async () => {
    const [store, target] = [new TempStore(), await postgres.options()]
    await withFactsOf(store, 'a')
    await copy(store, target)
    await withFactsOf(store, 'b')
    let calls = 0
    const failing = copyFacts({
      ...{ source: sourceOf(store), target, sourceId: 'one', nowMs: () => NOW_MS },
      onProgress: () => {
        if (++calls === 2) throw new TypeError('ended')
      },
    })
    await expect(failing).rejects.toThrow('ended')
    const facts = await openTempFacts(target)
    expect((await facts.tokens.list()).map(({ name }) => name)).toEqual(['a'])
    await copy(store, target)
    expect((await facts.tokens.list()).map(({ name }) => name)).toEqual(['a', 'b'])
  })
})
