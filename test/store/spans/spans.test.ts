import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { Span, TraceQuery } from '../../../src/model/span.ts'
import { UPGRADE_SCOPE } from '../../../src/model/upgrade-convention.ts'
import { openDatabaseForReading } from '../../../src/store/database.ts'
import { decodeSpans, encodeSpans, spanBytes } from '../../../src/store/spans/span-codec.ts'
import { hasTexts } from '../../../src/store/spans/span-index.ts'
import { bytesOf } from '../../../src/store/spans/trace-size.ts'
import { openSpansForReading, type SpanReader } from '../../../src/store/spans/span-reader.ts'
import { memorySpans } from '../../support/memory-spans.ts'
import { searched, spansOf } from '../../support/read-spans.ts'
import { arbitrarySpan, SCOPE, span, spanIdOf, T0_NS, traceIdOf } from '../../support/spans.ts'
import { HOUR_MS, NOW_MS, TempStore, tempDir, type TestOptions } from '../temp-store.ts'

const ALL = { fromNs: 0n, toNs: 2n ** 63n - 1n, limit: 100 }
const SECOND_NS = 1_000_000_000n

const readers: SpanReader[] = []
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
})

interface Rig {
  readonly store: TempStore
  readonly reader: SpanReader
  /** Puts and commits. */
  readonly put: (...spans: readonly Span[]) => Promise<readonly Span[]>
  /** Span ids of the traces found, trace by trace. */
  readonly ids: (query?: Partial<TraceQuery>) => Promise<readonly string[]>
}

function rig(options: TestOptions = {}): Rig {
  const store = new TempStore({ dir: tempDir(), ...options })
  const reader = openSpansForReading(store.options.dir)
  readers.push(reader)
  return {
    store,
    reader,
    put: async (...spans) => {
      const refused = store.writer.spans.putSpans(spans, NOW_MS)
      await store.writer.appender.commit()
      return refused.map(({ span }) => span)
    },
    ids: async (query = {}) =>
      (await searched(reader, { ...ALL, ...query })).map((spans) =>
        spans.map(({ traceId, spanId }) => `${Number(`0x${traceId}`)}.${Number(`0x${spanId}`)}`).join(' '),
      ),
  }
}

/** The same without a disk, for what is done many times. */
function memoryRig() {
  const rig = memorySpans()
  readers.push(rig.reader)
  return rig
}

const at = (seconds: number, lastsNs = 1_000_000n): Pick<Span, 'startNs' | 'endNs'> => {
  const startNs = T0_NS + BigInt(seconds) * SECOND_NS
  return { startNs, endNs: startNs + lastsNs }
}

describe('the codec', () => {
  test('gives back what it was given, value for value', () => {
    fc.assert(
      fc.property(fc.array(arbitrarySpan, { maxLength: 5 }), (spans) => {
        const ofOne = spans.map((one) => ({ ...one, traceId: traceIdOf(1) }))
        expect(decodeSpans(traceIdOf(1), encodeSpans(ofOne))).toEqual(ofOne)
      }),
    )
  })

  test('names what is damaged, and takes no memory for it', () => {
    const spans = [span(), span({ spanId: spanIdOf(2), attributes: [{ key: 'k', value: ['a', 1n] }] })]
    const payload = encodeSpans(spans)
    expect(() => decodeSpans(traceIdOf(1), payload.subarray(0, payload.length - 3))).toThrow(/inflate/)
    fc.assert(
      fc.property(fc.nat(payload.length - 1), fc.nat(255), (place, byte) => {
        const bytes = Uint8Array.from(payload)
        bytes[place] = byte
        try {
          decodeSpans(traceIdOf(1), bytes)
        } catch (thrown) {
          expect((thrown as Error).name).toBe('MalformedBytesError')
        }
      }),
    )
  })

  test('writes texts and resources once: a hundred alike take little more than one', () => {
    const many = Array.from({ length: 100 }, (_, i) => span({ spanId: spanIdOf(i + 1) }))
    expect(spanBytes(many).length).toBeLessThan(spanBytes(many.slice(0, 1)).length + 99 * 36)
  })
})

