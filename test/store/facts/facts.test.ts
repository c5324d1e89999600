import { describe, expect, test } from 'vitest'
import { fingerprintOf, type AlertRecord } from '../../../src/model/alert.ts'
import { Labels } from '../../../src/model/labels.ts'
import { openFacts } from '../../../src/store/facts/facts.ts'
import { NOW_MS, TempStore } from '../temp-store.ts'
import { describeInBoth } from './in-both.ts'

function alertOf(name: string, more: Partial<AlertRecord> = {}): AlertRecord {
  const labels = Labels.of({ alertname: name, cluster: 'ü"\u0000', severity: 'warning' })
  return {
    ruleKey: `${name}/warning/0`,
    fingerprint: fingerprintOf(labels),
    labels,
    annotations: { summary: 'a\nb' },
    state: 'firing',
    activeAtMs: NOW_MS,
    lastHeldAtMs: NOW_MS + 1,
    value: 1,
    ...more,
  }
}

const ingest = { role: 'ingest', name: 'cluster a', cluster: 'a', hash: 'aa', createdAtMs: NOW_MS } as const
const admin = { role: 'admin', name: 'me', hash: 'bb', createdAtMs: NOW_MS + 1 } as const
const made = { atMs: NOW_MS, by: 'root', action: 'token.add', detail: '{}' } as const
const gone = (id: number) =>
  ({ atMs: NOW_MS, by: 'root', action: 'token.remove', subject: String(id), detail: '{}' }) as const

describeInBoth('facts', (open) => {
  describe('alert states', () => {
    test('come back as they were, group by group, also after a restart', async () => {
      const facts = await open()
      const values = [NaN, Infinity, -Infinity, -0, 0.1, Number.MIN_VALUE, 2 ** 60]
      const records = [
        alertOf('Pending', { state: 'pending' }),
        alertOf('Firing', { firedAtMs: NOW_MS + 5 }),
        alertOf('Kept', { firedAtMs: NOW_MS + 5, keepFiringSinceMs: NOW_MS + 6 }),
        alertOf('Resolved', { state: 'resolved', firedAtMs: -5, resolvedAtMs: 0 }),
        ...values.map((value, i) => alertOf(`Value${i}`, { value })),
      ]
      await facts.alertStates.replaceGroup('file;group', records)
      await facts.alertStates.replaceGroup('other', [alertOf('Other')])
      await facts.alertStates.replaceGroup('empty', [])
      const groups = await (await facts.reopened()).alertStates.load()
      expect([...groups.keys()]).toEqual(['file;group', 'other'])
      expect(groups.get('file;group')).toEqual(records)
      expect(groups.get('file;group')!.map((record) => record.value)).toEqual([1, 1, 1, 1, ...values])
    })

    test('of a group are replaced as a whole, however many', async () => {
      const facts = await open()
      const { alertStates } = facts
      const many = Array.from({ length: 3000 }, (_, i) => alertOf(`A${i}`))
      await alertStates.replaceGroup('g', many)
      expect((await alertStates.load()).get('g')).toHaveLength(3000)
      await alertStates.replaceGroup('g', [alertOf('Only')])
      expect((await alertStates.load()).get('g')).toEqual([alertOf('Only')])
      await alertStates.replaceGroup('g', [])
      expect((await alertStates.load()).size).toBe(0)
    })

    test('are all or nothing', async () => {
      const facts = await open()
      const { alertStates } = facts
      await alertStates.replaceGroup('g', [alertOf('Kept')])
      const broken = { ...alertOf('Broken'), activeAtMs: 0.5 }
      await expect(alertStates.replaceGroup('g', [alertOf('New'), broken])).rejects.toMatchObject({
        code: 'storage_failed',
      })
      expect((await alertStates.load()).get('g')).toEqual([alertOf('Kept')])
    })
  })

  describe('tokens', () => {
    test('are listed by id, and an id is never given out again', async () => {
      const facts = await open()
      const first = await facts.tokens.add(ingest, made)
      const second = await facts.tokens.add(admin, made)
      expect(await facts.tokens.list()).toEqual([
        { id: first.id, ...ingest },
        { id: second.id, ...admin },
      ])
      expect(await facts.tokens.remove(second.id, gone(second.id))).toBe(true)
      expect(await facts.tokens.remove(second.id, gone(second.id))).toBe(false)
      const third = await facts.tokens.add(admin, made)
      expect(third.id).toBeGreaterThan(second.id)
      expect((await facts.audit.list(9)).map(({ action, subject }) => `${action} ${subject}`)).toEqual([
        `token.add ${third.id}`,
        `token.remove ${second.id}`,
        `token.add ${second.id}`,
        `token.add ${first.id}`,
      ])
      expect(third).not.toHaveProperty('cluster')
    })

    test('with a hash that is there already are a failure', async () => {
      const facts = await open()
      await facts.tokens.add(admin, made)
      await expect(facts.tokens.add({ ...admin, name: 'other' }, made)).rejects.toMatchObject({
        code: 'storage_failed',
      })
    })

    test('have an expiry and a last use, of those that are there', async () => {
      const facts = await open()
      const { id } = await facts.tokens.add({ ...admin, expiresAtMs: NOW_MS + 5 }, made)
      await facts.tokens.add(ingest, made)
      await facts.tokens.touch([
        [id, NOW_MS + 3],
        [77, NOW_MS],
      ])
      expect(await facts.tokens.list()).toEqual([
        { id, ...admin, expiresAtMs: NOW_MS + 5, lastUsedMs: NOW_MS + 3 },
        { id: id + 1, ...ingest },
      ])
    })
  })

  test('meta keeps the last text of a key', async () => {
    const facts = await open()
    expect(await facts.meta.get('k')).toBeUndefined()
    await facts.meta.set('k', 'one')
    await facts.meta.set('k', 'two')
    expect(await facts.meta.get('k')).toBe('two')
  })
})

