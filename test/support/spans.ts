import fc from 'fast-check'
import { SPAN_KINDS, SPAN_STATUSES, type Span, type SpanScope } from '../../src/model/span.ts'
import { attributeList } from './otlp.ts'

/** Spans for tests: one with a few things said of it, and spans of all shapes. */

export const T0_NS = 1_760_000_000_000_000_000n

export const traceIdOf = (number: number): string => number.toString(16).padStart(32, '0')
export const spanIdOf = (number: number): string => number.toString(16).padStart(16, '0')

export const SCOPE: SpanScope = { name: 'test', version: '1', attributes: [] }

export function span(more: Partial<Span> & { readonly service?: string; readonly cluster?: string } = {}): Span {
  const { service = 'hco', cluster = '', ...rest } = more
  return {
    traceId: traceIdOf(1),
    spanId: spanIdOf(1),
    traceState: '',
    name: 'reconcile',
    kind: 'internal',
    startNs: T0_NS,
    endNs: T0_NS + 1_000_000n,
    attributes: [],
    events: [],
    links: [],
    status: { code: 'unset', message: '' },
    flags: 0,
    resource: { service, cluster, attributes: [{ key: 'service.name', value: service }] },
    scope: SCOPE,
    ...rest,
  }
}

const number = fc.integer({ min: 1, max: 4 })
const dropped = fc.record({ attributes: fc.nat(3), events: fc.nat(3), links: fc.nat(300) })
const count = fc.integer({ min: 1, max: 1000 })
const optional = <T extends object>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: {} as Partial<T> })
const timeNs = fc.oneof(
  fc.integer({ min: -5, max: 5 }).map((minutes) => T0_NS + BigInt(minutes) * 60_000_000_000n),
  fc.bigInt({ min: -10_000_000_000_000n, max: 10_000_000_000_000n }).map((offset) => T0_NS + offset),
)
const name = fc.constantFrom('reconcile', 'sync', 'olm.csv.pending', '')
const text = fc.string({ maxLength: 4, unit: 'grapheme' })

const event = fc
  .record({ timeNs, name, attributes: attributeList, more: optional(fc.record({ droppedAttributes: count })) })
  .map(({ more, ...rest }) => ({ ...rest, ...more }))
const link = fc
  .record({
    traceId: number.map(traceIdOf),
    spanId: number.map(spanIdOf),
    traceState: text,
    attributes: attributeList,
    more: optional(fc.record({ flags: count, droppedAttributes: count }, { requiredKeys: [] })),
  })
  .map(({ more, ...rest }) => ({ ...rest, ...more }))
const source = optional(
  fc.record({ droppedAttributes: count, schemaUrl: fc.constant('https://schema.example/1') }, { requiredKeys: [] }),
)

/** Few ids and names, so that spans meet each other; times may be odd. */
export const arbitrarySpan: fc.Arbitrary<Span> = fc
  .record({
    traceId: number.map(traceIdOf),
    spanId: number.map(spanIdOf),
    traceState: text,
    name,
    kind: fc.constantFrom(...SPAN_KINDS),
    startNs: timeNs,
    endNs: fc.oneof(timeNs, fc.constantFrom(0n, 2n ** 64n - 1n)),
    attributes: attributeList,
    events: fc.array(event, { maxLength: 2 }),
    links: fc.array(link, { maxLength: 2 }),
    status: fc.record({ code: fc.constantFrom(...SPAN_STATUSES), message: text }),
    flags: fc.constantFrom(0, 1, 0x301, 0xffffffff),
    resource: fc
      .record({
        service: fc.constantFrom('hco', 'virt', 'unknown_service'),
        cluster: fc.constantFrom('', 'a', 'b'),
        attributes: attributeList,
        source,
      })
      .map(({ source: more, ...rest }) => ({ ...rest, ...more })),
    scope: fc
      .record({ name: fc.constantFrom('', 's'), version: fc.constantFrom('', '1'), attributes: attributeList, source })
      .map(({ source: more, ...rest }) => ({ ...rest, ...more })),
    parent: fc.option(number.map(spanIdOf), { nil: undefined }),
    dropped: fc.option(dropped, { nil: undefined }),
  })
  .map(({ parent, dropped: left, ...rest }) => ({
    ...rest,
    ...(parent !== undefined && { parentSpanId: parent }),
    ...(left !== undefined && { dropped: left }),
  }))
