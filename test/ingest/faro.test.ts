import { describe, expect, test } from 'vitest'
import { FARO_LIMITS, acceptFaro, receiveFaro, type FaroItems } from '../../src/ingest/faro.ts'

const NOW_MS = 1_787_220_000_000

function accept(payload: unknown): FaroItems {
  const outcome = receiveFaro(Buffer.from(JSON.stringify(payload)), NOW_MS)
  if (outcome.kind !== 'accepted') throw new Error(outcome.message)
  return outcome.items
}

describe('faro items', () => {
  test('carry what a log line needs, each kind its own', () => {
    const items = accept({
      meta: {
        app: { name: 'console', version: '4.21' },
        session: { id: 's1' },
        page: { url: 'https://u:p@h.example/vms?token=secret#top' },
        browser: { name: 'Firefox', version: '142' },
      },
      exceptions: [
        {
          type: 'TypeError',
          value: 'x is not a function',
          timestamp: '2026-08-20T10:00:00.5Z',
          stacktrace: {
            frames: [{ filename: 'https://h/a.js?v=1', function: 'f', lineno: 3, colno: 4 }, { function: 'g' }],
          },
        },
      ],
      logs: [{ level: 'warn', message: 'a\nb', context: { k: 'v' } }],
      measurements: [{ type: 'web-vitals', values: { lcp: 12.5 } }],
      events: [{ name: 'session_start' }],
    })
    const common = { session: 's1', pageUrl: 'https://h.example/vms', browser: 'Firefox 142', app: 'console 4.21' }
    const received = { timeMs: NOW_MS, isTimeOurs: true }
    const empty = { message: '', stack: '', values: {}, attributes: {} }
    expect(JSON.parse(JSON.stringify(items))).toEqual({
      records: [
        {
          ...common,
          ...empty,
          kind: 'exception',
          type: 'TypeError',
          message: 'x is not a function',
          stack: 'f (https://h/a.js:3:4) < g (:0:0)',
          timeMs: NOW_MS + 500,
          isTimeOurs: false,
        },
        { ...common, ...empty, ...received, kind: 'log', type: 'warn', message: 'a b', attributes: { k: 'v' } },
        { ...common, ...empty, ...received, kind: 'measurement', type: 'web-vitals', values: { lcp: 12.5 } },
        { ...common, ...empty, ...received, kind: 'event', type: 'session_start' },
      ],
      refusals: [],
      spansIgnored: 0,
    })
  })

  test.each([
    ['now', 0, 0, false],
    ['a minute ahead', 60_000, 60_000, false],
    ['more than a minute ahead', 60_001, 0, true],
    ['a day behind', -86_400_000, -86_400_000, false],
    ['more than a day behind', -86_400_001, 0, true],
  ])('of a browser whose clock says %s have a believable time', (_, offsetMs, wantOffsetMs, isTimeOurs) => {
    const { records } = accept({ logs: [{ timestamp: new Date(NOW_MS + offsetMs).toISOString() }] })
    expect(records[0]).toMatchObject({ timeMs: NOW_MS + wantOffsetMs, isTimeOurs })
  })

  test('beyond 500 are refused and counted, as are those that are no objects', () => {
    const items = accept({ logs: [null, ...Array<object>(498).fill({})], events: [1, {}, {}, {}] })
    expect(items.records).toHaveLength(498)
    expect(items.refusals).toEqual([
      { reason: 'too_many_items', count: 3 },
      { reason: 'malformed_item', count: 2 },
    ])
  })

  test('of a payload made by hand are bounded too', () => {
    const log = { level: 'info', message: '', attributes: {} }
    const { records, refusals } = acceptFaro(
      { ...emptyPayload(), logs: Array.from({ length: 501 }, () => log) },
      NOW_MS,
    )
    expect([records.length, refusals]).toEqual([500, [{ reason: 'too_many_items', count: 1 }]])
  })

  test('have bounded texts and entries', () => {
    const long = 'x'.repeat(10_000)
    const attributes = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}${long}`, long]))
    const { records } = accept({
      meta: { page: { url: long }, browser: { name: long } },
      logs: [{ level: long, message: long, context: attributes }],
      exceptions: [{ stacktrace: { frames: [{ function: long }] } }],
    })
    for (const record of records) {
      expect(JSON.stringify(record).length).toBeLessThan(32 * 600 + 3 * 4096)
      expect(record.pageUrl).toHaveLength(FARO_LIMITS.textCharsMax)
    }
    expect(Object.keys(records[1]!.attributes)).toHaveLength(FARO_LIMITS.entriesMax)
  })

  test('of more than 5 MiB are refused before they are read', () => {
    const body = new Uint8Array(FARO_LIMITS.bodyBytesMax + 1)
    expect(receiveFaro(body, NOW_MS)).toEqual({
      kind: 'too_large',
      status: 413,
      message: 'faro: got 5242881 bytes, want at most 5242880',
    })
    expect(() => receiveFaro(body.subarray(1), NOW_MS)).toThrow('faro: got text that is not JSON, want a JSON object')
  })
})

function emptyPayload() {
  return {
    meta: {
      appName: '',
      appVersion: '',
      sdkVersion: '',
      sessionId: '',
      pageUrl: '',
      viewName: '',
      browserName: '',
      browserVersion: '',
      browserOs: '',
    },
    exceptions: [],
    logs: [],
    measurements: [],
    events: [],
    spanCount: 0,
    overflowCount: 0,
    malformedCount: 0,
  }
}
