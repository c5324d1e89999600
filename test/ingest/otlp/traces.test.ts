import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Intake } from '../../../src/ingest/intake.ts'
import { INGEST_DEFAULTS, type IngestOptions } from '../../../src/ingest/options.ts'
import { otlpAnswer } from '../../../src/ingest/otlp/outcome.ts'
import { OTLP_DEFAULTS } from '../../../src/ingest/otlp/options.ts'
import { createOtlpTracesIngest } from '../../../src/ingest/otlp/traces.ts'
import type { RefusedSpan, Span } from '../../../src/model/span.ts'
import type { OtlpSpan } from '../../../src/wire/otlp/traces.ts'
import { MemoryAppender } from '../../support/memory-appender.ts'
import { encodeTracesProtobuf, otlpSpan, tracesOf } from '../../support/otlp-traces.ts'
import { spanIdOf, traceIdOf } from '../../support/spans.ts'
import { atOnce } from '../../support/at-once.ts'

const NOW_MS = 1_787_220_000_000
const NOW_NS = BigInt(NOW_MS) * 1_000_000n
const HOUR_MS = 3_600_000
/** When the stored upgrade is over. */
const AFTER_MS = NOW_MS + 1_800_000
const GOLDEN = resolve(import.meta.dirname, '../../../../shared/golden')

function rig(
  options: Partial<IngestOptions> = {},
  room = Infinity,
  reason: RefusedSpan['reason'] = 'trace_span_limit',
) {
  const spans: Span[] = []
  const intake = new Intake(new MemoryAppender(), { ...INGEST_DEFAULTS, ...options })
  const ingest = createOtlpTracesIngest({
    intake,
    otlp: OTLP_DEFAULTS,
    spans: {
      putSpans: (put) => {
        spans.push(...put.slice(0, room))
        return put.slice(room).map((one) => ({ span: one, reason }))
      },
    },
    limits: { retentionMs: HOUR_MS, spansPerTraceMax: 7, bytesPerTraceMax: 9000 },
  })
  const write = (body: Uint8Array | string, cluster?: string, nowMs = NOW_MS) =>
    atOnce(
      ingest.write(Buffer.from(body as string), typeof body === 'string' ? 'json' : 'protobuf', {
        nowMs,
        ...(cluster === undefined ? {} : { cluster }),
      }),
    )
  const send = (resource: Readonly<Record<string, string>>, ...sent: readonly Partial<OtlpSpan>[]) =>
    sendAs(undefined, resource, ...sent)
  const sendAs = (
    cluster: string | undefined,
    resource: Readonly<Record<string, string>>,
    ...sent: readonly Partial<OtlpSpan>[]
  ) =>
    write(
      encodeTracesProtobuf(
        tracesOf(resource, ...sent.map((more) => otlpSpan({ startNs: NOW_NS, endNs: NOW_NS + 1n, ...more }))),
      ),
      cluster,
    )
  return { spans, intake, write, send, sendAs }
}

test('spans are taken with their service and cluster', () => {
  const { spans, send, intake } = rig()
  const outcome = send(
    { 'service.name': 'hco', 'k8s.cluster.uid': 'u1' },
    {},
    { spanId: spanIdOf(2), parentSpanId: spanIdOf(1) },
  )
  expect(outcome).toEqual({ signal: 'traces', status: 200, message: '', itemsIn: 2, itemsTaken: 2, refusals: [] })
  expect(spans.map(({ resource, parentSpanId }) => [resource.service, resource.cluster, parentSpanId])).toEqual([
    ['hco', 'u1', undefined],
    ['hco', 'u1', spanIdOf(1)],
  ])
  expect(intake.report(NOW_MS, 5).clusters.bySamples).toMatchObject([{ cluster: 'u1', taken: 2, refused: 0 }])
  expect(Buffer.from(otlpAnswer(outcome, 'json')).toString()).toBe('{}')
})

test('who does not say what it is, is an unknown service of no cluster', () => {
  const { spans, send } = rig()
  send({}, {})
  expect(spans[0]!.resource).toEqual({ service: 'unknown_service', cluster: '', attributes: [] })
})

