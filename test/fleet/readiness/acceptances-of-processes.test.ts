import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createAcceptances, type AcceptanceStore } from '../../../src/fleet/readiness/acceptances.ts'
import { describeInBoth } from '../../store/facts/in-both.ts'

const EXPIRES_MS = 86_400_000
const wish = (...clusters: readonly string[]) => {
  return { hazard: 'nodes' as const, clusters, reason: 'why', expiresMs: EXPIRES_MS }
}

/** Two processes on one database. What either writes, the other reads only when it is told to. */
describeInBoth('acceptances of two processes', (open) => {
  async function processes() {
    const facts = await open()
    const create = (store: AcceptanceStore = facts.acceptedRisks) =>
      createAcceptances(store, randomUUID, () => Promise.resolve())
    const one = await create()
    const made = await one.accept(wish('a', 'b'), 'ada', 10)
    const audit = async (): Promise<readonly string[]> =>
      (await facts.audit.list(9)).map(({ action, subject, by, atMs }) => `${action} ${subject} ${by} ${atMs}`)
    return { facts, create, one, made, id: made[0]!.id, other: await create(), audit }
  }
  const ACCEPTED = ['risk.accept b ada 10', 'risk.accept a ada 10']
  const byBob = { withdrawn: { atMs: 20, by: 'bob' } }
  const byEve = { withdrawn: { atMs: 30, by: 'eve' } }

  test('both withdraw: each cluster is withdrawn once, by the first, and the second answers with that', async () => {
    const { facts, one, made, id, other, audit } = await processes()
    await one.withdraw(id, 'bob', 20, (cluster) => cluster === 'a')
    const want = [
      { ...made[0], ...byBob },
      { ...made[1], ...byEve },
    ]
    expect(await other.withdraw(id, 'eve', 30)).toEqual(want)
    expect([other.all(), await facts.acceptedRisks.list()]).toEqual([want, want])
    expect(await audit()).toEqual(['risk.withdraw b eve 30', 'risk.withdraw a bob 20', ...ACCEPTED])
  })

  test('both withdraw at the same moment: the entries of the audit are of the one that is stored', async () => {
    const { facts, one, id, other, audit } = await processes()
    const answers = await Promise.all([one.withdraw(id, 'bob', 20), other.withdraw(id, 'eve', 30)])
    const stored = await facts.acceptedRisks.list()
    expect(answers).toEqual([stored, stored])
    const entries = stored.toReversed().map(({ cluster, withdrawn }) => {
      return `risk.withdraw ${cluster} ${withdrawn?.by} ${withdrawn?.atMs}`
    })
    expect(await audit()).toEqual([...entries, ...ACCEPTED])
  })

  test('one withdraws while another accepts it again: it ends once, and the new one is in effect', async () => {
    const { facts, create, one, made, id, audit } = await processes()
    const accepting = await create({
      ...{ list: () => facts.acceptedRisks.list(), find: (id) => facts.acceptedRisks.find(id) },
      write: async (...written) => {
        await one.withdraw(id, 'bob', 20)
        return facts.acceptedRisks.write(...written)
      },
    })
    const [again] = await accepting.accept(wish('b'), 'eve', 30)
    const want = [...made.map((each) => ({ ...each, ...byBob })), again]
    expect([accepting.all(), await facts.acceptedRisks.list()]).toEqual([want, want])
    expect(await audit()).toEqual([
      ...['risk.accept b eve 30', 'risk.withdraw b bob 20', 'risk.withdraw a bob 20'],
      ...ACCEPTED,
    ])
  })

  test('both accept it at the same moment: the later one replaces the earlier one, however long that would last', async () => {
    const { facts, create, one, made } = await processes()
    let isFirst = true
    const late = await create({
      ...{ list: () => facts.acceptedRisks.list(), find: (id) => facts.acceptedRisks.find(id) },
      write: async (...written) => {
        if (isFirst) {
          await one.accept({ ...wish('b', 'c'), expiresMs: EXPIRES_MS + 1 }, 'bob', 20)
          await one.accept({ ...wish('c'), hazard: 'rwo_volumes' }, 'bob', 20)
        }
        isFirst = false
        return facts.acceptedRisks.write(...written)
      },
    })
    const [again] = await late.accept(wish('c'), 'eve', 30)
    const ofBob = one.all().filter(({ acceptedMs }) => acceptedMs === 20)
    expect(ofBob.map(({ cluster, hazard }) => `${hazard} ${cluster}`)).toEqual(['nodes b', 'nodes c', 'rwo_volumes c'])
    const want = [made[0], { ...made[1], ...byBob }, ofBob[0], { ...ofBob[1], ...byEve }, ofBob[2], again]
    expect(late.all()).toHaveLength(want.length)
    expect(late.all()).toEqual(expect.arrayContaining(want))
  })

  test('a store that always knows of another one is tried five times', async () => {
    const { facts, create, made } = await processes()
    let writes = 0
    const one = await create({
      ...{ list: () => facts.acceptedRisks.list(), find: (id) => facts.acceptedRisks.find(id) },
      write: () => {
        writes++
        return Promise.resolve([made[0]!])
      },
    })
    await expect(one.accept(wish('c'), 'ada', 15)).rejects.toThrow('other processes accept the same risk')
    expect([writes, one.all()]).toEqual([5, made])
  })

  test('one that has expired hinders no other', async () => {
    const { one, other } = await processes()
    await one.accept({ ...wish('c'), expiresMs: 20 }, 'ada', 15)
    const [again] = await other.accept(wish('c'), 'eve', 20)
    expect(other.all()).toContainEqual(again)
  })

  test('what another process has just stored is replaced, and withdrawn where its clusters are included', async () => {
    const { one, other } = await processes()
    const [first] = await one.accept(wish('c'), 'ada', 15)
    const [second] = await other.accept(wish('c'), 'eve', 30)
    expect(other.all()).toContainEqual({ ...first, ...byEve })
    const bySomebody = { withdrawn: { atMs: 40, by: 'bob' } }
    expect(await one.withdraw(second!.id, 'bob', 40, (cluster) => cluster !== 'c')).toEqual([])
    expect(await one.withdraw(second!.id, 'bob', 40, (cluster) => cluster === 'c')).toEqual([
      { ...second, ...bySomebody },
    ])
    expect(await other.withdraw('of nobody', 'bob', 40)).toEqual([])
  })
})
