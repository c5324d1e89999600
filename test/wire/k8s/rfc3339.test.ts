import { expect, test } from 'vitest'
import { rfc3339Ms } from '../../../src/wire/k8s/rfc3339.ts'

test.each([
  ['2026-08-20T10:00:00Z', 1_787_220_000_000],
  ['2026-08-20T10:00:00.25Z', 1_787_220_000_250],
  ['2026-08-20T10:00:00.123456Z', 1_787_220_000_123],
  ['2026-08-20t12:00:00.5+02:00', 1_787_220_000_500],
  ['2026-08-20T04:30:00-05:30', 1_787_220_000_000],
  ['2024-02-29T00:00:00Z', 1_709_164_800_000],
  // A leap second is the first second of the next minute.
  ['2016-12-31T23:59:60Z', 1_483_228_800_000],
  ['0001-01-01T00:00:00Z', undefined],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-04-31T00:00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-00-01T00:00:00Z', undefined],
  ['2026-01-00T00:00:00Z', undefined],
  ['2026-01-01T24:00:00Z', undefined],
  ['2026-01-01T00:60:00Z', undefined],
  ['2026-01-01T00:00:00+24:00', undefined],
  ['2026-01-01T00:00:00', undefined],
  ['2026-01-01 00:00:00Z', undefined],
  ['20 August 2026', undefined],
  ['', undefined],
])('%s is %s', (text, ms) => {
  expect(rfc3339Ms(text)).toBe(ms)
})
