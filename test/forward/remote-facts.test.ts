import { describe, expect, test } from 'vitest'
import { pauseMs } from '../../src/forward/backoff.ts'
import { metricsUrls } from '../../src/forward/probe.ts'
import { answerOf } from '../../src/forward/remote-answer.ts'
import { factsOf, startSecondsOf, type RemoteAnswers } from '../../src/forward/remote-facts.ts'

// Answers of VictoriaMetrics 1.79 and Prometheus 2.42 as packaged by Debian, shortened. Mimir, Thanos and remote write 2.0 are not
// packaged: their answers are written after the published formats, and no real server was asked.

const NOTHING: RemoteAnswers = { hasV2: false, buildInfo: undefined, flags: undefined, metrics: undefined }
const PROMETHEUS_242 = {
  version: '2.42.0+ds',
  revision: '2.42.0+ds-5+deb12u1',
  branch: 'debian/sid',
  buildUser: 'team+pkg-go@tracker.debian.org',
  goVersion: 'go1.19.8',
}
const VM_METRICS = `flag{name="dedup.minScrapeInterval", value="0s", is_set="false"} 1
process_start_time_seconds 1795847770
vm_app_version{version="", short_version=""} 1
vm_app_start_timestamp 1795847770
`

describe('what the remote side is', () => {
  test.each([
    ['prometheus', { metrics: VM_METRICS, buildInfo: {} }, 'victoriametrics', '', true],
    ['prometheus', { buildInfo: {} }, 'victoriametrics', '', true],
    ['prometheus', { buildInfo: { version: '2.24.0' } }, 'victoriametrics', '', true],
    [
      'prometheus',
      { metrics: 'vm_app_version{version="victoria-metrics-20240101", short_version="v1.97.1"} 1' },
      'victoriametrics',
      '1.97.1',
      true,
    ],
    ['victoriametrics-cluster', {}, 'victoriametrics', '', true],
    ['prometheus', { buildInfo: PROMETHEUS_242 }, 'prometheus', '2.42.0+ds', false],
    ['prometheus', { buildInfo: { application: 'Grafana Mimir', version: '2.13.0' } }, 'mimir', '2.13.0', false],
    ['mimir', {}, 'mimir', '', false],
    ['thanos', {}, 'thanos', '', false],
    ['prometheus', {}, 'unknown', '', true],
  ] as const)('%s that answers %j: %s %s', (kind, answers, engine, version, needsResend) => {
    expect(factsOf(kind, { ...NOTHING, ...answers })).toMatchObject({ engine, version, needsResend })
  })

  test.each([
    [{ version: '2.39.0' }, {}, ['metadata', 'native histograms']],
    [{ version: '2.42.0' }, { 'enable-feature': '' }, ['metadata', 'native histograms', 'exemplars']],
    [{ version: '2.42.0' }, { 'enable-feature': 'exemplar-storage,native-histograms' }, ['metadata']],
    [{ version: '2.42.0' }, undefined, ['metadata']],
    [{ version: '3.7.9' }, { 'enable-feature': 'exemplar-storage' }, ['metadata', 'native histograms']],
    [{ version: '3.8.0' }, { 'enable-feature': 'exemplar-storage' }, ['metadata']],
    [{ version: '10.0.0' }, { 'enable-feature': 'exemplar-storage' }, ['metadata']],
  ])('a Prometheus %j with %j does not accept %j', (buildInfo, flags, what) => {
    const facts = factsOf('prometheus', { ...NOTHING, buildInfo: { ...buildInfo, revision: 'a' }, flags })
    expect(facts.notAccepted.map((one) => one.what)).toEqual(what)
    expect(facts.acceptsHistograms).toBe(!what.includes('native histograms'))
    expect(facts.acceptsExemplars).toBe(!what.includes('exemplars'))
    expect(facts.acceptsMetadata).toBe(false)
  })

  test('a VictoriaMetrics has no histograms and exemplars, and reports its own flags', () => {
    const of = (metrics: string) => factsOf('prometheus', { ...NOTHING, metrics }).notAccepted.map(({ what }) => what)
    expect(of(VM_METRICS)).toEqual(['native histograms', 'exemplars', 'metadata', 'repeated samples'])
    const mended = VM_METRICS.replace('"0s"', '"1ms"') + 'flag{name="enableMetadata", value="true", is_set="true"} 1\n'
    expect(of(mended)).toEqual(['native histograms', 'exemplars'])
    expect(factsOf('mimir', NOTHING)).toMatchObject({ acceptsHistograms: true, acceptsMetadata: true, notAccepted: [] })
    expect(factsOf('thanos', NOTHING)).toMatchObject({ acceptsExemplars: true, acceptsMetadata: false })
    expect(factsOf('prometheus', NOTHING)).toMatchObject({ acceptsHistograms: false, acceptsExemplars: true })
  })

  test('remote write 2.0 is used where the answer has its headers', () => {
    expect(factsOf('mimir', { ...NOTHING, hasV2: true }).protocol).toBe('2.0')
    expect(factsOf('mimir', NOTHING).protocol).toBe('1.0')
  })

  test('its start time and where its metrics are', () => {
    expect(startSecondsOf(VM_METRICS)).toBe(1_795_847_770)
    expect(startSecondsOf('process_start_time_seconds 1.79584777013e+09\n')).toBe(1_795_847_770.13)
    expect(startSecondsOf('vm_app_start_timestamp{a="b"} 7\n')).toBe(7)
    expect(startSecondsOf('go_goroutines 7\n')).toBeUndefined()
    expect(metricsUrls('http://h:1/api/v1/write')).toEqual(['http://h:1/metrics'])
    expect(metricsUrls('http://h:1/vm/api/v1/write')).toEqual(['http://h:1/vm/metrics', 'http://h:1/metrics'])
    expect(metricsUrls('http://h:1/insert/0/prometheus/api/v1/write')).toEqual(['http://h:1/metrics'])
    expect(metricsUrls('http://h:1/api/v1/push')).toEqual(['http://h:1/metrics'])
  })
})

