import { expect, test } from 'vitest'
import { createBaselineChoice } from '../../src/fleet/configuration/baseline.ts'
import { createGraphImports } from '../../src/fleet/graph/imports.ts'
import type { GraphImport } from '../../src/model/graph-import.ts'
import type { SilenceRequest } from '../../src/notify/silence-change.ts'
import { createUserActions } from '../../src/notify/user-actions.ts'
import type { Facts } from '../../src/store/facts/facts.ts'
import { describeInBoth } from '../store/facts/in-both.ts'

/** What a process stores, the other one reads only when it is told to: no test here tells it. */
describeInBoth('commands of users at two processes', (open) => {
  const auditOf = async (facts: Facts): Promise<readonly string[]> =>
    (await facts.audit.list(9)).map(({ action, subject, by }) => `${action} ${subject} ${by}`)

  test('an acknowledgement is removed once, also by a process that has not read it', async () => {
    const facts = await open()
    const create = async () => (await createUserActions(facts, facts.audit)).acknowledgements
    const acknowledgement = { fingerprint: 'f', activeAtMs: 5, by: 'ada', atMs: 6, note: 'ü' }
    const [one, early] = [await create(), await create()]
    await one.put(acknowledgement)
    const other = await create()
    const removed = await Promise.all([one, other].map((each) => each.remove(acknowledgement, 'bob', 7)))
    expect(removed.toSorted()).toEqual([false, true])
    expect([one.of(acknowledgement), other.of(acknowledgement)]).toEqual([undefined, undefined])
    expect(await auditOf(facts)).toEqual(['alert.unacknowledge f bob', 'alert.acknowledge f ada'])
    const [entry] = await facts.audit.list(1)
    expect(JSON.parse(entry!.detail)).toEqual(acknowledgement)
    await one.put(acknowledgement)
    expect(await early.remove(acknowledgement, 'bob', 8)).toBe(true)
    expect(await facts.acknowledgements.listOpen()).toEqual([])
  })

  const WISH: SilenceRequest = {
    ...{ matchers: [{ name: 'cluster', op: '=', value: 'prague' }], endsAtMs: 100, createdBy: 'ada' },
    ...{ comment: 'rack 4 moves', untilResolved: false },
  }

  test('a silence is expired once, and the first end stays', async () => {
    const facts = await open()
    const create = async () => (await createUserActions(facts, facts.audit)).silences
    const one = await create()
    const set = await one.set(WISH, 'ada', 5)
    const id = set.kind === 'changed' ? set.silence.id : ''
    const other = await create()
    const ended = await one.expire(id, 'bob', 20)
    expect(await other.expire(id, 'eve', 30)).toEqual(ended)
    expect([await other.get(id), await facts.silences.list()]).toEqual([ended, [ended]])
    expect(await auditOf(facts)).toEqual([`silence.expire ${id} bob`, `silence.create ${id} ada`])
  })

  test('a silence that another process has just expired is replaced by a new one when it is changed', async () => {
    const facts = await open()
    const create = async () => (await createUserActions(facts, facts.audit)).silences
    const one = await create()
    const set = await one.set(WISH, 'ada', 5)
    const id = set.kind === 'changed' ? set.silence.id : ''
    const [other, third] = [await create(), await create()]
    const ended = await one.expire(id, 'bob', 20)
    const change = { ...WISH, id, startsAtMs: 5, endsAtMs: 200 }
    const made = [await other.set(change, 'eve', 30), await third.set({ ...change, startsAtMs: 35 }, 'eve', 35)]
    expect(made).toMatchObject([{ kind: 'changed' }, { kind: 'changed' }])
    const stored = await facts.silences.list()
    expect(stored).toHaveLength(3)
    expect(stored).toContainEqual(ended)
    expect((await auditOf(facts)).map((entry) => entry.replace(/ [0-9a-f-]{36} /, ' '))).toEqual([
      ...['silence.update eve', 'silence.update eve', 'silence.expire bob', 'silence.create ada'],
    ])
  })

  test('a silence that another process has just stored is found, changed and expired', async () => {
    const facts = await open()
    const create = async () => (await createUserActions(facts, facts.audit)).silences
    const one = await create()
    const others = [await create(), await create(), await create()] as const
    const set = await one.set(WISH, 'ada', 5)
    const id = set.kind === 'changed' ? set.silence.id : ''
    expect(await others[0].get(id)).toMatchObject({ id, endsAtMs: 100 })
    expect(await others[1].set({ ...WISH, id, startsAtMs: 5, endsAtMs: 200 }, 'ada', 7)).toMatchObject({
      silence: { id, endsAtMs: 200 },
    })
    expect(await others[2].expire(id, 'bob', 20)).toMatchObject({ id, endsAtMs: 20 })
    expect(await others[0].get('of nobody')).toBeUndefined()
  })

  test('an imported graph is removed once', async () => {
    const facts = await open()
    const create = () => createGraphImports(facts.updateGraphs, () => Promise.resolve())
    const [one, other] = [create(), create()]
    const imported: GraphImport = {
      ...{ name: 'community', kind: 'catalog', operator: 'kubevirt-hyperconverged', source: 'catalog/' },
      ...{ importedMs: 5, by: 'ada', document: '{}' },
    }
    await one.put(imported)
    const removed = await Promise.all([one.remove('community', 'bob', 7), other.remove('community', 'bob', 7)])
    expect(removed.toSorted()).toEqual([false, true])
    expect(await facts.updateGraphs.list()).toEqual([])
    expect(await auditOf(facts)).toEqual(['graph.remove community bob', 'graph.import community ada'])
  })

  test('a baseline cluster that both choose is one of the two, and is removed once', async () => {
    const facts = await open()
    const create = () => createBaselineChoice(facts.configurationBaseline, () => Promise.resolve())
    const [one, other] = [create(), create()]
    await Promise.all([one.choose('prague', 'ada', 5), other.choose('brno', 'ada', 5)])
    const chosen = await facts.configurationBaseline.read()
    expect((await auditOf(facts))[0]).toBe(`configuration.baseline.choose ${chosen?.cluster} ada`)
    await Promise.all([one.remove('bob', 7), other.remove('bob', 7)])
    expect(await facts.configurationBaseline.read()).toBeUndefined()
    expect((await auditOf(facts)).map((entry) => entry.split(' ')[0])).toEqual([
      'configuration.baseline.remove',
      ...Array<string>(2).fill('configuration.baseline.choose'),
    ])
  })
})
