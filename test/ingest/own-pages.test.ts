import { expect, test } from 'vitest'
import { acceptFaro, type FaroRecord } from '../../src/ingest/faro.ts'
import { countsOf, isOfOwnPages, logRecordOf } from '../../src/ingest/own-pages.ts'
import { textAttribute } from '../../src/model/attribute.ts'
import { parseFaro } from '../../src/wire/faro.ts'

const NOW_MS = Date.parse('2026-08-20T10:00:00Z')

function recordOf(items: object, meta: { readonly app?: string; readonly url?: string } = {}): FaroRecord {
  const { app = 'daytwo-web', url = 'https://daytwo.example/alerts/f1?q=secret' } = meta
  const body = JSON.stringify({
    meta: { app: { name: app, version: '1.2' }, page: { url }, session: { id: 's1' } },
    ...items,
  })
  return acceptFaro(parseFaro(Buffer.from(body), { itemsMax: 10, entriesMax: 10 }), NOW_MS).records[0]!
}
const vital = (values: object, rating = 'good') => ({
  measurements: [{ type: 'web-vitals', values, context: { rating } }],
})

test.each([
  ['a page load', { events: [{ name: 'faro.performance.navigation' }] }, [{ kind: 'load', page: 'alerts' }]],
  ['another event', { events: [{ name: 'session_start' }] }, []],
  ['an error', { exceptions: [{ type: 'E', value: 'v' }] }, [{ kind: 'error', page: 'alerts' }]],
  ['a log line', { logs: [{ level: 'info', message: 'm' }] }, []],
  [
    'a slow panel',
    { measurements: [{ type: 'slow_panel', values: { duration: 2100 } }] },
    [{ kind: 'slow_panel', page: 'alerts' }],
  ],
  [
    'a time',
    vital({ lcp: 1500, delta: 3 }),
    [{ kind: 'vital', page: 'alerts', vital: 'lcp', rating: 'good', value: 1.5 }],
  ],
  [
    'a score',
    vital({ cls: 0.2 }, 'poor'),
    [{ kind: 'vital', page: 'alerts', vital: 'cls', rating: 'poor', value: 0.2 }],
  ],
  [
    'a rating nobody knows',
    vital({ inp: 8 }, 'x"}'),
    [{ kind: 'vital', page: 'alerts', vital: 'inp', rating: 'unknown', value: 0.008 }],
  ],
  ['a time that is none', vital({ lcp: -1 }), []],
  ['a time beyond all bounds', vital({ lcp: 1e300 }), []],
])('%s is counted as what it is', (_what, items, counts) => {
  expect(countsOf(recordOf(items))).toEqual(counts)
})

test.each([
  ['https://h/', 'now'],
  ['https://h/fleet/clusters/a', 'fleet'],
  ['https://h/rb/DaytwoDown', 'runbook'],
  ['https://h/constructor', 'other'],
  ['https://h/whatever-somebody-made-up', 'other'],
  ['no address', 'other'],
])('%s is a page of %s', (url, page) => {
  expect(countsOf(recordOf({ exceptions: [{ type: 'E' }] }, { url }))).toEqual([{ kind: 'error', page }])
})

test.each([
  ['daytwo-web', true],
  ['daytwo-webs', false],
  ['console', false],
])('of the pages of %s: %s', (app, want) => {
  expect(isOfOwnPages(recordOf({ logs: [{ message: 'm' }] }, { app }))).toBe(want)
})

test('as a log record it has the names of OpenTelemetry, a line to search, and no question of a reader', () => {
  const record = logRecordOf(
    recordOf({ exceptions: [{ type: 'TypeError', value: 'x is undefined', context: { part: 'list' } }] }),
  )
  const { service, cluster, severity, severityText, eventName, body, timeNs } = record
  expect({ service, cluster, severity, severityText, eventName, body, timeNs }).toEqual({
    service: 'daytwo-web',
    cluster: '',
    severity: 17,
    severityText: 'error',
    eventName: 'TypeError',
    body: 'TypeError: x is undefined',
    timeNs: BigInt(NOW_MS) * 1_000_000n,
  })
  const text = (key: string): string | undefined => textAttribute(record.attributes, key)
  expect([text('exception.type'), text('url.full'), text('session.id'), text('service.version'), text('part')]).toEqual(
    ['TypeError', 'https://daytwo.example/alerts/f1', 's1', '1.2', 'list'],
  )
  expect(text('user_agent.name')).toBeUndefined()
  expect(logRecordOf(recordOf({ logs: [{ level: 'warn', message: 'm' }] }))).toMatchObject({ severity: 13, body: 'm' })
  expect(logRecordOf(recordOf(vital({ lcp: 12.5 }))).body).toBe('web-vitals lcp=12.5')
})

test.each([
  ['warn', 13],
  ['loud', 0],
  ['constructor', 0],
])('the level %s has the severity %d', (level, severity) => {
  const record = recordOf({ logs: [{ level, message: 'm' }] })
  expect(logRecordOf(record)).toMatchObject({ severity, severityText: level })
})
