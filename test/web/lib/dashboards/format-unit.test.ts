import { describe, expect, test } from 'vitest'
import { UNITS } from '../../../../src/model/unit.ts'
import type { Format } from '../../../../src/model/dashboard.ts'
import { formatUnit, isBinary, tickSteps } from '../../../../src/web/lib/dashboards/format-unit.ts'

const BEHOLDER = { zone: 'utc', nowMs: Date.parse('2026-11-22T00:00:00Z') } as const
const MOMENT = Date.parse('2026-11-21T21:00:05Z') / 1000

const write = (value: number, format: Format): string => formatUnit(value, format, BEHOLDER)

describe('a value in its unit', () => {
  test.each<[number, Format, string]>([
    [0.425, { unit: 'percent-decimal' }, '42.5 %'],
    [0.42567, { unit: 'percent-decimal', decimalPlaces: 1 }, '42.6 %'],
    [42.5, { unit: 'percent' }, '42.5 %'],
    [1_234_567, { unit: 'decimal' }, '1\u202f234\u202f567'],
    [1_234_567, { unit: 'decimal', isShort: true }, '1.235M'],
    [1234.5, { unit: 'decimal', decimalPlaces: 2 }, '1\u202f234.50'],
    [-1234.5, { unit: 'decimal', decimalPlaces: 0 }, '-1\u202f235'],
    [999, { unit: 'bytes' }, '999 B'],
    [1024, { unit: 'bytes' }, '1 KiB'],
    [1_610_612_736, { unit: 'bytes' }, '1.5 GiB'],
    [1_610_612_736, { unit: 'bytes', isShort: false }, '1\u202f610\u202f612\u202f736 B'],
    [-2048, { unit: 'bytes' }, '-2 KiB'],
    [0, { unit: 'bytes' }, '0 B'],
    [1_500_000_000, { unit: 'decbytes' }, '1.5 GB'],
    [1000, { unit: 'decbytes' }, '1 kB'],
    [1_572_864, { unit: 'bytes/sec' }, '1.5 MiB/s'],
    [1_500_000, { unit: 'decbytes/sec' }, '1.5 MB/s'],
    [1_500_000, { unit: 'decbits/sec' }, '1.5 Mb/s'],
    [1234, { unit: 'ops/sec' }, '1\u202f234 ops/s'],
    [12_340, { unit: 'ops/sec', isShort: true }, '12.34K ops/s'],
    [0.0000015, { unit: 'seconds' }, '1.5 µs'],
    [1500, { unit: 'milliseconds' }, '1.5 s'],
    [5400, { unit: 'seconds' }, '1 h 30 min'],
    [5843, { unit: 'seconds' }, '1 h 37 min'],
    [2184, { unit: 'seconds', decimalPlaces: 1 }, '36 min 24 s'],
    [59.5, { unit: 'seconds' }, '59.5 s'],
    [4.256, { unit: 'seconds', decimalPlaces: 1 }, '4.3 s'],
    [60, { unit: 'seconds' }, '1 min'],
    [90, { unit: 'minutes' }, '1 h 30 min'],
    [36, { unit: 'hours' }, '1 d 12 h'],
    [10, { unit: 'days' }, '10 d'],
    [0, { unit: 'hours' }, '0 s'],
    [-90, { unit: 'seconds' }, '-1 min 30 s'],
    [-0.25, { unit: 'seconds' }, '-250 ms'],
    [2, { unit: 'years' }, '730 d'],
    [21.5, { unit: 'celsius' }, '21.5 °C'],
    [12, { unit: 'eur', decimalPlaces: 2 }, '12.00 EUR'],
    [MOMENT, { unit: 'datetime-local' }, '2026-11-21 21:00:05 UTC'],
    [MOMENT * 1000, { unit: 'datetime-local' }, '2026-11-21 21:00:05 UTC'],
    [MOMENT, { unit: 'datetime-iso' }, '2026-11-21T21:00:05.000Z'],
    [MOMENT, { unit: 'date-local' }, '2026-11-21'],
    [MOMENT, { unit: 'time-local' }, '21:00:05'],
    [MOMENT, { unit: 'relative-time' }, '2 h 59 min ago'],
    [MOMENT + 4 * 3600, { unit: 'relative-time' }, 'in 1 h'],
    [MOMENT, { unit: 'unix-timestamp-ms' }, String(MOMENT * 1000)],
    [5, { unit: 'bananas' }, '5 bananas'],
    [NaN, { unit: 'bytes' }, 'NaN'],
    [Infinity, { unit: 'seconds' }, '+Inf'],
  ])('%d in %j', (value, format, text) => {
    expect(write(value, format)).toBe(text)
  })

  test('every unit of Perses has its own writing', () => {
    for (const unit of Object.values(UNITS)
      .flat()
      .filter((name) => name !== '%'))
      expect(write(1, { unit })).not.toContain(` ${unit}`)
  })

  test('only bytes and bits of 1024 have their ticks at powers of two', () => {
    expect(['bytes', 'bytes/sec', 'decbytes', 'seconds'].map((unit) => isBinary({ unit }))).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

test('ticks stand where people cut time, and at powers of two', () => {
  const next = (unit: string, from: number): number | undefined => tickSteps({ unit })?.find((step) => step >= from)
  expect([next('seconds', 2500), next('seconds', 0.3), next('minutes', 40), next('hours', 5)]).toEqual([
    3600, 0.5, 60, 6,
  ])
  expect([next('milliseconds', 2_500_000), next('bytes', 3000)]).toEqual([3_600_000, 4096])
  for (const unit of ['seconds', 'milliseconds', 'bytes']) {
    const steps = tickSteps({ unit })!
    expect(steps.every((step, i) => i === 0 || step > steps[i - 1]!)).toBe(true)
  }
  expect([tickSteps({ unit: 'decimal' }), tickSteps(undefined)]).toEqual([undefined, undefined])
})
