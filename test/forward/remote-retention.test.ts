import { expect, test } from 'vitest'
import { retentionMsOf } from '../../src/forward/remote-retention.ts'

const DAY_MS = 86_400_000
const flag = (value: string): string => `go_info 1\nflag{name="retentionPeriod", value="${value}", is_set="true"} 1\n`

test.each([
  ['1', 31 * DAY_MS],
  ['1.5', 46.5 * DAY_MS],
  ['100y', 36_500 * DAY_MS],
  ['30d', 30 * DAY_MS],
  ['soon', undefined],
])('of VictoriaMetrics with -retentionPeriod=%s', (value, expected) => {
  expect(retentionMsOf('victoriametrics', flag(value), undefined)).toBe(expected)
})

test.each([
  [{}, 15 * DAY_MS],
  [{ 'storage.tsdb.retention.time': '0s' }, 15 * DAY_MS],
  [{ 'storage.tsdb.retention.time': '0s', 'storage.tsdb.retention.size': '0B' }, 15 * DAY_MS],
  [{ 'storage.tsdb.retention.time': '0s', 'storage.tsdb.retention.size': '10GB' }, undefined],
  [{ 'storage.tsdb.retention.time': '90d' }, 90 * DAY_MS],
  [undefined, undefined],
])('of Prometheus with %j', (flags, expected) => {
  expect(retentionMsOf('prometheus', undefined, flags)).toBe(expected)
})

test('of others is not known', () => {
  expect(retentionMsOf('mimir', flag('1d'), { 'storage.tsdb.retention.time': '1d' })).toBeUndefined()
  expect(retentionMsOf('victoriametrics', undefined, undefined)).toBeUndefined()
})