describe('spans', () => {
  test('are read by trace after the commit, by start and then id, and after a restart', async () => {
    const { store, reader, put } = rig()
    const late = span({ spanId: spanIdOf(1), ...at(5) })
    const early = [span({ spanId: spanIdOf(3), ...at(1) }), span({ spanId: spanIdOf(2), ...at(1) })]
    store.writer.spans.putSpans([late], NOW_MS)
    expect(await spansOf(reader, traceIdOf(1))).toEqual([])
    await put(...early)
    expect(await spansOf(reader, traceIdOf(1))).toEqual([early[1], early[0], late])
    expect(await spansOf(reader, traceIdOf(2))).toEqual([])
    await store.reopen()
    expect(await spansOf(reader, traceIdOf(1))).toEqual([early[1], early[0], late])
  })

  test('that come again are one; of two contents the later end is kept, whichever came first', async () => {
    const short = span({ attributes: [{ key: 'state', value: 'provisional' }] })
    const long = span({ endNs: short.endNs + 5n, attributes: [{ key: 'state', value: 'final' }] })
    for (const order of [
      [short, long],
      [long, short],
    ]) {
      for (const isOneCommit of [true, false]) {
        const { reader, put } = rig()
        if (isOneCommit) await put(...order, ...order)
        else for (const one of [...order, ...order]) await put(one)
        expect(await spansOf(reader, traceIdOf(1))).toEqual([long])
      }
    }
  })

  test('of any order, portions and repeats are the same traces, and are found as the spans say', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitrarySpan, { minLength: 1, maxLength: 12 }),
        fc.array(fc.tuple(fc.nat(11), fc.boolean()), { maxLength: 20 }),
        fc.record({
          service: fc.constantFrom(undefined, 'hco', 'virt', 'other'),
          operation: fc.constantFrom(undefined, 'sync', 'reconcile', 'other'),
          key: fc.constantFrom(undefined, 'a.b', 'error', 'span.kind', 'otel.scope.name'),
          text: fc.constantFrom('true', 'server', 's', ''),
          from: fc.integer({ min: -300, max: 300 }),
          range: fc.integer({ min: 0, max: 400 }),
          duration: fc.constantFrom(undefined, 0n, 60n * SECOND_NS),
          limit: fc.constantFrom(1, 2, 100),
        }),
        async (spans, extra, asked) => {
          const [one, other] = [memoryRig(), memoryRig()]
          one.spans.putSpans(spans, NOW_MS)
          one.commit()
          // The others arrive in another order, some twice, in commits of their own now and then.
          const order = [...extra.map(([place]) => place % spans.length).toReversed(), ...spans.keys()]
          for (const [i, place] of order.toReversed().entries()) {
            other.spans.putSpans([spans[place]!], NOW_MS)
            if (extra[i]?.[1] === true) other.commit()
          }
          other.commit()
          const { service, operation, key, text, duration, limit } = asked
          const query: TraceQuery = {
            ...(service !== undefined && { service }),
            ...(operation !== undefined && { operation }),
            ...(key !== undefined && { attributes: { [key]: text } }),
            ...(duration !== undefined && { minDurationNs: duration, maxDurationNs: duration * 2n + 1n }),
            fromNs: T0_NS + BigInt(asked.from) * SECOND_NS,
            toNs: T0_NS + BigInt(asked.from + asked.range) * SECOND_NS,
            limit,
          }
          const all = await searched(one.reader, ALL)
          expect(await searched(other.reader, ALL)).toEqual(all)
          expect(await searched(other.reader, query)).toEqual(naiveSearch(all, query))
          expect(await other.reader.services()).toEqual(await one.reader.services())
          const range = { fromNs: 0n, toNs: query.toNs }
          expect(await other.reader.dependencies(range)).toEqual(await one.reader.dependencies(range))
        },
      ),
      { numRuns: 60 },
    )
  }, 60_000)

  test('beyond the limit of their trace are answered as refused, and what is known may come again', async () => {
    const { reader, put } = rig({ spansPerTraceMax: 3 })
    const [a, b, c, d] = [1, 2, 3, 4].map((number) => span({ spanId: spanIdOf(number), ...at(number) }))
    expect(await put(a!, b!)).toEqual([])
    expect(await put(b!, c!, d!)).toEqual([d])
    expect(await put(a!, b!, c!)).toEqual([])
    expect(await put(d!, span({ traceId: traceIdOf(2) }))).toEqual([d])
    expect(await spansOf(reader, traceIdOf(1))).toEqual([a, b, c])
  })

  test('beyond the bytes of their trace are refused, and the trace is marked as cut', async () => {
    const large = (number: number, seconds = number): Span =>
      span({ spanId: spanIdOf(number), attributes: [{ key: 'text', value: 'x'.repeat(1000) }], ...at(seconds) })
    const { store, reader, put } = rig({ bytesPerTraceMax: 3 * bytesOf([large(1)]) })
    expect(await put(large(1), large(2))).toEqual([])
    expect(await reader.trace(traceIdOf(1))).toMatchObject({ isCut: false })
    // The first one fits, the one after it does not; of another trace all do.
    const other = span({ traceId: traceIdOf(2) })
    expect(await put(large(3), large(4), other)).toEqual([large(4)])
    expect(await reader.trace(traceIdOf(1))).toEqual({ spans: [large(1), large(2), large(3)], isCut: true })
    expect(await reader.trace(traceIdOf(2))).toEqual({ spans: [other], isCut: false })
    // Still there after a restart, and after the trace was written again.
    await store.reopen()
    expect(await put(span({ spanId: spanIdOf(9) }), large(5))).toMatchObject([{}, {}])
    store.writer.spans.replaceSpans([{ traceId: traceIdOf(1), scope: UPGRADE_SCOPE, spans: [large(8)] }], NOW_MS)
    await store.writer.appender.commit()
    const { spans, isCut } = (await reader.trace(traceIdOf(1)))!
    expect([spans.length, isCut]).toEqual([4, true])
    for await (const one of reader.search({ ...ALL, toNs: T0_NS + 5n * SECOND_NS })) {
      expect(one.isCut).toBe(one.spans.length === 4)
    }
  })

  test('that say the same at length count each time, other than in their stored form', async () => {
    const same = [{ key: 'text', value: 'x'.repeat(10_000) }]
    const { spans, reader, commit } = memorySpans({ bytesPerTraceMax: 100_000 })
    const sent = Array.from({ length: 20 }, (_, i) => span({ spanId: spanIdOf(i + 1), attributes: same }))
    expect(spanBytes(sent).length).toBeLessThan(20_000)
    expect(spans.putSpans(sent, NOW_MS)).toHaveLength(11)
    expect(spans.pendingBytes).toBe(bytesOf(sent.slice(0, 9)))
    commit()
    expect(spans.pendingBytes).toBe(0)
    expect((await reader.trace(traceIdOf(1)))?.spans).toHaveLength(9)
    reader.close()
  })

  test('of one trace that come one by one are merged into few parts', async () => {
    const { db, spans, reader, commit } = memoryRig()
    for (let i = 1; i <= 500; i++) {
      spans.putSpans([span({ spanId: spanIdOf(i), ...at(i) })], NOW_MS)
      commit()
    }
    expect(await spansOf(reader, traceIdOf(1))).toHaveLength(500)
    const parts = db.prepare<[], number>('SELECT count(*) FROM trace_part').pluck().get()!
    expect(parts).toBeLessThan(20)
  })
})

