import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Attributes } from '../../src/model/attribute.ts'
import type { ClusterClaim } from '../../src/model/cluster-claim.ts'
import type { LogRecord } from '../../src/model/log-record.ts'
import type { ObjectObservation } from '../../src/model/observation.ts'
import { Labels } from '../../src/model/labels.ts'
import type { StoreWriter } from '../../src/store/writer.ts'
import { SCOPE, span, spanIdOf, T0_NS } from '../support/spans.ts'
import { NOW_MS, TempStore } from './temp-store.ts'

// What waits for the disk is counted at its size, whatever it contains: a full disk is survived within pendingBytesMax.

/** No compression makes it smaller. */
const text = (chars: number): string => randomBytes(chars / 2).toString('hex')
const attributes = (chars: number): Attributes => [{ key: 'text', value: text(chars) }]

function record(chars: number): LogRecord {
  const fields = { severityText: '', eventName: '', traceId: '', spanId: '', attributes: attributes(chars / 2) }
  const body = { entries: [{ key: 'line', value: [text(chars / 2)] }] }
  return { timeNs: T0_NS, cluster: 'prague', service: 'hco', severity: 9, body, ...fields }
}

function observation(chars: number): ObjectObservation {
  const facts = { kind: 'operatorgroups', name: text(chars) } as unknown as ObjectObservation['facts']
  const named = { cluster: 'prague', uid: '1', name: 'a', namespace: 'b', resourceVersion: '1' }
  return { ...named, change: 'modified', observedMs: NOW_MS, facts }
}

function claim(chars: number): ClusterClaim {
  const name = text(chars)
  return { cluster: 'prague', name, kind: 'name', joins: false, isBound: false, firstMs: NOW_MS, lastMs: NOW_MS }
}

const PUTS: Readonly<Record<string, (writer: StoreWriter, chars: number) => void>> = {
  'a log record': ({ logs }, chars) => {
    logs.putLogs([record(chars)])
  },
  'an object': ({ observations }, chars) => {
    observations.putObjects([observation(chars)])
  },
  'a listing': ({ observations }, chars) => {
    const uids = Array.from({ length: chars / 36 }, (_, i) => `00000000-0000-0000-0000-${String(i).padStart(12, '0')}`)
    observations.putListings([{ cluster: 'prague', resource: 'nodes', namespace: '', observedMs: NOW_MS, uids }])
  },
  'a claim': ({ observations }, chars) => {
    observations.putClaims([claim(chars)])
  },
  'a span': ({ spans }, chars) => {
    spans.putSpans([span({ attributes: attributes(chars) })], NOW_MS)
  },
  'an event of a span': ({ spans }, chars) => {
    spans.putSpans([span({ events: [{ timeNs: T0_NS, name: 'x', attributes: attributes(chars) }] })], NOW_MS)
  },
  'a link of a span': ({ spans }, chars) => {
    const link = { traceId: '1'.repeat(32), spanId: '1'.repeat(16), traceState: text(chars), attributes: [] }
    spans.putSpans([span({ links: [link] })], NOW_MS)
  },
  'a derived span': ({ spans }, chars) => {
    const one = span({ attributes: [{ key: 'list', value: [{ entries: attributes(chars) }] }] })
    spans.replaceSpans([{ traceId: one.traceId, scope: SCOPE.name, spans: [one] }], NOW_MS)
  },
  'an exemplar': ({ appender }, chars) => {
    const ref = appender.resolve(Labels.of({ __name__: 'x' }))!
    appender.appendExemplar(ref, { labels: Labels.of({ id: text(chars) }), value: 1, timeMs: NOW_MS })
  },
  metadata: ({ appender }, chars) => {
    appender.describe('x', { type: 'gauge', help: text(chars), unit: '' })
  },
}

describe.each(Object.entries(PUTS))('%s that waits for the disk', (_what, put) => {
  test.each([360, 36_000])('counts its %i characters', async (chars) => {
    const { writer } = new TempStore()
    put(writer, chars)
    const { pendingBytes } = writer.stats()
    // Random hexadecimal digits are packed to half their size.
    expect(pendingBytes).toBeGreaterThan(chars / 2)
    expect(pendingBytes).toBeLessThan(chars * 3 + 2000)
    await writer.commit()
    expect(writer.stats().pendingBytes).toBe(0)
  })
})

test('the resource of many spans counts once for each commit', async () => {
  const { writer } = new TempStore()
  const resource = { service: 'hco', cluster: '', attributes: attributes(50_000) }
  const spans = Array.from({ length: 50 }, (_, i) => span({ spanId: spanIdOf(i + 1), resource }))
  const first = (): number => {
    writer.spans.putSpans(spans, NOW_MS)
    return writer.stats().pendingBytes
  }
  const bytes = first()
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThan(100_000)
  await writer.commit()
  expect(first()).toBe(bytes)
})