describe('what an answer means', () => {
  const answer = (status: number, text = '', headers = {}) => answerOf({ status, text, headers })

  test.each([
    [400, 'out of order sample', 'out_of_order'],
    [400, 'duplicate sample for timestamp', 'duplicate'],
    [400, 'out of bounds', 'out_of_bounds'],
    [
      400,
      'the sample has been rejected because its timestamp is too old (err-mimir-sample-timestamp-too-old)',
      'out_of_bounds',
    ],
    [409, 'store locally for endpoint 127.0.0.1:10901: conflict', 'other'],
    [400, 'per-user series limit of 150000 exceeded (err-mimir-max-series-per-user)', 'limit'],
    [400, 'label invalid: "a\\xff"', 'invalid'],
    [422, '', 'other'],
    [413, 'anything', 'too_large'],
  ])('%i %s: refused as %s', (status, text, reason) => {
    expect(answer(status, text)).toMatchObject({ kind: 'refused', reason })
  })

  test.each([
    [200, 'accepted', {}],
    [204, 'accepted', {}],
    [299, 'accepted', {}],
    [300, 'retry', { cause: 'unexpected', isConnection: false }],
    [401, 'denied', {}],
    [403, 'denied', {}],
    [404, 'retry', { cause: 'unexpected', isConnection: false }],
    [408, 'retry', { cause: 'unexpected' }],
    [415, 'protocol', {}],
    [429, 'retry', { cause: 'overloaded', isConnection: false }],
    [499, 'retry', { cause: 'unexpected' }],
    [500, 'retry', { cause: 'server_error', isConnection: false }],
    [502, 'retry', { cause: 'server_error', isConnection: true }],
    [503, 'retry', { cause: 'overloaded', isConnection: false }],
  ])('%i: %s %j', (status, kind, more) => {
    expect(answer(status)).toMatchObject({ kind, ...more })
  })

  test('a receiver of 2.0 says how much it stored of what it refused', () => {
    const headers = {
      'x-prometheus-remote-write-samples-written': '7',
      'x-prometheus-remote-write-histograms-written': '2',
    }
    expect(answer(400, 'out of order sample', headers)).toMatchObject({ written: 9 })
    expect(answer(400, 'out of order sample')).not.toHaveProperty('written')
    expect(answer(400, 'x', { 'x-prometheus-remote-write-samples-written': 'many' })).not.toHaveProperty('written')
  })

  test('texts are cut', () => {
    expect(JSON.stringify(answer(500, 'x'.repeat(5000))).length).toBeLessThan(700)
  })
})

test('pauses are twice as long each time, up to half a minute, and as long as the remote side requests', () => {
  expect([1, 2, 3, 7, 100].map((failures) => pauseMs(failures, 1))).toEqual([500, 1000, 2000, 30_000, 30_000])
  expect(pauseMs(1, 0)).toBe(250)
  expect(pauseMs(1, 0, 7000)).toBe(7000)
  expect(pauseMs(7, 1, 7000)).toBe(30_000)
  expect(pauseMs(1, 0, 3_600_000)).toBe(300_000)
})
