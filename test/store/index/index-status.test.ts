import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HOUR_MS, NOW_MS, TempStore } from '../temp-store.ts'

type LabelSet = Readonly<Record<string, string>>

async function storeOf(sets: readonly LabelSet[]): Promise<TempStore> {
  const store = new TempStore()
  for (const labels of sets) store.writer.appender.append(store.resolve(labels), NOW_MS, 1)
  await store.writer.appender.commit()
  return store
}

/** The counts by name, the largest first, equal ones by name; as it would be written down without thinking. */
function largest(counts: ReadonlyMap<string, number>, top: number): { name: string; value: number }[] {
  return [...counts]
    .map(([name, value]) => ({ name, value }))
    .sort((a, b) => b.value - a.value || (a.name < b.name ? -1 : 1))
    .slice(0, top)
}

function tally(names: readonly string[], weight: (name: string) => number = () => 1): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + weight(name))
  return counts
}

describe('the status of the index', () => {
  test('is that of its series', async () => {
    const label = fc.constantFrom('__name__', 'job', 'pod', 'ž')
    const value = fc.constantFrom('a', 'bb', 'čč', 'dddd', 'e5')
    const set = fc.dictionary(label, value, { minKeys: 1 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(set, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (sets, top) => {
          const series = [
            ...new Map(sets.map((labels) => [JSON.stringify(Object.entries(labels).sort()), labels])).values(),
          ]
          const store = await storeOf(series)
          const pairs = series.flatMap((labels) => Object.entries(labels))
          const distinct = [...new Set(pairs.map(([name, text]) => `${name}=${text}`))]
          const bytes = new Map<string, number>()
          for (const [name, text] of pairs) bytes.set(name, (bytes.get(name) ?? 0) + Buffer.byteLength(text))
          expect(store.reader.status(top)).toEqual({
            series: series.length,
            labelPairs: distinct.length,
            seriesByMetric: largest(tally(pairs.filter(([name]) => name === '__name__').map(([, text]) => text)), top),
            valuesByLabel: largest(tally(distinct.map((pair) => pair.slice(0, pair.indexOf('=')))), top),
            bytesByLabel: largest(bytes, top),
            seriesByPair: largest(tally(pairs.map(([name, text]) => `${name}=${text}`)), top),
            oldestMs: NOW_MS,
            newestMs: NOW_MS,
          })
          await store.close()
        },
      ),
      { numRuns: 25 },
    )
  })

  test('of an empty store is empty', () => {
    expect(new TempStore().reader.status(10)).toEqual({
      series: 0,
      labelPairs: 0,
      seriesByMetric: [],
      valuesByLabel: [],
      bytesByLabel: [],
      seriesByPair: [],
      oldestMs: undefined,
      newestMs: undefined,
    })
  })

  test('knows the oldest and the newest sample, flushed or not', async () => {
    const store = new TempStore()
    const ref = store.resolve({ __name__: 'up' })
    for (let hour = -6; hour <= 0; hour++) store.writer.appender.append(ref, NOW_MS + hour * HOUR_MS, 1)
    await store.writer.appender.commit()
    await store.writer.maintain(NOW_MS)
    store.writer.appender.append(ref, NOW_MS + 1000, 1)
    await store.writer.appender.commit()
    expect(store.reader.status(1)).toMatchObject({ oldestMs: NOW_MS - 6 * HOUR_MS, newestMs: NOW_MS + 1000 })
  })
})