test.each<[string, Partial<OtlpSpan>, string, string]>([
  ['no trace id', { traceId: '' }, 'bad_span_id', 'got trace id none, want 16 bytes'],
  ['a trace id of zeros', { traceId: traceIdOf(0) }, 'bad_span_id', 'got trace id all zero'],
  ['a short trace id', { traceId: 'ab'.repeat(15) }, 'bad_span_id', 'of 15 bytes'],
  ['a span id of zeros', { spanId: spanIdOf(0) }, 'bad_span_id', 'got span id all zero, want 8 bytes'],
  ['a long parent', { parentSpanId: 'ab'.repeat(9) }, 'bad_span_id', 'want 8 bytes or none'],
  ['no start', { startNs: 0n }, 'bad_timestamp', 'without a start'],
  ['a start in the future', { startNs: NOW_NS + 700_000_000_000n }, 'too_far_ahead', 'got 700000 ms ahead'],
  ['an end long ago', { startNs: NOW_NS - 4_000_000_000_000n, endNs: 5n }, 'too_old', 'retention.traces, 3600000'],
  ['an upgrade without its attributes', { name: 'olm.csv.pending' }, 'bad_upgrade_span', 'olm.csv.pending'],
])('%s has the span refused, and the rest is taken', (_what, bad, reason, text) => {
  const { spans, send, intake } = rig()
  const outcome = send({ 'service.name': 'hco' }, bad, { spanId: spanIdOf(9) })
  expect(outcome).toMatchObject({ status: 200, itemsIn: 2, itemsTaken: 1, refusals: [{ reason, count: 1 }] })
  expect(outcome.message).toContain('refused 1 of 2 spans: ')
  expect(outcome.message).toContain(text)
  expect(spans.map(({ spanId }) => spanId)).toEqual([spanIdOf(9)])
  expect(intake.report(NOW_MS, 5).refusals).toMatchObject([{ reason, count: 1 }])
})

describe('the size of a span', () => {
  const LIMITS = { spanNameBytesMax: 20, spanValueBytesMax: 30, spanBytesMax: 150 }
  const name = 'ingest.span-name-bytes-max'
  const value = 'ingest.span-value-bytes-max'
  const texts = (length: number) => [{ key: 'k', value: 'v'.repeat(length) }]
  const event = { timeNs: NOW_NS, name: 'e', attributes: [], droppedAttributes: 0 }
  const link = { traceId: traceIdOf(2), spanId: spanIdOf(2), attributes: [], droppedAttributes: 0, flags: 0 }

  test.each<[string, Readonly<Record<string, string>>, Partial<OtlpSpan>, string | undefined]>([
    ['a name of the whole length', {}, { name: 'n'.repeat(20) }, undefined],
    ['a long name', {}, { name: 'n'.repeat(21) }, name],
    ['a name of characters that take two bytes', {}, { name: 'é'.repeat(11) }, name],
    ['a long service', { 'service.name': 's'.repeat(21) }, {}, name],
    ['a long cluster', { 'k8s.cluster.uid': 'c'.repeat(21) }, {}, name],
    ['a value of the whole length', {}, { attributes: texts(30) }, undefined],
    ['a long value', {}, { attributes: texts(31) }, value],
    ['a long value in a list', {}, { attributes: [{ key: 'k', value: ['v'.repeat(31)] }] }, value],
    ['a long value in a map', {}, { attributes: [{ key: 'k', value: { entries: texts(31) } }] }, value],
    ['long bytes', {}, { attributes: [{ key: 'k', value: new Uint8Array(31) }] }, value],
    ['a long key', {}, { attributes: [{ key: 'k'.repeat(21), value: 1 }] }, name],
    ['a long name of an event', {}, { events: [{ ...event, name: 'e'.repeat(21) }] }, name],
    ['a long value of an event', {}, { events: [{ ...event, attributes: texts(31) }] }, value],
    ['a long trace state', {}, { traceState: 't'.repeat(31) }, value],
    ['a long trace state of a link', {}, { links: [{ ...link, traceState: 't'.repeat(31) }] }, value],
    ['a long status', {}, { status: { code: 'error', message: 'm'.repeat(31) } }, value],
    ['many values', {}, { attributes: Array.from({ length: 6 }, () => texts(30)[0]!) }, 'ingest.span-bytes-max'],
  ])('%s', (_, resource, span, option) => {
    const { spans, send, intake } = rig(LIMITS)
    const outcome = send(resource, { name: 'n', ...span })
    expect(spans).toHaveLength(option === undefined ? 1 : 0)
    if (option === undefined) return
    expect(outcome).toMatchObject({ status: 200, refusals: [{ reason: 'span_too_large', count: 1 }] })
    expect(outcome.message).toContain(option)
    expect(intake.report(NOW_MS, 5).refusals).toMatchObject([{ reason: 'span_too_large', count: 1 }])
  })

  test('counts for its cluster, unless the name of the cluster is too long', () => {
    const { send, intake } = rig(LIMITS)
    send({ 'k8s.cluster.uid': 'u1' }, { name: 'n'.repeat(21) }, { name: 'n', spanId: spanIdOf(2) })
    send({ 'k8s.cluster.uid': 'c'.repeat(21) }, {})
    expect(intake.report(NOW_MS, 5).clusters.bySamples).toMatchObject([{ cluster: 'u1', taken: 1, refused: 1 }])
  })

  test('of a huge name is not in the answer', () => {
    const { send } = rig()
    const outcome = send({ 'service.name': 's'.repeat(5_000_000) }, { name: 'n'.repeat(5_000_000) })
    expect(outcome.itemsTaken).toBe(0)
    expect(outcome.message.length).toBeLessThan(1000)
  })
})

