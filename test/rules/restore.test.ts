import { describe, expect, onTestFinished, test } from 'vitest'
import { fingerprintOf, type AlertRecord } from '../../src/model/alert.ts'
import { Labels } from '../../src/model/labels.ts'
import { CONFIRM_WITHIN_MS, OUTAGE_TOLERANCE_MS, restoreAlert } from '../../src/rules/engine.ts'
import { openFacts } from '../../src/store/facts/facts.ts'
import { tempDir } from '../support/temp-dir.ts'
import { Harness, MINUTE_MS, T0, transitionsOf, type MemoryAlertStates } from './harness.ts'

const at = (minute: number): number => T0 + minute * MINUTE_MS

const RULES = `
groups:
- name: g
  interval: 1m
  rules:
  - alert: Down
    expr: up == 0
    for: 5m
    keep_firing_for: 3m
    labels: {severity: critical}
`

/** A new engine on the states and samples that an earlier one left behind. */
async function restarted(before: Harness, nowMs: number, rules = RULES): Promise<Harness> {
  const harness = new Harness(rules, {}, before.states)
  const seen = before.appended.flat()
  for (const { labels, timeMs, value, isStale } of seen) {
    if (isStale) harness.store.appendStale(labels, timeMs)
    else harness.store.append(labels, timeMs, value)
  }
  await harness.rules.restore(nowMs)
  return harness
}

async function run(harness: Harness, minutes: readonly number[], up: number): Promise<string[]> {
  const steps: string[] = []
  for (const minute of minutes) {
    harness.put({ __name__: 'up', cluster: 'c1' }, up, at(minute))
    for (const step of transitionsOf(await harness.evaluate(at(minute)))) steps.push(`${minute}m ${step}`)
  }
  return steps
}

async function started(): Promise<Harness> {
  const harness = new Harness(RULES)
  await harness.rules.restore(at(0))
  return harness
}

describe('after a restart', () => {
  test('`for` goes on counting: it fires when it would have', async () => {
    const first = await started()
    expect(await run(first, [0, 1, 2], 0)).toEqual(['0m Down: inactive > pending'])
    const second = await restarted(first, at(3))
    expect(second.rules.alerts()).toMatchObject([{ state: 'pending', activeAtMs: at(0) }])
    expect(await run(second, [3, 4, 5], 0)).toEqual(['5m Down: pending > firing'])
  })

  test('unseen time does not count for `for`', async () => {
    const first = await started()
    await run(first, [0, 1, 2], 0)
    const second = await restarted(first, at(22))
    // 20 minutes away, one of which is the normal interval.
    expect(second.rules.alerts()).toMatchObject([{ state: 'pending', activeAtMs: at(19) }])
    expect(await run(second, [22, 23, 24], 0)).toEqual(['24m Down: pending > firing'])
  })

  test('a firing alert that is solved meanwhile resolves, and its series end', async () => {
    const first = await started()
    await run(first, [0, 1, 2, 3, 4, 5, 6], 0)
    const second = await restarted(first, at(7))
    expect(await run(second, [7, 8, 9, 10], 1)).toEqual(['10m Down: firing > resolved'])
    expect(await second.ask('{__name__=~"ALERTS.*"}', at(10))).toEqual([])
  })

  test('keep_firing_for goes on counting', async () => {
    const first = await started()
    await run(first, [0, 1, 2, 3, 4, 5], 0)
    await run(first, [6, 7], 1)
    expect(first.rules.alerts()).toMatchObject([{ state: 'firing', keepFiringSinceMs: at(6) }])
    const second = await restarted(first, at(8))
    expect(await run(second, [8, 9], 1)).toEqual(['9m Down: firing > resolved'])
  })

  test('silence after a long outage resolves nothing until the senders had time to come back', async () => {
    const first = await started()
    await run(first, [0, 1, 2, 3, 4, 5], 0)
    const second = await restarted(first, at(40))
    for (const minute of [40, 42, 43]) expect(transitionsOf(await second.evaluate(at(minute)))).toEqual([])
    expect(await run(second, [44], 0)).toEqual([])
    // Seen once, it is an alert like any other.
    expect(await run(second, [45, 46, 47, 48], 1)).toEqual(['48m Down: firing > resolved'])
  })

  test('and when they do not come back, it resolves after all', async () => {
    const first = await started()
    await run(first, [0, 1, 2, 3, 4, 5], 0)
    const second = await restarted(first, at(40))
    const steps: string[] = []
    for (let minute = 40; minute < 55; minute++) steps.push(...transitionsOf(await second.evaluate(at(minute))))
    expect(steps).toEqual(['Down: firing > resolved'])
    expect(second.rules.alerts()).toMatchObject([{ resolvedAtMs: at(48) }])
  })

  test('an alert whose rule was removed meanwhile resolves, and is not kept', async () => {
    const first = await started()
    await run(first, [0, 1, 2, 3, 4, 5], 0)
    const second = await restarted(first, at(6), 'groups: [{name: other, rules: []}]')
    expect(transitionsOf(await second.evaluate(at(6)))).toEqual(['Down: firing > resolved'])
    expect(second.rules.alerts()).toMatchObject([
      { state: 'resolved', rule: { name: 'Down', group: 'g', file: 'r.yaml' } },
    ])
    expect(await second.ask('ALERTS', at(6))).toEqual([])
    expect(second.states.groups.size).toBe(0)
  })

  test('a failing store is a failure of the start', async () => {
    const states = { load: () => Promise.reject(new Error('locked')), replaceGroup: () => Promise.resolve() }
    await expect(new Harness(RULES, {}, states as unknown as MemoryAlertStates).rules.restore(T0)).rejects.toThrow(
      'locked',
    )
  })

  test('through a real database', async () => {
    const dir = tempDir('rules')
    onTestFinished(() => {
      dir.remove()
    })
    const runs: [readonly number[], number][] = [
      [[0, 1, 2], 0],
      [[3, 4, 5, 6], 0],
      [[7, 8], 1],
      [[9, 10, 11], 1],
    ]
    const steps: string[] = []
    for (const [minutes, up] of runs) {
      const facts = openFacts(dir.path)
      const harness = new Harness(RULES, { states: facts.alertStates })
      await harness.rules.restore(at(minutes[0]!))
      steps.push(...(await run(harness, minutes, up)))
      facts.close()
    }
    expect(steps).toEqual(['0m Down: inactive > pending', '5m Down: pending > firing', '10m Down: firing > resolved'])
  })
})

