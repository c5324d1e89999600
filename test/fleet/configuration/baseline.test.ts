import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { createBaselineChoice } from '../../../src/fleet/configuration/baseline.ts'
import { ConnectionLock } from '../../../src/store/connection-lock.ts'
import { createFacts } from '../../../src/store/facts/facts.ts'
import { migrate } from '../../../src/store/migrations.ts'

test('a choice is stored with its audit entry before it takes effect; the last one counts', async () => {
  const database = new Database(':memory:')
  migrate(database, ':memory:')
  const facts = createFacts(database, new ConnectionLock())
  const seen: unknown[] = []
  const choice = createBaselineChoice(facts.configurationBaseline, async () => {
    seen.push((await facts.configurationBaseline.read())?.cluster)
  })
  await choice.remove('ada', 1)
  await Promise.all([choice.choose('prague', 'ada', 2), choice.choose('fra', 'bob', 3)])
  expect(await facts.configurationBaseline.read()).toEqual({ cluster: 'fra', by: 'bob', chosenMs: 3 })
  await choice.remove('ada', 4)
  expect(await facts.configurationBaseline.read()).toBeUndefined()
  await choice.reread()
  expect(seen).toEqual(['prague', 'fra', undefined, undefined])
  const entries = (await facts.audit.list(10)).toReversed()
  expect(
    entries.map(({ action, subject, by, detail }) => [action, subject, by, JSON.parse(detail) as unknown]),
  ).toEqual([
    ['configuration.baseline.choose', 'prague', 'ada', { before: null, after: 'prague' }],
    ['configuration.baseline.choose', 'fra', 'bob', { before: 'prague', after: 'fra' }],
    ['configuration.baseline.remove', 'fra', 'ada', { before: 'fra', after: null }],
  ])
  database.close()
})
