import { expect, test } from 'vitest'
import { sharedTurn } from '../../src/base/thread-slices.ts'
import { Labels } from '../../src/model/labels.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'
import { groupsOf, Harness, T0 } from './harness.ts'

// Rules and queries of users on one thread, as on the query worker: the order of their slices.

const QUERIES = 30
const RULES = 10
const EXPR = 'sum(x + x * 2 + x * 3)'

test('while many queries run, a due group waits for one slice of them at a time', async () => {
  const seen: string[] = []
  const queryable = new MemoryQueryable()
  for (let i = 0; i < 20; i++) queryable.append(Labels.of({ __name__: 'x', i: String(i) }), T0, i)
  let [clockMs, owner] = [0, '']
  /** Each look at the clock takes a slice, so that queries yield wherever they can; a slice is noted once. */
  const nowMs = (name: string) => (): number => {
    if (owner !== name) seen.push(name)
    owner = name
    return (clockMs += 30)
  }
  const inputs = { queryable, options: { ...DEFAULT_ENGINE_OPTIONS, timeoutMs: 1e9 } }
  const ofRules = createLocalEngine({ ...inputs, nowMs: nowMs('rule') })
  const rules = Array.from({ length: RULES }, (_, i) => `      - { record: 'r:${i}', expr: '${EXPR} + ${i}' }`)
  const { rules: engine } = new Harness(groupsOf(`groups:\n  - name: g\n    rules:\n${rules.join('\n')}`), {
    query: (expr, timeMs) => ofRules.instant({ expr, timeMs }),
  })
  await engine.restore(T0)
  let isOver = false
  const endless = Array.from({ length: QUERIES }, async (_, i) => {
    const query = createLocalEngine({ ...inputs, nowMs: nowMs(`q${i}`), turn: sharedTurn })
    while (!isOver) await query.instant({ expr: EXPR, timeMs: T0 })
  })
  for (let i = 0; i < 100; i++) await sharedTurn()
  const from = seen.length
  const { groups } = await engine.evaluate(T0)
  const slices = seen.slice(from)
  isOver = true
  await Promise.all(endless)

  expect(groups).toMatchObject([{ samples: RULES, errors: [] }])
  const ofRulesCount = slices.filter((name) => name === 'rule').length
  expect(ofRulesCount).toBeGreaterThan(RULES)
  // Between two slices of rules there is never more than one of all queries.
  const waits = slices
    .join(' ')
    .split('rule')
    .map((between) => between.trim())
  expect(waits.filter((between) => between.includes(' '))).toEqual([])
  // And queries go on meanwhile, one after the other.
  expect(new Set(slices).size).toBeGreaterThan(QUERIES / 2)
})

test('between two rules that are short alone and long together, other work runs', async () => {
  const seen: string[] = []
  const queryable = new MemoryQueryable()
  queryable.append(Labels.of({ __name__: 'x' }), T0, 1)
  const engine = createLocalEngine({ queryable, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => 0 })
  const rules = ['a', 'b', 'c'].map((name) => `      - { record: 'r:${name}', expr: 'x + 1' }`)
  const { rules: rulesEngine } = new Harness(groupsOf(`groups:\n  - name: g\n    rules:\n${rules.join('\n')}`), {
    query: async (expr, timeMs) => {
      seen.push('rule')
      const untilMs = performance.now() + 30
      while (performance.now() < untilMs);
      return engine.instant({ expr, timeMs })
    },
  })
  await rulesEngine.restore(T0)
  const other = (): void => {
    seen.push('other')
    if (seen.length < 20) setImmediate(other)
  }
  setImmediate(other)
  await rulesEngine.evaluate(T0)
  expect(seen.slice(0, 5)).toEqual(['rule', 'other', 'rule', 'other', 'rule'])
})
