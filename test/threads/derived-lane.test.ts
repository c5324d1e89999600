import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import { createDerivedReceiver, createDerivedSender, type DerivedBatch } from '../../src/threads/derived-lane.ts'
import type { DerivedSample } from '../../src/model/appender.ts'
import { Labels } from '../../src/model/labels.ts'
import { reviveLabels } from '../../src/threads/rpc.ts'
import { NOW_MS, TempStore } from '../store/temp-store.ts'

const STEP_MS = 30_000

function sample(labels: Labels, at: number, value: number, isStale = false): DerivedSample {
  return { labels, timeMs: NOW_MS + at * STEP_MS, value, isStale }
}

/** What the store has, by label set: values, with an E where the series ended. */
function contentOf({ reader }: TempStore): Record<string, string> {
  const found = reader.select({
    matchers: [{ name: '__name__', op: '=', value: 'x' }],
    fromMs: NOW_MS,
    toMs: NOW_MS + 1000 * STEP_MS,
    maxSamples: 1e6,
  })
  return Object.fromEntries(
    found.map(({ labels, values, count }) => [
      labels.get('c'),
      [...values.subarray(0, count)].map((value) => (Number.isNaN(value) ? 'E' : String(value))).join(' '),
    ]),
  )
}

/** Both ends, with what crosses cloned as threads clone it. */
function laneInto(store: TempStore, numberedMax?: number) {
  const receive = createDerivedReceiver(store.writer.appender)
  const batches: DerivedBatch[] = []
  const failures: Error[] = []
  const send = createDerivedSender(async (batch) => {
    batches.push(batch)
    const failure = failures.shift()
    if (failure !== undefined) throw failure
    await receive(reviveLabels(structuredClone(batch)) as DerivedBatch)
  }, numberedMax)
  return { send, batches, failures }
}

const series = (name: string): Labels => Labels.of({ __name__: 'x', c: name })

describe('derived samples between threads', () => {
  test('a label set crosses once, and its samples find its series by a number', async () => {
    const store = new TempStore({}, NOW_MS)
    const { send, batches } = laneInto(store)
    const [a, b] = [series('a'), series('b')]
    await send([sample(a, 0, 1), sample(b, 0, 2)])
    await send([sample(b, 1, 3), sample(a, 1, 4), sample(series('c'), 1, 5)])
    await send([sample(a, 2, NaN, true), sample(b, 2, 6)])
    expect(batches.map(({ isReset, fresh, ids }) => [isReset, fresh.length, [...ids]])).toEqual([
      [true, 2, [0, 1]],
      [false, 1, [1, 0, 2]],
      [false, 0, [0, 1]],
    ])
    expect(contentOf(store)).toEqual({ a: '1 4 E', b: '2 3 6', c: '5' })
  })

  test('after a failure the label sets cross again, whether the batch arrived or not', async () => {
    const store = new TempStore({}, NOW_MS)
    const { send, batches, failures } = laneInto(store)
    const [a, b] = [series('a'), series('b')]
    await send([sample(a, 0, 1)])
    failures.push(new FleetError('storage_full', 'no room'))
    await expect(send([sample(a, 1, 2), sample(b, 1, 2)])).rejects.toMatchObject({ code: 'storage_full' })
    await send([sample(b, 2, 3), sample(a, 2, 3)])
    await send([sample(a, 3, 4)])
    expect(batches.map(({ isReset, fresh }) => [isReset, fresh.length])).toEqual([
      [true, 1],
      [false, 1],
      [true, 2],
      [false, 0],
    ])
    expect(contentOf(store)).toEqual({ a: '1 3 4', b: '3' })
  })

  test('a series without room is a failure, and all others are kept', async () => {
    const store = new TempStore({ seriesMax: 1 }, NOW_MS)
    const { send } = laneInto(store)
    const [a, b] = [series('a'), series('b')]
    await expect(send([sample(a, 0, 1), sample(b, 0, 1)])).rejects.toMatchObject({ code: 'query_limit' })
    await expect(send([sample(b, 1, 2), sample(a, 1, 2)])).rejects.toMatchObject({ code: 'query_limit' })
    await send([sample(a, 2, 3)])
    expect(contentOf(store)).toEqual({ a: '1 2 3' })
  })

  test('whatever is written in whatever order, is what would be there without numbers', async () => {
    const labels = ['a', 'b', 'c', 'd', 'e'].map(series)
    const batch = fc.uniqueArray(fc.nat(labels.length - 1), { maxLength: labels.length })
    await fc.assert(
      fc.asyncProperty(
        fc.array(batch, { maxLength: 12 }),
        fc.integer({ min: 1, max: 9 }),
        async (steps, numberedMax) => {
          const store = new TempStore({}, NOW_MS)
          const { send } = laneInto(store, numberedMax)
          const expected: Record<string, string[]> = {}
          for (const [at, picked] of steps.entries()) {
            for (const i of picked) (expected[labels[i]!.get('c')] ??= []).push(String(at * 10 + i))
            await send(picked.map((i) => sample(labels[i]!, at, at * 10 + i)))
          }
          expect(contentOf(store)).toEqual(
            Object.fromEntries(Object.entries(expected).map(([name, values]) => [name, values.join(' ')])),
          )
        },
      ),
      { numRuns: 30 },
    )
  })
})
