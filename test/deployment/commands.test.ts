import { expect, test } from 'vitest'
import { createBaselineChoice } from '../../src/fleet/configuration/baseline.ts'
import { createGraphImports } from '../../src/fleet/graph/imports.ts'
import type { GraphImport } from '../../src/model/graph-import.ts'
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
