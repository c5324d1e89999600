import { expect, test } from 'vitest'
import type { ForecastItem } from '../../../src/contract/adoption.ts'
import { accuracySentence, forecastPlaces, forecastSentence } from '../../../src/web/lib/adoption-spread.ts'

const FAN = Array.from({ length: 60 }, (_, i) => ({ low: 0.5, mid: 0.5 + i / 150, high: 0.95 }))

function forecast(more: Partial<ForecastItem> = {}): ForecastItem {
  return {
    ...{ version: '1.18', reason: null, ageDays: 20, share: 0.5, earlier: ['1.17', '1.16', '1.15'], fan: FAN },
    ...{ to90Days: { low: 30, mid: 41, high: null }, checkedAfterDays: 28, past: [], ...more },
  }
}

test.each<readonly [string, ForecastItem, string]>([
  [
    'a day with its bounds',
    forecast(),
    '1.18 is 20 days old, at 50 %. 90 % expected on day 41 (30 to later than 80), in 21 days, based on 3 earlier versions from the same age.',
  ],
  [
    'no day within the fan',
    forecast({ to90Days: { low: 30, mid: null, high: null } }),
    '1.18 is 20 days old, at 50 %. 90 % expected after day 80, day 30 at the earliest, with 89 % on that day, based on 3 earlier versions from the same age.',
  ],
  [
    'why there is none',
    forecast({ reason: 'few_earlier' }),
    'No forecast: fewer than three earlier versions have reached the age of the newest version.',
  ],
])('%s', (_title, item, want) => {
  expect(forecastSentence(item)).toBe(want)
})

test('what it is worth is said by what it would have said', () => {
  const past = [0.02, 0.1, 0.05].map((off, i) => ({
    ...{ version: `1.1${i}`, saidTo90Days: 40, tookTo90Days: 44, isInside: i !== 1 },
    ...{ saidShare: 0.7 + off, wasShare: 0.7 },
  }))
  expect(accuracySentence(forecast({ past }))).toBe(
    'Forecasts of 3 earlier versions on day 20, compared 28 days later: median error 5 points, 2 of 3 within the forecast range.',
  )
  expect(accuracySentence(forecast())).toBe('Accuracy not known: no earlier version had three predecessors.')
})

test('a fan does not press what was counted into nothing', () => {
  expect(forecastPlaces(forecast(), 42)).toBe(49)
  expect(forecastPlaces(forecast(), 30)).toBe(49)
  expect(forecastPlaces(forecast({ to90Days: { low: null, mid: null, high: null } }), 30)).toBe(60)
  expect(forecastPlaces(forecast({ fan: [] }), 30)).toBe(30)
})