describe('restoreAlert', () => {
  const labels = Labels.of({ alertname: 'A' })
  const record = (over: Partial<AlertRecord>): AlertRecord => ({
    ruleKey: 'A///0',
    fingerprint: fingerprintOf(labels),
    labels,
    annotations: {},
    state: 'pending',
    activeAtMs: T0,
    lastHeldAtMs: T0 + 100_000,
    value: 1,
    ...over,
  })
  const held = T0 + 100_000

  test.each([
    ['a pending alert after one interval', record({}), held + 60_000, { state: 'pending', activeAtMs: T0 }],
    ['a pending alert after two', record({}), held + 120_000, { state: 'pending', activeAtMs: T0 }],
    ['a pending alert after more', record({}), held + 300_000, { state: 'pending', activeAtMs: T0 + 240_000 }],
    ['a pending alert after too much', record({}), held + OUTAGE_TOLERANCE_MS + 1, undefined],
    ['a pending alert of the future', record({}), held - 1_000_000, { state: 'pending', activeAtMs: T0 }],
    [
      'a firing alert',
      record({ state: 'firing', firedAtMs: T0 + 5 }),
      held,
      { state: 'firing', activeAtMs: T0, firedAtMs: T0 + 5 },
    ],
    [
      'a resolved alert',
      record({ state: 'resolved', firedAtMs: T0, resolvedAtMs: held }),
      held + 1,
      { state: 'resolved', activeAtMs: T0, firedAtMs: T0, resolvedAtMs: held },
    ],
    ['a resolved alert of long ago', record({ state: 'resolved', resolvedAtMs: held }), held + 901_000, undefined],
  ])('%s', (_, kept, nowMs, want) => {
    expect(restoreAlert(kept, nowMs, 60_000)?.phase).toEqual(want)
  })

  test('a firing alert after a long outage waits to be confirmed', () => {
    const kept = record({ state: 'firing', firedAtMs: T0 })
    expect(restoreAlert(kept, held + 300_000, 60_000)?.unconfirmedUntilMs).toBeUndefined()
    expect(restoreAlert(kept, held + 300_001, 60_000)?.unconfirmedUntilMs).toBe(held + 300_001 + CONFIRM_WITHIN_MS)
  })
})
