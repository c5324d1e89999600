import { expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import type { QueryResult } from '../../src/promql/query-engine.ts'
import { Harness, MINUTE_MS, T0, transitionsOf } from './harness.ts'

// While the metrics store does not answer, a rule about the server sees the series of this process alone.

const RULES = `
groups:
- name: g
  interval: 1m
  rules:
  - alert: Lags
    expr: lag > 300
    for: 2m
`

const at = (minute: number): number => T0 + minute * MINUTE_MS

function resultOf(instances: readonly string[], isPartial: boolean, timeMs: number): QueryResult {
  const samples = instances.map((instance) => ({ labels: Labels.of({ instance }), value: 400, timeMs }))
  const stats = { samplesRead: 0, seriesRead: 0, evalMs: 0 }
  return { value: { type: 'vector', timeMs, samples }, warnings: [], infos: [], stats, ...(isPartial && { isPartial }) }
}

test('a partial result starts alerts and ends none', async () => {
  let held: readonly string[] = []
  let isPartial = false
  const harness = new Harness(RULES, { query: (_, timeMs) => Promise.resolve(resultOf(held, isPartial, timeMs)) })
  await harness.rules.restore(at(0))
  const run = async (minute: number, instances: readonly string[], partial: boolean) => {
    ;[held, isPartial] = [instances, partial]
    return transitionsOf(await harness.evaluate(at(minute)))
  }
  const states = () => harness.rules.alerts().map(({ labels, state }) => `${labels.get('instance')} ${state}`)
  await run(0, ['a', 'b'], false)
  await run(2, ['a', 'b'], false)
  await run(3, ['a', 'b', 'pending'], false)
  expect(states()).toEqual(['a firing', 'b firing', 'pending pending'])
  // Of b and of the pending one nothing is known now; c begins.
  await run(4, ['a', 'c'], true)
  await run(6, ['a', 'c'], true)
  expect(states()).toEqual(['a firing', 'b firing', 'pending pending', 'c firing'])
  await run(7, ['c'], false)
  expect(states()).toEqual(['a resolved', 'b resolved', 'c firing'])
  // What has ended is forgotten in time, whatever is known.
  await run(7 + 20, ['c'], true)
  expect(states()).toEqual(['c firing'])
})
