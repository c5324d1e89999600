import { describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import type { Matcher } from '../../src/model/matcher.ts'
import type { Queryable } from '../../src/model/queryable.ts'
import type { TimeRange } from '../../src/model/time-range.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import type { NewestSample } from '../../src/promql/newest.ts'
import type { Selectors } from '../../src/promql/query-engine.ts'
import { HOUR_MS, NOW_MS, TempStore } from '../store/temp-store.ts'
import { histogramOf } from '../support/histograms.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'

const named = (value: string): readonly Matcher[] => [{ name: '__name__', op: '=', value }]
const ANY: readonly Matcher[] = [{ name: '__name__', op: '!=', value: '' }]
const RANGE = { fromMs: NOW_MS - 300_000, toMs: NOW_MS }

const newest = (
  queryable: Queryable,
  selectors: Selectors,
  range: TimeRange,
  samplesMax: number,
): Promise<readonly NewestSample[]> =>
  createLocalEngine({ queryable, options: { ...DEFAULT_ENGINE_OPTIONS, samplesMax }, nowMs: () => 0 }).newest(
    selectors,
    range,
  )

const shown = (found: readonly NewestSample[]): [string, number, number][] =>
  found.map(({ labels, timeMs, value }) => [labels.toString(), timeMs - NOW_MS, value])

describe('the newest samples', () => {
  test('are floats of series that have not ended, by metric, then by labels', async () => {
    const store = new MemoryQueryable()
    const add = (labels: Record<string, string>, offsetMs: number, value: number): void => {
      store.append(Labels.of(labels), NOW_MS + offsetMs, value)
    }
    add({ __name__: 'up', job: 'b' }, -2000, 2)
    add({ __name__: 'up', job: 'b' }, -1000, 3)
    add({ __name__: 'up', job: 'a' }, 0, NaN)
    add({ __name__: 'a_metric' }, -300_000, 1)
    add({ __name__: 'old' }, -300_001, 1)
    add({ __name__: 'new' }, 1, 1)
    add({ __name__: 'ended' }, -2000, 1)
    store.appendStale(Labels.of({ __name__: 'ended' }), NOW_MS - 1000)
    add({ __name__: 'back' }, -1000, 5)
    store.appendStale(Labels.of({ __name__: 'back' }), NOW_MS - 2000)
    store.appendHistogram(Labels.of({ __name__: 'seconds' }), NOW_MS, histogramOf(2))
    expect(shown(await newest(store, [ANY], RANGE, 100))).toEqual([
      ['a_metric', -300_000, 1],
      ['back', -1000, 5],
      ['up{job="a"}', 0, NaN],
      ['up{job="b"}', -1000, 3],
    ])
  })

  test('a series that two selectors match stands once, and no selector matches none', async () => {
    const store = new MemoryQueryable()
    store.append(Labels.of({ __name__: 'up' }), NOW_MS, 1)
    expect(await newest(store, [named('up'), ANY], RANGE, 1)).toHaveLength(1)
    expect(await newest(store, [], RANGE, 1)).toEqual([])
  })

  test('of a real store are found in memory and in what is flushed', async () => {
    const store = new TempStore()
    const { appender } = store.writer
    const [flushed, live] = [store.resolve({ __name__: 'flushed' }), store.resolve({ __name__: 'live' })]
    appender.append(flushed, NOW_MS - 6 * HOUR_MS, 7)
    for (let hour = -6; hour <= 0; hour++) appender.append(live, NOW_MS + hour * HOUR_MS, hour)
    await appender.commit()
    await store.writer.maintain(NOW_MS)
    const range = { fromMs: NOW_MS - 7 * HOUR_MS, toMs: NOW_MS }
    expect(shown(await newest(store.reader, [ANY], range, 100))).toEqual([
      ['flushed', -6 * HOUR_MS, 7],
      ['live', 0, 0],
    ])
  })

  test('more of them than may be are refused', async () => {
    const store = new MemoryQueryable()
    for (const job of ['a', 'b', 'c']) store.append(Labels.of({ __name__: 'up', job }), NOW_MS, 1)
    expect(await newest(store, [named('up'), named('up')], RANGE, 3)).toHaveLength(3)
    await expect(newest(store, [named('up')], RANGE, 2)).rejects.toThrow('more than 2 series were selected')
  })
})
