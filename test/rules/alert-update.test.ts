import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AlertIndex, joinedUpdate, partsOf } from '../../src/rules/alert-update.ts'
import type { AlertUpdate } from '../../src/rules/alert-update.ts'
import { reviveLabels } from '../../src/threads/rpc.ts'
import { MINUTE_MS, T0, groupsOf, Harness } from './harness.ts'
import { atOnce } from '../support/at-once.ts'

// An index that is sent updates has the same alerts, in the same order, as the engine that sends them.

const RULES = `groups:
- name: g
  interval: 1m
  rules:
  - {alert: Waits, expr: up == 0, for: 2m, keep_firing_for: 2m, annotations: {is: "{{ $labels.c }}"}}
  - {alert: Tells, expr: load > 0, annotations: {is: "{{ $value }}"}}
`
const OTHER_RULES = RULES.replace('Waits', 'Looks').replace('  interval: 1m\n', '')

/** As it arrives on another thread, in parts. */
function crossed(update: AlertUpdate): AlertUpdate {
  const parts = reviveLabels(structuredClone(partsOf(update))) as ReturnType<typeof partsOf>
  expect(parts.map(({ isLast }) => isLast)).toEqual(parts.map((_, i) => i === parts.length - 1))
  return joinedUpdate(parts)
}

function indexOf(harness: Harness): { readonly index: AlertIndex; readonly receive: () => AlertUpdate } {
  const index = new AlertIndex()
  const receive = (): AlertUpdate => {
    const update = crossed(harness.rules.alertUpdate())
    atOnce(index.apply(update))
    expect(index.all()).toEqual(harness.rules.alerts())
    return update
  }
  return { index, receive }
}

test('whatever alerts do, whenever updates are asked for, and whatever rules are loaded', async () => {
  const step = fc.record({
    minutes: fc.integer({ min: 1, max: 9 }),
    /** By cluster; absent: no sample. */
    values: fc.array(fc.option(fc.integer({ min: -1, max: 2 }), { freq: 2 }), { minLength: 4, maxLength: 4 }),
    isAsked: fc.boolean(),
    loads: fc.option(fc.constantFrom(RULES, OTHER_RULES), { freq: 8 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      const harness = new Harness(RULES)
      const { receive } = indexOf(harness)
      await harness.rules.restore(T0)
      let nowMs = T0
      for (const { minutes, values, isAsked, loads } of steps) {
        nowMs += minutes * MINUTE_MS
        values.forEach((value, c) => {
          if (value === null) return
          harness.put({ __name__: 'up', c: String(c) }, value > 0 ? 1 : 0, nowMs)
          harness.put({ __name__: 'load', c: String(c) }, value, nowMs)
        })
        if (loads !== null) await harness.rules.reload(groupsOf(loads))
        await harness.evaluate(nowMs)
        if (isAsked) receive()
      }
      receive()
    }),
    { numRuns: 60 },
  )
})

test('labels and annotations cross when an alert begins, later only what changed', async () => {
  const harness = new Harness(RULES)
  const { receive } = indexOf(harness)
  await harness.rules.restore(T0)
  harness.put({ __name__: 'load', c: 'a' }, 1, T0)
  harness.put({ __name__: 'up', c: 'a' }, 0, T0)
  await harness.evaluate(T0)
  expect(receive()).toMatchObject({
    isWhole: true,
    rules: [
      { rule: 0, added: [{}] },
      { rule: 1, added: [{}] },
    ],
  })
  expect(receive()).toEqual({ isWhole: false, rules: [] })

  // The same value: a time. Another one: a value, and the text that shows it.
  harness.put({ __name__: 'load', c: 'a' }, 1, T0 + MINUTE_MS)
  harness.put({ __name__: 'up', c: 'a' }, 0, T0 + MINUTE_MS)
  await harness.evaluate(T0 + MINUTE_MS)
  const held = { removed: [], changed: [], added: [], lastHeldAtMs: Float64Array.of(T0 + MINUTE_MS) }
  expect(receive()).toEqual({
    isWhole: false,
    rules: [
      { rule: 0, ...held, values: Float64Array.of(0) },
      { rule: 1, ...held, values: Float64Array.of(1) },
    ],
  })
  harness.put({ __name__: 'load', c: 'a' }, 7, T0 + 2 * MINUTE_MS)
  harness.put({ __name__: 'up', c: 'a' }, 0, T0 + 2 * MINUTE_MS)
  await harness.evaluate(T0 + 2 * MINUTE_MS)
  expect(receive().rules).toMatchObject([
    { changed: [{ position: 0, phase: { state: 'firing' } }] },
    { changed: [{ position: 0, annotations: { is: '7' } }], values: Float64Array.of(7) },
  ])
})

test('an alert that is gone is sent as its position, the others stay', async () => {
  const harness = new Harness(RULES)
  const { receive } = indexOf(harness)
  await harness.rules.restore(T0)
  for (const c of ['a', 'b']) harness.put({ __name__: 'up', c }, 0, T0)
  await harness.evaluate(T0)
  receive()
  harness.put({ __name__: 'up', c: 'a' }, 1, T0 + MINUTE_MS)
  harness.put({ __name__: 'up', c: 'b' }, 0, T0 + MINUTE_MS)
  await harness.evaluate(T0 + MINUTE_MS)
  expect(receive().rules).toMatchObject([{ rule: 0, removed: [0], changed: [], added: [] }])
})

test('after a reload all alerts are sent, and those of removed rules too', async () => {
  const harness = new Harness(RULES)
  const { index, receive } = indexOf(harness)
  await harness.rules.restore(T0)
  harness.put({ __name__: 'load', c: 'a' }, 1, T0)
  await harness.evaluate(T0)
  receive()
  await harness.rules.reload(groupsOf('groups:\n- {name: g, rules: [{alert: New, expr: load > 0}]}\n'))
  expect(receive()).toMatchObject({ isWhole: true, rules: [{ rule: 1, added: [{ state: 'firing' }] }] })
  await harness.evaluate(T0 + MINUTE_MS)
  receive()
  expect(index.all().map(({ rule, state }) => `${rule.name} ${state}`)).toEqual(['New firing', 'Tells resolved'])
})

test.each([
  // Sizes of changed and added alerts by rule, and those of each part.
  [[[0, 0]], [0]],
  [[[0, 999]], [999]],
  [[[0, 1000]], [1000]],
  [[[0, 1001]], [1000, 1]],
  [[[600, 600]], [1000, 200]],
  [
    [
      [0, 999],
      [1, 0],
      [0, 2500],
    ],
    [1000, 1000, 1000, 500],
  ],
  [[], [0]],
])('an update of %j alerts crosses in parts of %j', (sizes, wanted) => {
  const rules = sizes.map(([changed, added], rule) => ({
    ...{ rule, removed: [rule] },
    changed: Array.from({ length: changed! }, (_, position) => ({
      position,
      annotations: {},
      phase: { state: 'firing' },
    })),
    added: Array.from({ length: added! }, (_, i) => ({ fingerprint: `${rule} ${i}` })),
    values: Float64Array.of(rule),
    lastHeldAtMs: Float64Array.of(rule),
  }))
  const update = { isWhole: true, rules } as unknown as AlertUpdate
  const parts = partsOf(update)
  const sizeOf = (part: AlertUpdate): number =>
    part.rules.reduce((sum, { changed, added }) => sum + changed.length + added.length, 0)
  expect(parts.map(sizeOf)).toEqual(wanted)
  expect(joinedUpdate(parts)).toEqual(update)
})
