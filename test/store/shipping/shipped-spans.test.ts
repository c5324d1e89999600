import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Span, TraceQuery } from '../../../src/model/span.ts'
import { UPGRADE_SCOPE } from '../../../src/model/upgrade-convention.ts'
import { PostgresDerivedTraces } from '../../../src/store/shipping/derived-traces.ts'
import { PostgresSpans } from '../../../src/store/shipping/span-reader.ts'
import { memorySpans } from '../../support/memory-spans.ts'
import { searched, spansOf } from '../../support/read-spans.ts'
import { arbitrarySpan, SCOPE, span, spanIdOf, T0_NS, traceIdOf } from '../../support/spans.ts'
import { POSTGRES, sharedPostgres } from '../postgres/temp-postgres.ts'
import { NOW_MS } from '../temp-store.ts'
import { openShared } from './collectors.ts'
import { shippedSpans } from './shipped-spans.ts'

const ALL = { fromNs: 0n, toNs: 2n ** 63n - 1n, limit: 100 }
const SECOND_NS = 1_000_000_000n

describe.skipIf(POSTGRES === undefined)('traces in PostgreSQL', () => {
  const postgres = sharedPostgres()

  test('are those of one collector, however spans are spread over several', async () => {
    const shared = await openShared(await postgres.options())
    const all = [shippedSpans(shared), shippedSpans(shared), shippedSpans(shared)]
    const reader = new PostgresSpans(shared.pool)
    let round = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(arbitrarySpan, fc.nat(2), fc.boolean()), { minLength: 1, maxLength: 12 }),
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
        async (drawn, { service, operation, key, text, from, range, duration, limit }) => {
          // A time of its own for each round: the traces before stay.
          const shiftNs = BigInt(++round) * 30_000n * SECOND_NS
          const prefix = round.toString(16).padStart(8, '0')
          // A span that is sent again, with other content, starts when it did.
          const startsNs = new Map<string, bigint>()
          const moved = (one: Span): Span => {
            const key = one.traceId + one.spanId
            const startNs = startsNs.get(key) ?? one.startNs + shiftNs
            startsNs.set(key, startNs)
            return {
              ...one,
              traceId: prefix + one.traceId.slice(8),
              startNs,
              endNs: BigInt.asUintN(64, one.endNs + shiftNs),
            }
          }
          const one = memorySpans()
          for (const [spanOf, target, isCommit] of drawn) {
            one.put([moved(spanOf)], NOW_MS)
            all[target]!.spans.putSpans([moved(spanOf)], NOW_MS)
            if (isCommit) await all[target]!.commit()
          }
          for (const collector of all) await collector.commit()
          const fromNs = T0_NS + shiftNs + BigInt(from) * SECOND_NS
          const query: TraceQuery = {
            ...(service !== undefined && { service }),
            ...(operation !== undefined && { operation }),
            ...(key !== undefined && { attributes: { [key]: text } }),
            ...(duration !== undefined && { minDurationNs: duration, maxDurationNs: duration * 2n + 1n }),
            ...{ fromNs, toNs: fromNs + BigInt(range) * SECOND_NS, limit },
          }
          const whole = {
            ...ALL,
            fromNs: T0_NS + shiftNs - 12_000n * SECOND_NS,
            toNs: T0_NS + shiftNs + 12_000n * SECOND_NS,
          }
          expect(await searched(reader, whole)).toEqual(await searched(one.reader, whole))
          expect(await searched(reader, query)).toEqual(await searched(one.reader, query))
          const traces = new Set(drawn.map(([spanOf]) => moved(spanOf).traceId))
          for (const traceId of traces) expect(await reader.trace(traceId)).toEqual(await one.reader.trace(traceId))
          expect(await reader.dependencies(whole)).toEqual(await one.reader.dependencies(whole))
        },
      ),
      { seed: 3, numRuns: 25 },
    )
  }, 120_000)

  test('services and operations are of all collectors', async () => {
    const shared = await openShared(await postgres.options())
    const [one, other] = [shippedSpans(shared), shippedSpans(shared)]
    await one.put([span({ kind: 'server' })], NOW_MS)
    await other.put(
      [span({ traceId: traceIdOf(2), name: 'sync' }), span({ traceId: traceIdOf(3), service: 'virt' })],
      NOW_MS,
    )
    expect(await one.reader.services()).toEqual(['hco', 'virt'])
    expect(await one.reader.operations('hco')).toEqual([
      { name: 'reconcile', kind: 'server' },
      { name: 'sync', kind: 'internal' },
    ])
    expect(await one.reader.operations('hco', 'server')).toEqual([{ name: 'reconcile', kind: 'server' }])
  })

  test('a trace that grows sends only its new parts', async () => {
    const shared = await openShared(await postgres.options())
    const one = shippedSpans(shared)
    await one.put([span({ spanId: spanIdOf(1) }), span({ spanId: spanIdOf(2) })], NOW_MS)
    const rowsOf = () =>
      shared.ask<{ part: number; row: string }>('SELECT part, ctid::text AS row FROM trace_part ORDER BY part')
    const [first] = await rowsOf()
    await one.put([span({ spanId: spanIdOf(3) })], NOW_MS)
    expect(await rowsOf()).toEqual([first, expect.anything()])
    // A later end moves it to another day, with all its parts.
    const days = 86_12_000n * 1_000_000n
    await one.put([span({ spanId: spanIdOf(4), endNs: T0_NS - 3n * days }), span({ spanId: spanIdOf(5) })], NOW_MS)
    expect(await spansOf(one.reader, traceIdOf(1))).toHaveLength(5)
  })

  test('spans about upgrades are found by cluster, with a position that says what changed', async () => {
    const shared = await openShared(await postgres.options())
    const [one, other] = [shippedSpans(shared), shippedSpans(shared)]
    const pending = span({ name: 'olm.csv.pending', cluster: 'a' })
    await one.put([pending, span({ traceId: traceIdOf(2), cluster: 'b' })], NOW_MS)
    const first = await one.reader.changedSince(0)
    expect(first.clusters).toEqual(['a'])
    const more = span({ spanId: spanIdOf(3), name: 'component.upgrade', cluster: 'a' })
    await other.put([more], NOW_MS)
    expect(await one.reader.upgradeSpans('a')).toEqual([pending, more])
    const second = await one.reader.changedSince(first.position)
    expect(second.clusters).toEqual(['a'])
    expect(await one.reader.changedSince(second.position)).toEqual({ clusters: [], position: second.position })
  })

  test('derived spans are replaced by whichever process derives them next', async () => {
    const shared = await openShared(await postgres.options())
    const received = shippedSpans(shared)
    await received.put([span({ name: 'olm.csv.pending', cluster: 'a' })], NOW_MS)
    const { position } = await received.reader.changedSince(0)
    const [one, next] = [new PostgresDerivedTraces(shared.pool), new PostgresDerivedTraces(shared.pool)]
    const derived = (number: number, service = 'daytwo'): Span =>
      span({ spanId: spanIdOf(number), service, cluster: 'a', scope: { ...SCOPE, name: UPGRADE_SCOPE } })
    const traceOf = (...spans: readonly Span[]) => [{ traceId: traceIdOf(1), scope: UPGRADE_SCOPE, spans }]
    await one.replaceSpans(traceOf(derived(2), derived(3)), NOW_MS)
    await one.replaceSpans([{ traceId: traceIdOf(1), scope: 'other', spans: [derived(9)] }], NOW_MS)
    await next.replaceSpans(traceOf(derived(2), derived(4, 'hco')), NOW_MS)
    const { reader } = received
    expect((await spansOf(reader, traceIdOf(1))).map(({ spanId }) => Number(spanId))).toEqual(
      [1, 2, 4, 9].filter((n) => n !== 9),
    )
    expect(await searched(reader, { ...ALL, service: 'daytwo' })).toHaveLength(1)
    expect((await reader.changedSince(position)).clusters).toEqual([])
    await next.replaceSpans(traceOf(), NOW_MS)
    expect((await spansOf(reader, traceIdOf(1))).map(({ spanId }) => Number(spanId))).toEqual([1])
    expect(await searched(reader, { ...ALL, service: 'daytwo' })).toEqual([])
  })

  test('a trace with damaged bytes is left out and counted, and what follows is shipped', async () => {
    const shared = await openShared(await postgres.options())
    const one = shippedSpans(shared)
    one.spans.putSpans([span()], NOW_MS)
    one.commitOnly()
    one.db.exec("UPDATE trace_part SET payload = x'0102'")
    one.spans.putSpans([span({ traceId: traceIdOf(2) })], NOW_MS)
    await one.commit()
    expect(await one.reader.trace(traceIdOf(1))).toBeUndefined()
    expect(await spansOf(one.reader, traceIdOf(2))).toHaveLength(1)
  })
})