describe('derived spans', () => {
  const derived = (number: number, seconds: number): Span =>
    span({ spanId: spanIdOf(number), scope: { ...SCOPE, name: UPGRADE_SCOPE }, ...at(seconds) })

  test('replace what was derived before, and nothing of others', async () => {
    const { store, reader, put } = rig()
    const sent = span({ spanId: spanIdOf(9), ...at(9) })
    await put(sent)
    const replace = async (...spans: readonly Span[]): Promise<readonly string[]> => {
      store.writer.spans.replaceSpans([{ traceId: traceIdOf(1), scope: UPGRADE_SCOPE, spans }], NOW_MS)
      await store.writer.appender.commit()
      return (await spansOf(reader, traceIdOf(1))).map((one) => one.spanId)
    }
    expect(await replace(derived(1, 1), derived(2, 2))).toEqual([spanIdOf(1), spanIdOf(2), spanIdOf(9)])
    // Also by one that ends earlier.
    expect(await replace(derived(2, -5))).toEqual([spanIdOf(2), spanIdOf(9)])
    expect((await searched(reader, { ...ALL, toNs: T0_NS })).map((spans) => spans.length)).toEqual([2])
    expect(await replace()).toEqual([spanIdOf(9)])
    expect(await searched(reader, { ...ALL, toNs: T0_NS })).toEqual([])
  })

  test('of nothing are no trace', async () => {
    const { store, reader } = rig()
    store.writer.spans.replaceSpans([{ traceId: traceIdOf(1), scope: UPGRADE_SCOPE, spans: [derived(1, 1)] }], NOW_MS)
    store.writer.spans.replaceSpans([{ traceId: traceIdOf(1), scope: UPGRADE_SCOPE, spans: [] }], NOW_MS)
    await store.writer.appender.commit()
    expect(await searched(reader, ALL)).toEqual([])
  })
})

