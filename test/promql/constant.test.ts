import { expect, test } from 'vitest'
import { NOTHING_STORED, isConstant } from '../../src/promql/constant.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'

test.each([
  ['1+1', true],
  ['(2 ^ 0.5) * -3 % 2 <= 1', true],
  ['vector(1)', true],
  ['vector(time() / pi())', true],
  ['', true], // It does not parse, which any thread can say.
  ['up', false],
  ['1 + up', false],
  ['e5', false],
  ['time', false],
  ['vector', false],
  ['{job="x"}', false],
  ['vector(1)[1d:1s]', false],
  ['"text"', false],
  ['absent(up)', false],
  ['1'.repeat(201), false],
])('%s', (text, is) => {
  expect(isConstant(text)).toBe(is)
})

test('it is evaluated over nothing', async () => {
  const engine = createLocalEngine({ queryable: NOTHING_STORED, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => 0 })
  expect((await engine.instant({ expr: '1+1', timeMs: 5 })).value).toEqual({ type: 'scalar', timeMs: 5, value: 2 })
  await expect(engine.instant({ expr: '1+', timeMs: 5 })).rejects.toMatchObject({ code: 'query_parse' })
  expect(await engine.series([[]], { fromMs: 0, toMs: 1 })).toEqual([])
  expect(await engine.labelNames([], { fromMs: 0, toMs: 1 })).toEqual([])
  expect(await engine.labelValues('job', [], { fromMs: 0, toMs: 1 })).toEqual([])
  expect((await engine.instant({ expr: 'up', timeMs: 5 })).value).toEqual({ type: 'vector', timeMs: 5, samples: [] })
})
