import { expect, test } from 'vitest'
import { FUNCTIONS, UNSUPPORTED_FUNCTIONS } from '../../src/promql/functions.ts'
import { Labels } from '../../src/model/labels.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { diagnose } from '../../src/promql/parse.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'

/** Arguments that every function accepts, by type; the second of `info` selects labels. */
const ARGUMENTS = { scalar: '0.5', string: '"a"', vector: 'm', matrix: 'm[5m]' }

test.each(Object.entries(FUNCTIONS))('%s, which the checker accepts, is computed', async (name, { args }) => {
  const store = new MemoryQueryable()
  for (let i = 0; i < 3; i++) store.append(Labels.of({ __name__: 'm' }), i * 60_000, i)
  const engine = createLocalEngine({
    queryable: store,
    options: { ...DEFAULT_ENGINE_OPTIONS, experimental: true },
    nowMs: () => 0,
  })
  const given = name === 'info' ? ['m', '{a="b"}'] : args.map((type) => ARGUMENTS[type])
  const { value } = await engine.instant({ expr: `${name}(${given.join(', ')})`, timeMs: 120_000 })
  expect(value.type).toBe(FUNCTIONS[name]!.returns)
})

test('no function is both there and not there', () => {
  expect(Object.keys(FUNCTIONS).filter((name) => name in UNSUPPORTED_FUNCTIONS)).toEqual([])
})

test.each(Object.keys(UNSUPPORTED_FUNCTIONS))('%s is refused by name, not as unknown', (name) => {
  const [first] = diagnose(`sum(${name}(foo))`)
  expect(first).toMatchObject({ from: 4, to: 4 + name.length })
  expect(first?.message).toMatch(/^function ".*" is not supported: [a-z ]+$/)
})
