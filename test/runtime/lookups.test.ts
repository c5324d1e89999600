import { expect, test } from 'vitest'
import { createLookups } from '../../src/runtime/lookups.ts'
import type { Lookups } from '../../src/runtime/lookups.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import type { EngineOptions } from '../../src/promql/engine-options.ts'
import type { QueryResult } from '../../src/promql/query-engine.ts'
import { openLookups } from '../../src/store/index/lookup-reader.ts'
import type { FindSeries } from '../../src/store/index/lookup-reader.ts'
import { MINUTE_MS, NOW_MS, TempStore } from '../store/temp-store.ts'

const SUM = 'sum_over_time(up[10m])'

/** One series with ten samples that differ, and the look-ups over it. */
async function lookupsOver(
  options: Partial<EngineOptions> = {},
  refuse?: () => Promise<never>,
): Promise<{ readonly lookups: Lookups; readonly asked: () => number }> {
  const store = new TempStore()
  const ref = store.resolve({ __name__: 'up', cluster: 'a' })
  for (let i = 9; i >= 0; i--) store.writer.appender.append(ref, NOW_MS - i * MINUTE_MS, i * i)
  await store.writer.appender.commit()
  let asked = 0
  const find: FindSeries = (matchers) => {
    asked++
    return refuse?.() ?? Promise.resolve(store.reader.find(matchers, 16))
  }
  const reader = openLookups(store.options, store.writer.watch())
  return { lookups: createLookups(reader, find, { ...DEFAULT_ENGINE_OPTIONS, ...options }), asked: () => asked }
}

/** What a text is answered when it is asked again and again. */
async function answers(lookups: Lookups, expr: string, times = 4): Promise<(QueryResult | undefined)[]> {
  const found: (QueryResult | undefined)[] = []
  for (let i = 0; i < times; i++) {
    found.push(await lookups.ask({ expr, timeMs: NOW_MS }))
    await new Promise(setImmediate)
  }
  return found
}

test('a text is learnt when it is asked again, and answered from then on', async () => {
  const { lookups, asked } = await lookupsOver()
  const [first, second, third, fourth] = await answers(lookups, SUM)
  expect([first, second]).toEqual([undefined, undefined])
  for (const answer of [third, fourth])
    expect(answer?.value).toMatchObject({ type: 'vector', samples: [{ value: 285 }] })
  expect(asked()).toBe(1)
  lookups.close()
})

test('limits that a server was given hold here too', async () => {
  const { lookups } = await lookupsOver({ samplesMax: 5 })
  expect(await answers(lookups, SUM)).toEqual([undefined, undefined, undefined, undefined])
  lookups.close()
})

test('who cannot be asked is not asked again, and the query worker says why', async () => {
  const { lookups, asked } = await lookupsOver({}, () => Promise.reject(new Error('the thread ended')))
  expect(await answers(lookups, SUM)).toEqual([undefined, undefined, undefined, undefined])
  expect(asked()).toBe(1)
  lookups.close()
})
