import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createDecommissions, type DecommissionStore } from '../../../src/fleet/clusters/decommissions.ts'
import { describeInBoth } from '../../store/facts/in-both.ts'

/** Two processes on one database. What either writes, the other reads only when it is told to. */
describeInBoth('decommissions of two processes', (open) => {
  async function processes() {
    const facts = await open()
    const create = (store: DecommissionStore = facts.decommissions) =>
      createDecommissions(store, randomUUID, () => Promise.resolve())
    const one = await create()
    const [made] = await one.declare([{ cluster: 'prague', sinceMs: 5 }], 'sold', 'ada', 10)
    const audit = async (): Promise<readonly string[]> =>
      (await facts.audit.list(9)).map(({ action, by, atMs }) => `${action} ${by} ${atMs}`)
    return { facts, create, one, made: made!, other: await create(), audit }
  }
  const ENDED = { end: { kind: 'withdrawn', atMs: 20, by: 'bob' } }
  const AUDITED = ['cluster.decommission.withdraw bob 20', 'cluster.decommission ada 10']

  test('both withdraw: the first one ends it, and the second answers with that', async () => {
    const { facts, one, made, other, audit } = await processes()
    expect(await one.withdraw(made.id, 'bob', 20)).toEqual({ ...made, ...ENDED })
    expect(await other.withdraw(made.id, 'eve', 30)).toEqual({ ...made, ...ENDED })
    expect(other.all()).toEqual(one.all())
    expect(await facts.decommissions.list()).toEqual(one.all())
    expect(await audit()).toEqual(AUDITED)
  })

  test('both withdraw at the same moment: the entry of the audit is of the one that is stored', async () => {
    const { facts, one, made, other, audit } = await processes()
    const answers = await Promise.all([one.withdraw(made.id, 'bob', 20), other.withdraw(made.id, 'eve', 30)])
    const [stored] = await facts.decommissions.list()
    expect(answers).toEqual([stored, stored])
    const { by, atMs } = stored!.end!
    expect(await audit()).toEqual([`cluster.decommission.withdraw ${by} ${atMs}`, AUDITED[1]])
  })

  test('one withdraws, and one sees the cluster again', async () => {
    const { facts, one, made, other, audit } = await processes()
    await one.withdraw(made.id, 'bob', 20)
    await other.endReturned([{ id: made.id, lastSeenMs: 25 }], 30)
    expect(other.all()).toEqual([{ ...made, ...ENDED }])
    expect(await facts.decommissions.list()).toEqual(other.all())
    expect(await audit()).toEqual(AUDITED)
  })

  test('one withdraws while another declares it again: it ends once, and the new one is declared', async () => {
    const { facts, create, one, made, audit } = await processes()
    const withdrawing = await create({
      ...{ list: () => facts.decommissions.list(), find: (id) => facts.decommissions.find(id) },
      write: async (changes) => {
        await one.withdraw(made.id, 'bob', 20)
        return facts.decommissions.write(changes)
      },
    })
    const [again] = await withdrawing.declare([{ cluster: 'prague', sinceMs: 6 }], 'closed', 'eve', 30)
    expect(withdrawing.all()).toEqual([{ ...made, ...ENDED }, again])
    expect(await facts.decommissions.list()).toEqual(withdrawing.all())
    expect(await audit()).toEqual(['cluster.decommission eve 30', ...AUDITED])
  })

  test('a declaration withdraws the one that another process has just stored', async () => {
    const { one, made, other } = await processes()
    const [brno] = await one.declare([{ cluster: 'brno', sinceMs: 5 }], 'moved', 'ada', 15)
    const late = await other.declare([{ cluster: 'brno', sinceMs: 6 }], 'closed', 'eve', 30)
    expect(other.all()).toEqual([made, { ...brno, end: { kind: 'withdrawn', atMs: 30, by: 'eve' } }, ...late])
  })

  test('a decommission that another process has just declared is withdrawn, where its cluster is included', async () => {
    const { one, other } = await processes()
    const [brno] = await one.declare([{ cluster: 'brno', sinceMs: 6 }], 'moved', 'ada', 15)
    expect(await other.withdraw(brno!.id, 'bob', 20, (cluster) => cluster !== 'brno')).toBeUndefined()
    expect(await other.withdraw(brno!.id, 'bob', 20, (cluster) => cluster === 'brno')).toEqual({ ...brno, ...ENDED })
    expect(await other.withdraw('of nobody', 'bob', 20)).toBeUndefined()
  })

  test('one that another process has just declared and withdrawn stays as it is', async () => {
    const { one, other, audit } = await processes()
    const [brno] = await one.declare([{ cluster: 'brno', sinceMs: 6 }], 'moved', 'ada', 15)
    await one.withdraw(brno!.id, 'bob', 20)
    expect(await other.withdraw(brno!.id, 'eve', 30)).toEqual({ ...brno, ...ENDED })
    expect(await audit()).toEqual(['cluster.decommission.withdraw bob 20', 'cluster.decommission ada 15', AUDITED[1]])
  })

  test('both declare it at the same moment: the later one withdraws the earlier one', async () => {
    const { facts, create, one, made, audit } = await processes()
    let isFirst = true
    const late = await create({
      ...{ list: () => facts.decommissions.list(), find: (id) => facts.decommissions.find(id) },
      write: async (changes) => {
        if (isFirst) await one.declare([{ cluster: 'prague', sinceMs: 6 }], 'moved', 'bob', 20)
        isFirst = false
        return facts.decommissions.write(changes)
      },
    })
    const [again] = await late.declare(
      ['brno', 'prague'].map((cluster) => ({ cluster, sinceMs: 7 })),
      'closed',
      'eve',
      30,
    )
    const byBob = expect.objectContaining({ by: 'bob', end: { kind: 'withdrawn', atMs: 30, by: 'eve' } }) as unknown
    const byEve = { ...again!, id: expect.any(String) as unknown, cluster: 'prague' }
    expect(late.all()).toEqual([{ ...made, ...ENDED }, byBob, ...late.all().filter(({ by }) => by === 'eve')])
    expect(late.all().filter(({ end }) => end === undefined)).toEqual(expect.arrayContaining([again, byEve]))
    expect(await facts.decommissions.list()).toEqual(expect.arrayContaining([...late.all()]))
    expect((await audit()).filter((entry) => entry.includes('withdraw'))).toEqual([
      'cluster.decommission.withdraw eve 30',
      'cluster.decommission.withdraw bob 20',
    ])
  })

  test('a store that always knows of another one is tried five times', async () => {
    const { facts, create, made } = await processes()
    let writes = 0
    const one = await create({
      ...{ list: () => facts.decommissions.list(), find: (id) => facts.decommissions.find(id) },
      write: () => {
        writes++
        return Promise.resolve([{ ...made, cluster: 'brno' }])
      },
    })
    await expect(one.declare([{ cluster: 'brno', sinceMs: 6 }], 'moved', 'ada', 15)).rejects.toThrow(
      'other processes declare the same clusters',
    )
    expect([writes, one.all()]).toEqual([5, [made]])
  })

  test('all of a declaration of many clusters is written with its audit, or nothing', async () => {
    const { facts, create, one, audit } = await processes()
    const wishes = Array.from({ length: 1201 }, (_, i) => ({ cluster: i === 0 ? 'prague' : `c${i}`, sinceMs: 5 }))
    const failing = await create({
      ...{ list: () => facts.decommissions.list(), find: (id) => facts.decommissions.find(id) },
      write: (changes) => {
        const last = changes.at(-1)!
        return facts.decommissions.write([
          ...changes.slice(0, -1),
          { ...last, audited: { ...last.audited, atMs: 0.5 } },
        ])
      },
    })
    await expect(failing.declare(wishes, 'closed', 'eve', 30)).rejects.toThrow()
    expect([failing.all(), await facts.decommissions.list()]).toEqual([one.all(), one.all()])
    expect(await audit()).toEqual([AUDITED[1]])
    await one.declare(wishes, 'closed', 'eve', 30)
    expect((await facts.decommissions.list()).filter(({ end }) => end === undefined)).toHaveLength(1201)
    expect(await facts.audit.list(2000)).toHaveLength(1203)
  })
})
