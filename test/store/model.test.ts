import fc from 'fast-check'
import { expect, test } from 'vitest'
import { APPENDED, APPENDED_BEFORE, REFUSED_DUPLICATE, REFUSED_OUT_OF_ORDER } from '../../src/model/appender.ts'
import { RETRY_WINDOW_MS } from '../../src/store/options.ts'
import { bitsOfValue, MINUTE_MS, NOW_MS, STALE_BITS, TempStore } from './temp-store.ts'
import { listed } from '../support/portions.ts'

// A map of maps is the model: whatever order samples, flushes, compactions and restarts
// come in, the store holds what it accepted,
// each sample once, and refuses only what the rules of order name.

const SERIES = 4
const OUT_OF_ORDER_MS = 15 * MINUTE_MS
const LAG_MS = Math.max(OUT_OF_ORDER_MS, RETRY_WINDOW_MS)

type Step =
  | { readonly kind: 'append'; readonly series: number; readonly tick: number; readonly value: number | 'stale' }
  | { readonly kind: 'commit' }
  | { readonly kind: 'maintain'; readonly minutes: number }
  | { readonly kind: 'days'; readonly days: number }
  | { readonly kind: 'reopen' }
  | { readonly kind: 'read'; readonly fromTick: number; readonly ticks: number }

const tick = fc.integer({ min: 0, max: 240 })
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1, 1, 1, 42, -0, 'stale' as const) },
  { weight: 2, arbitrary: fc.integer() },
  { weight: 2, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.constantFrom(NaN, Infinity, -Infinity, Number.MAX_SAFE_INTEGER, 2 ** 60) },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.record({ kind: fc.constant('append'), series: fc.nat(SERIES - 1), tick, value }),
  },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'commit' }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('maintain'), minutes: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('days'), days: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'reopen' }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('read'), fromTick: tick, ticks: fc.nat(100) }) },
)

class Model {
  readonly #samples = Array.from({ length: SERIES }, () => new Map<number, string>())
  nowMs = NOW_MS
  /** Ticks count from here: it moves with the days, so that compaction has days to work on. */
  #baseMs = NOW_MS

  async apply(store: TempStore, step: Step): Promise<void> {
    switch (step.kind) {
      case 'append':
        this.#append(store, step.series, this.#baseMs + step.tick * 30_000, step.value)
        break
      case 'commit':
        await store.writer.appender.commit()
        break
      case 'maintain':
        this.nowMs += step.minutes * MINUTE_MS
        await store.writer.maintain(this.nowMs)
        break
      case 'days':
        this.nowMs += step.days * 24 * 60 * MINUTE_MS
        this.#baseMs = this.nowMs
        await store.writer.maintain(this.nowMs)
        break
      case 'reopen':
        await store.reopen(this.nowMs)
        break
      case 'read': {
        await store.writer.appender.commit()
        const toMs = this.#baseMs + (step.fromTick + step.ticks) * 30_000
        const fromMs = step.ticks % 2 === 0 ? NOW_MS : this.#baseMs + step.fromTick * 30_000
        expect(store.all(fromMs, toMs)).toEqual(this.samples(fromMs, toMs))
        const newest = Object.entries(this.samples(fromMs, toMs)).map(([name, samples]) => [name, samples.slice(-1)])
        expect(store.newest(fromMs, toMs)).toEqual(Object.fromEntries(newest))
        const names = Object.keys(this.samples(fromMs, toMs)).sort()
        expect(listed(store.reader.labelValues('__name__', [], { fromMs, toMs }))).toEqual(names)
        break
      }
    }
  }

  samples(fromMs = -Infinity, toMs = Infinity): Record<string, readonly (readonly [number, string])[]> {
    const all: Record<string, readonly (readonly [number, string])[]> = {}
    this.#samples.forEach((samples, series) => {
      const inRange = [...samples].filter(([timeMs]) => timeMs >= fromMs && timeMs <= toMs)
      if (inRange.length > 0) all[`s${series}`] = inRange.sort(([a], [b]) => a - b)
    })
    return all
  }

  #append(store: TempStore, series: number, timeMs: number, value: number | 'stale'): void {
    const { appender } = store.writer
    const ref = store.resolve({ __name__: `s${series}` })
    const bits = value === 'stale' ? STALE_BITS : bitsOfValue(value)
    const outcome = value === 'stale' ? appender.appendStale(ref, timeMs) : appender.append(ref, timeMs, value)
    const samples = this.#samples[series]!
    const newestMs = Math.max(...samples.keys())
    const known = samples.get(timeMs)
    switch (outcome) {
      case APPENDED:
        expect(known).toBeUndefined()
        expect(timeMs).toBeGreaterThanOrEqual(newestMs - OUT_OF_ORDER_MS)
        samples.set(timeMs, bits)
        break
      case APPENDED_BEFORE:
        expect(known).toBe(bits)
        break
      case REFUSED_DUPLICATE:
        expect(known).toBeDefined()
        expect(known).not.toBe(bits)
        break
      default:
        expect(outcome).toBe(REFUSED_OUT_OF_ORDER)
        expect(timeMs).toBeLessThan(newestMs)
        // Out of the window, or so old that it may be flushed: never a sample that a retry or a late scrape sends.
        expect(timeMs < newestMs - OUT_OF_ORDER_MS || timeMs <= this.nowMs - LAG_MS).toBe(true)
    }
  }
}

test('the store is a map from series and time to bits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 250, size: 'max' }), async (steps) => {
      const store = new TempStore({
        outOfOrderMs: OUT_OF_ORDER_MS,
        flushEveryMs: 5 * MINUTE_MS,
        compactToMs: [24 * 60 * MINUTE_MS, 72 * 60 * MINUTE_MS],
        checkpointLogBytes: 200,
        checkpointEveryMs: 7 * MINUTE_MS,
      })
      const model = new Model()
      for (const one of steps) await model.apply(store, one)
      await store.writer.appender.commit()
      expect(store.all()).toEqual(model.samples())
      await store.reopen(model.nowMs)
      expect(store.all()).toEqual(model.samples())
      await store.writer.maintain(model.nowMs + 24 * 60 * MINUTE_MS)
      const { headSamples, logBytes, compaction } = store.writer.stats()
      expect([headSamples, logBytes, compaction.backlogBlocks]).toEqual([0, 0, 0])
      expect(store.all()).toEqual(model.samples())
      await store.close()
    }),
    { numRuns: 15, seed: 20_261_104 },
  )
}, 60_000)
