import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { SnappyDecoder } from '../../src/wire/snappy.ts'
import { makeServer } from './test-server.ts'

// Every stored body of remote write and of OTLP, sent over HTTP as a sender would. The folders are listed, so that a body
// without a row here fails.

const GOLDEN = resolve(import.meta.dirname, '../../../shared/golden')
const isThere = existsSync(GOLDEN)
const bytesOf = (path: string): Buffer => readFileSync(resolve(GOLDEN, path))
const filesOf = (folder: string): string[] => (isThere ? readdirSync(resolve(GOLDEN, folder)).sort() : [])

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** Status, samples and histograms taken, and what the text of a refusal holds. */
type Row = readonly [status: number, samples: number, text?: string]

const REMOTE_WRITE: Readonly<Record<string, Row>> = {
  'v1-samples.snappy': [204, 12],
  'v1-metadata-only.snappy': [204, 0],
  'v1-exemplar-histogram.snappy': [204, 3],
  // One value came twice, and is one sample.
  'v1-out-of-order.snappy': [400, 4, 'duplicate_sample (1)'],
  'v1-bad-labels.snappy': [400, 1, 'no_metric_name (2)'],
  'empty.snappy': [204, 0],
  'bad-framed.snappy': [400, 0, 'a framed stream'],
  'bad-length.snappy': [400, 0, 'snappy'],
  'bad-raw.pb': [400, 0, 'snappy'],
  'v2-full.snappy': [204, 5],
  'v2-bad-ref.snappy': [400, 0, 'label reference'],
  'v2-bad-histogram.snappy': [400, 0, 'bad_histogram (1)'],
  'v2-odd-refs.snappy': [400, 0, 'pairs of name and value'],
  'v2-no-empty-symbol.snappy': [400, 0, 'want an empty one'],
}

/** Status, and what the answer is: empty, or a status with this text. */
const OTLP: Readonly<Record<string, readonly [status: number, answer?: string]>> = {
  'metrics-all': [200],
  'metrics-names': [200],
  'metrics-delta': [200],
  empty: [200],
  'bad-truncated': [400, 'otlp: got'],
  'bad-wiretype': [400, 'wire type'],
  'bad-json': [400, 'otlp json'],
  'bad-gzip': [400, 'not gzip'],
  'bomb-64MiB': [413, 'ingest.decompressed-bytes-max'],
}

/** Status, spans taken, and what the answer is. Bodies that are no request of any signal are sent as metrics. */
const TRACES: Readonly<Record<string, readonly [status: number, spans: number, answer?: string]>> = {
  'traces-basic': [200, 3],
  'traces-upgrade': [200, 8],
  'traces-lenient': [200, 1],
  'unknown-fields': [200, 1],
  'bad-ids': [200, 1, 'refused 3 of 4 spans: bad_span_id (3)'],
  'bad-json-type': [400, 0, 'want a list'],
}

/** Bodies of signals that other tests send, and answers of servers, which other tests compare with ours. */
const NOT_SENT = /^(traces|logs|resp|bad-ids|bad-json-type|unknown-fields)|expected/

describe.skipIf(!isThere)('stored bodies (skipped when they are not beside the project)', () => {
  test('all have a row', () => {
    const remoteWrite = filesOf('rw').filter((name) => name.endsWith('.snappy') || name === 'bad-raw.pb')
    expect(remoteWrite).toEqual(Object.keys(REMOTE_WRITE).sort())
    const otlp = filesOf('otlp').filter((name) => !NOT_SENT.test(name))
    expect([...new Set(otlp.map((name) => name.split('.')[0]))].sort()).toEqual(Object.keys(OTLP).sort())
  })

  test.each(Object.entries(REMOTE_WRITE))('rw/%s', async (name, [status, samples, text = '']) => {
    const { app, appender } = await makeServer()
    closers.push(() => app.close())
    const isV2 = name.startsWith('v2-')
    const type = isV2 ? 'application/x-protobuf;proto=io.prometheus.write.v2.Request' : 'application/x-protobuf'
    const headers = { 'content-type': type, 'content-encoding': 'snappy' }
    const answer = await app.inject({ method: 'POST', url: '/api/v1/write', headers, payload: bytesOf(`rw/${name}`) })
    expect([answer.statusCode, appender.sampleCount]).toEqual([status, samples])
    expect(answer.body).toContain(text)
    // A sender of 2.0 reads what was written from headers of every answer, one of 1.0 must see none.
    const written = ['samples', 'histograms', 'exemplars'].map(
      (what) => answer.headers[`x-prometheus-remote-write-${what}-written`],
    )
    const want = name === 'v2-full.snappy' ? ['3', '2', '2'] : [String(samples), '0', '0']
    expect(written).toEqual(isV2 ? want : [undefined, undefined, undefined])
  })

  test.each(filesOf('rw').filter((name) => name.endsWith('.pb') && name !== 'bad-raw.pb'))(
    'rw/%s is what its block opens to',
    (name) => {
      const block = bytesOf(`rw/${name.replace(/pb$/, 'snappy')}`)
      expect(Buffer.from(new SnappyDecoder(1 << 20).decode(block)).equals(bytesOf(`rw/${name}`))).toBe(true)
    },
  )

  test.each(filesOf('otlp').filter((name) => !NOT_SENT.test(name)))('otlp/%s', async (name) => {
    const { app } = await makeServer()
    closers.push(() => app.close())
    const [status, want] = OTLP[name.split('.')[0]!]!
    const type = name.includes('.json') ? 'application/json' : 'application/x-protobuf'
    const headers = { 'content-type': type, ...(name.endsWith('.gz') ? { 'content-encoding': 'gzip' } : {}) }
    const answer = await app.inject({ method: 'POST', url: '/v1/metrics', headers, payload: bytesOf(`otlp/${name}`) })
    expect(answer.statusCode).toBe(status)
    // Exactly so: collectors do not read an answer of another type.
    expect(answer.headers['content-type']).toBe(type)
    if (typeof want === 'string') expect(answer.body).toContain(want)
    else expect(answer.body).toBe(type === 'application/json' ? '{}' : '')
  })

  const traces = filesOf('otlp').filter((name) => Object.hasOwn(TRACES, name.split('.')[0]!))
  test.each(traces)('otlp/%s as traces', async (name) => {
    const { app, spans, clock } = await makeServer()
    closers.push(() => app.close())
    // When the stored upgrade is over.
    clock.advance(1_800_000)
    const [status, taken, want] = TRACES[name.split('.')[0]!]!
    const type = name.includes('.json') ? 'application/json' : 'application/x-protobuf'
    const headers = { 'content-type': type, ...(name.endsWith('.gz') ? { 'content-encoding': 'gzip' } : {}) }
    const answer = await app.inject({ method: 'POST', url: '/v1/traces', headers, payload: bytesOf(`otlp/${name}`) })
    expect([answer.statusCode, answer.headers['content-type'], spans.length]).toEqual([status, type, taken])
    if (want !== undefined) expect(answer.body).toContain(want)
    else expect(answer.body).toBe(type === 'application/json' ? '{}' : '')
  })

  test('every stored body of traces has a row', () => {
    const names = filesOf('otlp').map((name) => name.split('.')[0]!)
    expect(names.filter((name) => name.startsWith('traces') && !Object.hasOwn(TRACES, name))).toEqual([])
  })
})