describe('a search', () => {
  test('answers the newest start first, at a tie by trace id, whole traces, and no more than asked for', async () => {
    const { put, ids } = rig()
    await put(
      span({ traceId: traceIdOf(1), ...at(1) }),
      span({ traceId: traceIdOf(3), ...at(2) }),
      span({ traceId: traceIdOf(2), ...at(2) }),
      span({ traceId: traceIdOf(2), spanId: spanIdOf(2), service: 'virt', ...at(3) }),
    )
    expect(await ids()).toEqual(['2.1 2.2', '3.1', '1.1'])
    expect(await ids({ limit: 2 })).toEqual(['2.1 2.2', '3.1'])
    expect(await ids({ service: 'virt' })).toEqual(['2.1 2.2'])
  })

  test('wants all of it on one span', async () => {
    const { put, ids } = rig()
    await put(
      span({ attributes: [{ key: 'a', value: '1' }], status: { code: 'error', message: 'conflict' } }),
      span({ spanId: spanIdOf(2), name: 'sync', attributes: [{ key: 'b', value: 2 }], ...at(7200) }),
    )
    expect(await ids({ attributes: { a: '1', error: 'true' } })).toHaveLength(1)
    expect(await ids({ attributes: { a: '1', b: '2' } })).toEqual([])
    expect(await ids({ operation: 'sync', attributes: { b: '2', 'service.name': 'hco' } })).toHaveLength(1)
    expect(await ids({ operation: 'sync', attributes: { error: 'true' } })).toEqual([])
    // The trace starts two hours before the span that is asked for.
    expect(await ids({ operation: 'sync', fromNs: at(7200).startNs, toNs: at(7200).startNs })).toHaveLength(1)
    expect(await ids({ operation: 'sync', toNs: at(7199).startNs })).toEqual([])
    expect(await ids({ service: 'hco', operation: 'other' })).toEqual([])
  })

  test('finds values that are too long for the index', async () => {
    const { put, ids } = rig()
    const long = 'x'.repeat(5000)
    await put(span({ attributes: [{ key: 'long', value: long }] }))
    expect(await ids({ attributes: { long } })).toHaveLength(1)
    expect(await ids({ attributes: { long: `${long}y` } })).toEqual([])
  })

  test('finds what a trace has more of than is indexed', async () => {
    const { put, ids } = rig()
    const attributes = Array.from({ length: 3000 }, (_, i) => ({ key: 'k', value: `v${i}` }))
    await put(span({ attributes }))
    expect(await ids({ attributes: { k: 'v2999' } })).toHaveLength(1)
  })
})

test('services, operations and who calls whom', async () => {
  const { put, reader } = rig()
  const child = (number: number, parent: number, service: string, more: Partial<Span> = {}): Span =>
    span({ spanId: spanIdOf(number), parentSpanId: spanIdOf(parent), service, ...more })
  await put(span({ kind: 'server' }), child(2, 1, 'virt'), child(3, 1, 'hco', { name: 'sync' }))
  await put(child(4, 2, 'Zeta'), child(5, 1, 'virt'), child(6, 99, 'virt'))
  expect(await reader.services()).toEqual(['Zeta', 'hco', 'virt'])
  expect(await reader.operations('hco')).toEqual([
    { name: 'reconcile', kind: 'server' },
    { name: 'sync', kind: 'internal' },
  ])
  expect(await reader.operations('hco', 'internal')).toEqual([{ name: 'sync', kind: 'internal' }])
  expect(await reader.operations('none')).toEqual([])
  const range = { fromNs: T0_NS, toNs: T0_NS }
  expect(await reader.dependencies(range)).toEqual([
    { parent: 'hco', child: 'virt', callCount: 2 },
    { parent: 'virt', child: 'Zeta', callCount: 1 },
  ])
  expect(await reader.dependencies({ fromNs: T0_NS + 1n, toNs: T0_NS + SECOND_NS })).toEqual([])
})

test('what operators tell of upgrades is read by cluster, and a position says what changed', async () => {
  const { store, put, reader } = rig()
  const pending = span({ name: 'olm.csv.pending', cluster: 'a' })
  const derived = { ...pending, spanId: spanIdOf(7), scope: { ...SCOPE, name: UPGRADE_SCOPE } }
  expect(await reader.changedSince(0)).toEqual({ clusters: [], position: 0 })
  await put(pending, span({ spanId: spanIdOf(2), cluster: 'a' }), span({ traceId: traceIdOf(2), cluster: 'b' }))
  const first = await reader.changedSince(0)
  expect(first.clusters).toEqual(['a'])
  expect(await reader.upgradeSpans('a')).toEqual([pending])
  expect(await reader.upgradeSpans('b')).toEqual([])
  store.writer.spans.replaceSpans([{ traceId: traceIdOf(1), scope: UPGRADE_SCOPE, spans: [derived] }], NOW_MS)
  await store.writer.appender.commit()
  expect(await reader.changedSince(first.position)).toEqual({ clusters: [], position: first.position })
  await put(span({ traceId: traceIdOf(2), spanId: spanIdOf(3), name: 'component.upgrade', cluster: 'b' }))
  const second = await reader.changedSince(first.position)
  expect(second.clusters).toEqual(['b'])
  expect(second.position).toBeGreaterThan(first.position)
})

