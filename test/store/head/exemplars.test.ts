import { describe, expect, test } from 'vitest'
import type { Exemplar } from '../../../src/model/exemplar.ts'
import { Labels } from '../../../src/model/labels.ts'
import type { Matcher } from '../../../src/model/matcher.ts'
import { openDatabaseForReading } from '../../../src/store/database.ts'
import { HOUR_MS, NOW_MS, TempStore } from '../temp-store.ts'

const ALL = { fromMs: -Infinity, toMs: Infinity }
const BY_NAME: readonly Matcher[] = [{ name: '__name__', op: '=', value: 'm_total' }]

function exemplar(offsetMs: number, value = 1, trace = 'abc'): Exemplar {
  return { labels: Labels.of({ trace_id: trace }), value, timeMs: NOW_MS + offsetMs }
}

/** A series with a sample, without which there is nothing to stand beside. */
function seriesOf(store: TempStore, cluster: string): number {
  const ref = store.resolve({ __name__: 'm_total', cluster })
  store.writer.appender.append(ref, NOW_MS, 1)
  return ref
}

/** Offsets by cluster. */
function read(store: TempStore, range = ALL, matchers = BY_NAME): Record<string, readonly number[]> {
  return Object.fromEntries(
    store.reader
      .exemplars(matchers, range)
      .map(({ labels, exemplars }) => [labels.get('cluster'), exemplars.map(({ timeMs }) => timeMs - NOW_MS)]),
  )
}

describe('exemplars', () => {
  test('are read by selector and time, sorted by their series, after the commit and after a restart', async () => {
    const store = new TempStore()
    const { appender } = store.writer
    const [b, a] = [seriesOf(store, 'b'), seriesOf(store, 'a')]
    const odd = { labels: Labels.EMPTY, value: NaN, timeMs: NOW_MS + 3 }
    expect([exemplar(1), exemplar(2), odd].map((one) => appender.appendExemplar(a, one))).toEqual([true, true, true])
    expect(appender.appendExemplar(b, exemplar(2, -0))).toBe(true)
    expect(read(store)).toEqual({})
    for (let pass = 0; pass < 2; pass++) {
      await store.writer.appender.commit()
      expect(store.reader.exemplars(BY_NAME, ALL)).toEqual([
        { labels: Labels.of({ __name__: 'm_total', cluster: 'a' }), exemplars: [exemplar(1), exemplar(2), odd] },
        { labels: Labels.of({ __name__: 'm_total', cluster: 'b' }), exemplars: [exemplar(2, -0)] },
      ])
      expect(read(store, { fromMs: NOW_MS + 2, toMs: NOW_MS + 2 })).toEqual({ a: [2], b: [2] })
      expect(read(store, ALL, [{ name: 'cluster', op: '=', value: 'b' }])).toEqual({ b: [2] })
      expect(read(store, ALL, [{ name: 'cluster', op: '=', value: 'c' }])).toEqual({})
      await store.reopen()
    }
  })

  test('that repeat the newest are successes, and those before it are not kept', async () => {
    const store = new TempStore()
    const ref = seriesOf(store, 'a')
    const append = (...args: Parameters<typeof exemplar>) =>
      store.writer.appender.appendExemplar(ref, exemplar(...args))
    expect([append(5, 2), append(5, 2), append(5, 2, 'bcd'), append(5, 3), append(5, 3, 'a')]).toEqual([
      ...[true, true, true, true, false],
    ])
    expect([append(4, 9), append(5, 1), append(6)]).toEqual([false, false, true])
    await store.reopen()
    expect([append(6), append(5)]).toEqual([true, false])
    await store.writer.appender.commit()
    expect(read(store)).toEqual({ a: [5, 5, 5, 6] })
  })

  test('beyond the limit of a series, and beyond that of all, the oldest go, after a restart too', async () => {
    const store = new TempStore({ exemplarsMax: 4, exemplarsPerSeriesMax: 3 })
    const [a, b] = [seriesOf(store, 'a'), seriesOf(store, 'b')]
    for (let i = 1; i <= 5; i++) store.writer.appender.appendExemplar(a, exemplar(i))
    await store.writer.appender.commit()
    expect(read(store)).toEqual({ a: [3, 4, 5] })
    store.writer.appender.appendExemplar(b, exemplar(6))
    await store.reopen()
    expect(read(store)).toEqual({ a: [3, 4, 5], b: [6] })
    store.writer.appender.appendExemplar(b, exemplar(7))
    store.writer.appender.appendExemplar(b, exemplar(8))
    await store.writer.appender.commit()
    expect(read(store)).toEqual({ a: [5], b: [6, 7, 8] })
  })

  test('are not kept when the limit is 0, before the retention, or of a series that is gone', async () => {
    const none = new TempStore({ exemplarsMax: 0 })
    expect(none.writer.appender.appendExemplar(seriesOf(none, 'a'), exemplar(1))).toBe(false)
    const store = new TempStore()
    const ref = seriesOf(store, 'a')
    expect(store.writer.appender.appendExemplar(ref, exemplar(-40 * 24 * HOUR_MS))).toBe(false)
    expect(store.writer.appender.appendExemplar(ref, exemplar(1))).toBe(true)
    await store.writer.appender.commit()
    await store.writer.maintain(NOW_MS + 40 * 24 * HOUR_MS)
    const db = openDatabaseForReading(store.options.dir)
    expect(db.prepare('SELECT count(*) FROM exemplar').pluck().get()).toBe(0)
    db.close()
  })
})