test('a parent of zeros is none, and a link that leads nowhere is counted as left out', () => {
  const { spans, send } = rig()
  const link = {
    traceId: traceIdOf(2),
    spanId: spanIdOf(2),
    traceState: '',
    attributes: [],
    droppedAttributes: 0,
    flags: 0,
  }
  send({}, { parentSpanId: spanIdOf(0), droppedLinks: 3, links: [link, { ...link, spanId: '' }] })
  expect('parentSpanId' in spans[0]!).toBe(false)
  expect(spans[0]!.links).toEqual([{ traceId: traceIdOf(2), spanId: spanIdOf(2), traceState: '', attributes: [] }])
  expect(spans[0]!.dropped).toEqual({ attributes: 0, events: 0, links: 4 })
})

test('a token speaks for its own cluster and for no other', () => {
  const { spans, sendAs } = rig()
  expect(sendAs('prague', { 'k8s.cluster.name': 'prague' }, {}).itemsTaken).toBe(1)
  expect(sendAs('prague', {}, { spanId: spanIdOf(2) }).itemsTaken).toBe(1)
  const outcome = sendAs('prague', { cluster: 'berlin' }, { spanId: spanIdOf(3) }, { traceId: '' })
  expect(outcome).toMatchObject({ itemsTaken: 0, refusals: [{ reason: 'cluster_mismatch', count: 2 }] })
  expect(outcome.message).toContain('claims cluster "berlin"')
  expect(spans.map(({ resource }) => resource.cluster)).toEqual(['prague', 'prague'])
})

test.each([
  ['trace_span_limit', 'more spans than store.trace-spans-max, 7: span'],
  ['trace_byte_limit', 'more bytes than store.trace-bytes-max, 9000: span'],
] as const)('what a trace has no room for is refused as %s', (reason, words) => {
  const { send, intake } = rig({}, 1, reason)
  const outcome = send({ 'service.name': 'hco', 'k8s.cluster.uid': 'u1' }, {}, { spanId: spanIdOf(2) })
  expect(outcome).toMatchObject({ itemsIn: 2, itemsTaken: 1, refusals: [{ reason, count: 1 }] })
  expect(outcome.message).toContain(words)
  expect(intake.report(NOW_MS, 5).clusters.bySamples).toMatchObject([{ taken: 1, refused: 1 }])
})

test.each<[string, Uint8Array | string, string, string]>([
  ['no JSON', '{', 'bad_encoding', 'otlp json'],
  ['no protobuf', Uint8Array.of(0x0f), 'bad_encoding', 'wire type'],
  [
    'too many spans',
    encodeTracesProtobuf(tracesOf({}, otlpSpan(), otlpSpan())),
    'request_too_large',
    'ingest.request-spans-max',
  ],
])('a body that is %s is not taken at all', (_what, body, reason, text) => {
  const { write, spans, intake } = rig({ spansPerRequestMax: 1 })
  const outcome = write(body)
  expect(outcome).toMatchObject({ status: 400, itemsIn: 0, itemsTaken: 0, refusals: [{ reason, count: 1 }] })
  expect(outcome.message).toContain(text)
  expect(spans).toEqual([])
  expect(intake.report(NOW_MS, 5).refusals).toMatchObject([{ reason }])
})

describe.skipIf(!existsSync(GOLDEN))('stored bodies (skipped when they are not beside the project)', () => {
  test.each(['bad-ids.json', 'bad-ids.pb'])('%s has three spans refused', (name) => {
    const { write, spans } = rig()
    const body = readFileSync(resolve(GOLDEN, 'otlp', name))
    const outcome = write(name.endsWith('json') ? body.toString() : body)
    expect(outcome).toMatchObject({ itemsIn: 4, itemsTaken: 1, refusals: [{ reason: 'bad_span_id', count: 3 }] })
    expect(spans.map((span) => span.name)).toEqual(['good'])
    expect(JSON.parse(Buffer.from(otlpAnswer(outcome, 'json')).toString())).toMatchObject({
      partialSuccess: { rejectedSpans: '3' },
    })
  })

  test.each(['traces-basic', 'traces-upgrade', 'traces-lenient'])('%s is taken whole, the same in both', (name) => {
    const [json, protobuf] = [rig(), rig()]
    const bytes = (ending: string) => readFileSync(resolve(GOLDEN, 'otlp', `${name}.${ending}`))
    expect(json.write(bytes('json').toString(), undefined, AFTER_MS).message).toBe('')
    expect(protobuf.write(bytes('pb'), undefined, AFTER_MS).message).toBe('')
    expect(protobuf.spans).toEqual(json.spans)
  })
})
