import { expect, test } from 'vitest'
import { groupKeyOf } from '../../src/rules/rule.ts'
import { SharedGroupStatus, type GroupStatusStore, type StoredGroupStatus } from '../../src/rules/shared-status.ts'
import { Harness, MemoryAlertStates, MINUTE_MS, T0 } from './harness.ts'

const RULES = `
groups:
- name: g
  interval: 1m
  rules:
  - alert: Down
    expr: up == 0
  - alert: Fails
    expr: up + on () group_left up
`
const KEY = 'r.yaml;g'

/** As PostgreSQL: JSON, and no status under an older lease. */
class Stored implements GroupStatusStore {
  readonly rows = new Map<string, string>()
  isAway = false
  writes = 0

  write(statuses: readonly StoredGroupStatus[]): Promise<void> {
    if (this.isAway) return Promise.reject(new Error('away'))
    this.writes++
    for (const one of statuses) this.rows.set(one.groupKey, JSON.stringify(one))
    return Promise.resolve()
  }

  read(keys: readonly string[]): Promise<readonly StoredGroupStatus[]> {
    if (this.isAway) return Promise.reject(new Error('away'))
    return Promise.resolve(
      keys.flatMap((key) => {
        const row = this.rows.get(key)
        return row === undefined ? [] : [JSON.parse(row) as StoredGroupStatus]
      }),
    )
  }
}

async function two() {
  const [stored, states] = [new Stored(), new MemoryAlertStates()]
  const all = [0, 1].map((who) => {
    let fence: number | undefined = who === 0 ? 1 : undefined
    const harness = new Harness(RULES, { isOwn: () => fence !== undefined }, states)
    const shared = new SharedGroupStatus({ store: stored, keyOf: groupKeyOf, fenceOf: () => fence })
    const own = (changed: number | undefined): void => {
      fence = changed
    }
    return { harness, shared, own }
  })
  for (const { harness } of all) await harness.rules.restore(T0)
  const [owner, other] = all as [(typeof all)[0], (typeof all)[0]]
  const evaluate = async (minute: number): Promise<void> => {
    for (const instance of ['a', 'b']) owner.harness.put({ __name__: 'up', instance }, 0, T0 + minute * MINUTE_MS)
    await owner.harness.evaluate(T0 + minute * MINUTE_MS)
    await owner.shared.write(owner.harness.rules.groups())
  }
  const seen = async () => (await other.shared.complete(other.harness.rules.groups()))[0]!
  return { stored, owner, other, evaluate, seen }
}

test('who does not evaluate a group shows the last evaluation of its evaluator', async () => {
  const { stored, owner, other, evaluate, seen } = await two()
  expect(await seen()).not.toHaveProperty('lastEvaluationMs')
  await evaluate(1)
  const there = owner.harness.rules.groups()[0]!
  const here = await seen()
  expect(here).toMatchObject({ lastEvaluationMs: T0 + MINUTE_MS, nextEvaluationMs: T0 + 2 * MINUTE_MS, missed: 0 })
  const facts = ({ name, health, lastError, lastEvaluationMs, lastSamples }: (typeof here.rules)[0]) => {
    return { name, health, lastError, lastEvaluationMs, lastSamples }
  }
  expect(here.rules.map(facts)).toEqual(there.rules.map(facts))
  expect(here.rules.map(({ health }) => health)).toEqual(['ok', 'err'])
  // Nothing new is not written again.
  await owner.shared.write(owner.harness.rules.groups())
  expect(stored.writes).toBe(1)
  // The evaluator itself does not read what it stored.
  stored.rows.clear()
  expect(await owner.shared.complete([there])).toEqual([there])
  // While the store is away: as it was read last.
  stored.isAway = true
  expect(await seen()).toEqual(here)
  await owner.shared.write([{ ...there, lastEvaluationMs: T0 + 2 * MINUTE_MS }])
  stored.isAway = false
  await evaluate(3)
  expect(await seen()).toMatchObject({ lastEvaluationMs: T0 + 3 * MINUTE_MS })
  expect(await other.shared.complete(other.harness.rules.groups())).toHaveLength(1)
})

test('a process that takes over shows the status of the one before until its first evaluation', async () => {
  const { owner, other, evaluate, seen } = await two()
  await evaluate(1)
  owner.own(undefined)
  other.own(2)
  other.harness.rules.gain([KEY])
  expect(await seen()).toMatchObject({ lastEvaluationMs: T0 + MINUTE_MS })
  await owner.shared.write(owner.harness.rules.groups())
  await other.harness.evaluate(T0 + 2 * MINUTE_MS)
  await other.shared.write(other.harness.rules.groups())
  expect(await seen()).toMatchObject({ lastEvaluationMs: T0 + 2 * MINUTE_MS })
  expect((await owner.shared.complete(owner.harness.rules.groups()))[0]).toMatchObject({
    lastEvaluationMs: T0 + 2 * MINUTE_MS,
  })
})

test('long texts are cut', async () => {
  const { owner, stored } = await two()
  const [group] = owner.harness.rules.groups()
  const rule = { ...group!.rules[0]!, lastError: 'x'.repeat(2000), warnings: Array.from({ length: 20 }, () => 'y') }
  const evaluated = { ...group!, rules: [rule], lastEvaluationMs: 1, nextEvaluationMs: 2 }
  await owner.shared.write([evaluated])
  const [read] = await stored.read([KEY])
  expect(read!.status.rules[0]!.lastError).toHaveLength(1000)
  expect(read!.status.rules[0]!.warnings).toHaveLength(10)
})