describe('facts in the data folder', () => {
  test('alert states that find no room say so, and are as they were', async () => {
    const store = new TempStore({ databaseBytesMax: 2_000_000 })
    const { alertStates } = store.writer.facts
    await alertStates.replaceGroup('g', [alertOf('Kept')])
    const long = alertOf('Long', { annotations: { description: 'x'.repeat(2_000_000) } })
    // SQLite has rolled back by then: that there is nothing to roll back is not what was asked.
    await expect(alertStates.replaceGroup('g', [long])).rejects.toMatchObject({
      code: 'storage_full',
      message: expect.stringMatching(/^writing alert states: database or disk is full/) as string,
    })
    expect((await alertStates.load()).get('g')).toEqual([alertOf('Kept')])
    await alertStates.replaceGroup('g', [alertOf('Next')])
    expect((await alertStates.load()).get('g')).toEqual([alertOf('Next')])
  })

  test('alert states and commits take turns on one connection', async () => {
    const store = new TempStore()
    const ref = store.resolve({ __name__: 'up' })
    const { appender, facts } = store.writer
    const work: Promise<unknown>[] = []
    for (let i = 0; i < 50; i++) {
      appender.append(ref, NOW_MS + i, i)
      work.push(appender.commit(), facts.alertStates.replaceGroup(`g${i % 3}`, [alertOf(`A${i}`)]))
      if (i % 10 === 0) work.push(store.writer.maintain(NOW_MS + i), new Promise((resolve) => setImmediate(resolve)))
      if (i % 7 === 0) await work[i]
    }
    await Promise.all(work)
    await store.reopen()
    expect(store.all()['up']).toHaveLength(50)
    expect([...(await store.writer.facts.alertStates.load()).values()].map((group) => group[0]!.ruleKey)).toEqual([
      'A48/warning/0',
      'A49/warning/0',
      'A47/warning/0',
    ])
  })

  test('tokens can be changed beside a running server, which sees it', async () => {
    const store = new TempStore()
    const beside = openFacts(store.options.dir)
    await beside.tokens.add(ingest, made)
    expect(await store.writer.facts.tokens.list()).toHaveLength(1)
    store.writer.appender.append(store.resolve({ __name__: 'up' }), NOW_MS, 1)
    await store.writer.appender.commit()
    await beside.tokens.remove(1, gone(1))
    expect(await store.writer.facts.tokens.list()).toEqual([])
    beside.close()
  })
})
