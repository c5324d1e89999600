import { expect, test } from 'vitest'
import { RESOLVED_RETENTION_MS } from '../../src/rules/alert-state.ts'
import { Harness, MemoryAlertStates, MINUTE_MS, T0, transitionsOf } from './harness.ts'

// Two engines that share the stored alerts, each of which evaluates a group only while it owns it.

const at = (minute: number): number => T0 + minute * MINUTE_MS

const RULES = `
groups:
- name: g
  interval: 1m
  rules:
  - alert: Down
    expr: up == 0
    for: 5m
`
const KEY = 'r.yaml;g'

async function two() {
  const states = new MemoryAlertStates()
  let owner = 0
  const engines = [0, 1].map((who) => new Harness(RULES, { isOwn: (key) => key === KEY && owner === who }, states))
  for (const { rules } of engines) await rules.restore(at(0))
  const [one, other] = engines as [Harness, Harness]
  return {
    ...{ states, one, other },
    give: (to: number) => {
      owner = to
    },
    run: async (harness: Harness, minute: number) => {
      harness.put({ __name__: 'up', cluster: 'c1' }, 0, at(minute))
      return transitionsOf(await harness.evaluate(at(minute)))
    },
  }
}

test('only the owner evaluates; the other one shows the alerts that are stored', async () => {
  const { one, other, run } = await two()
  expect(await run(one, 0)).toEqual(['Down: inactive > pending'])
  expect(await run(other, 0)).toEqual([])
  expect(other.alerts()).toEqual([])
  await other.rules.reread([KEY], at(0))
  expect(other.alerts()).toEqual(one.alerts())
  await other.rules.reread(['other group'], at(0))
  expect(other.alerts()).toEqual(one.alerts())
  // `for` does not count while nobody evaluates, and who evaluates next moves the start.
  await other.rules.reread([KEY], at(30))
  expect(other.rules.alerts()).toMatchObject([{ state: 'pending', activeAtMs: at(0) }])
  // What is stored is never older than what the owner knows: it does not read it.
  await run(one, 1)
  const before = one.rules.alerts()
  await one.rules.reread(undefined, at(1))
  expect(one.rules.alerts()).toEqual(before)
  expect(one.rules.groupKeys()).toEqual([KEY])
})

test('who gains a group goes on where the other one was: `for` counts on, nothing fires twice, missed slots are none', async () => {
  const { one, other, give, run } = await two()
  for (const minute of [0, 1, 2, 3]) await run(one, minute)
  give(1)
  other.rules.gain([KEY])
  expect(await run(one, 4)).toEqual([])
  expect(await run(other, 4)).toEqual([])
  expect(await run(other, 5)).toEqual(['Down: pending > firing'])
  give(0)
  one.rules.gain([KEY])
  one.put({ __name__: 'up', cluster: 'c1' }, 0, at(6))
  const report = await one.evaluate(at(6))
  expect([transitionsOf(report), report.groups.map(({ missed }) => missed)]).toEqual([[], [0]])
  expect(one.rules.alerts()).toMatchObject([{ state: 'firing', activeAtMs: at(0), firedAtMs: at(5) }])
})

test('a group whose stored alerts cannot be read is not evaluated before they can', async () => {
  const { states, one, other, give, run } = await two()
  for (const minute of [0, 1, 2, 3, 4, 5]) await run(one, minute)
  give(1)
  other.rules.gain([KEY])
  const load = states.load.bind(states)
  states.load = () => Promise.reject(new Error('away'))
  expect(await run(other, 6)).toEqual([])
  expect((await other.evaluate(at(7))).groups).toEqual([])
  states.load = load
  expect(await run(other, 8)).toEqual([])
  expect(other.rules.alerts()).toMatchObject([{ state: 'firing', activeAtMs: at(0) }])
})

test('a resolved alert is shown by each process until it expires', async () => {
  const { one, other, run } = await two()
  for (const minute of [0, 1, 2, 3, 4, 5]) await run(one, minute)
  one.put({ __name__: 'up', cluster: 'c1' }, 1, at(6))
  await one.evaluate(at(6))
  await other.rules.reread([KEY], at(6) + RESOLVED_RETENTION_MS)
  expect(other.rules.alerts()).toMatchObject([{ state: 'resolved', resolvedAtMs: at(6) }])
  await other.rules.reread([KEY], at(6) + RESOLVED_RETENTION_MS + 1)
  expect(other.rules.alerts()).toEqual([])
})