test('traces go when they ended before the retention, names with them, and positions still rise', async () => {
  const { store, put, reader, ids } = rig({ retentionTracesMs: HOUR_MS })
  const endMs = Number(T0_NS / 1_000_000n)
  await put(span({ name: 'olm.csv.pending', cluster: 'a' }))
  const lasting = span({ traceId: traceIdOf(2), service: 'virt', endNs: T0_NS + 600n * SECOND_NS })
  store.writer.spans.putSpans([lasting], NOW_MS + HOUR_MS)
  await store.writer.appender.commit()
  const { position } = await reader.changedSince(0)
  await store.writer.maintain(endMs + HOUR_MS + 1)
  expect(await ids()).toEqual(['2.1'])
  expect(await reader.services()).toEqual(['virt'])
  await put(span({ traceId: traceIdOf(3), name: 'olm.csv.pending', cluster: 'a' }))
  expect((await reader.changedSince(position)).position).toBeGreaterThan(position)
})

test('a trace that is derived of an old upgrade is kept from when it was derived', async () => {
  const { store, put, ids } = rig({ retentionTracesMs: HOUR_MS })
  const old = { startNs: T0_NS - 10_000n * 3_600n * SECOND_NS, endNs: T0_NS - 9_999n * 3_600n * SECOND_NS }
  const derived = span({ ...old, scope: { ...SCOPE, name: UPGRADE_SCOPE } })
  store.writer.spans.replaceSpans([{ traceId: traceIdOf(1), scope: UPGRADE_SCOPE, spans: [derived] }], NOW_MS)
  // What an operator sent of it comes later, and twice.
  await put(span({ spanId: spanIdOf(2), ...old }))
  await put(span({ spanId: spanIdOf(2), ...old }))
  await store.writer.maintain(NOW_MS + HOUR_MS)
  expect(await ids()).toEqual(['1.1 1.2'])
  await store.writer.maintain(NOW_MS + HOUR_MS + 1)
  expect(await ids()).toEqual([])
})

test('an end in the far future does not keep a trace longer than since it was received', async () => {
  const { store, put, ids } = rig({ retentionTracesMs: HOUR_MS })
  await put(span({ endNs: 2n ** 64n - 1n }))
  await store.writer.maintain(NOW_MS + HOUR_MS)
  expect(await ids()).toHaveLength(1)
  await store.writer.maintain(NOW_MS + HOUR_MS + 1)
  expect(await ids()).toEqual([])
})

test('a commit that fails keeps spans for the next one', async () => {
  const { store, ids } = rig()
  const db = openDatabaseForReading(store.options.dir)
  const pages = Number(db.pragma('page_count', { simple: true }))
  db.close()
  await store.close()
  store.options.databaseBytesMax = (pages + 8) * 4096
  await store.reopen()
  let state = 7
  const noise = Uint8Array.from(
    { length: 100_000 },
    () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 24,
  )
  store.writer.spans.putSpans([span({ attributes: [{ key: 'noise', value: noise }] })], NOW_MS)
  await expect(store.writer.appender.commit()).rejects.toMatchObject({ code: 'storage_full' })
  expect(await ids()).toEqual([])
  await store.close().catch(() => undefined)
})

function naiveSearch(traces: readonly (readonly Span[])[], query: TraceQuery): readonly (readonly Span[])[] {
  const { service, operation, fromNs, toNs, minDurationNs = 0n, maxDurationNs = 2n ** 64n, limit } = query
  const wanted = new Map(Object.entries(query.attributes ?? {}))
  const lasts = ({ startNs, endNs }: Span): bigint => (endNs > startNs ? endNs - startNs : 0n)
  return traces
    .filter((spans) =>
      spans.some(
        (one) =>
          (service === undefined || one.resource.service === service) &&
          (operation === undefined || one.name === operation) &&
          one.startNs >= fromNs &&
          one.startNs <= toNs &&
          lasts(one) >= minDurationNs &&
          lasts(one) <= maxDurationNs &&
          hasTexts(one, wanted),
      ),
    )
    .slice(0, limit)
}
