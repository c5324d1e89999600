/** `time_intervals:` of the configuration, with ranges as users write them: `monday:friday`, `-3:-1`, `09:00`. */
import { isTimeZone, type Range, type TimeInterval } from '../time-interval.ts'
import { listOf, or, record, scalar, text, type Kind } from './fields.ts'

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
]

type Readout = { readonly value: Range } | { readonly wanted: string }

/** `a` or `a:b`, inclusive. */
function rangeOf(raw: string, valueOf: (word: string) => number | undefined, wanted: string): Readout {
  const words = raw.toLowerCase().split(':')
  const [from, to] = [valueOf(words[0]!.trim()), valueOf((words[1] ?? words[0]!).trim())]
  if (words.length > 2 || from === undefined || to === undefined) return { wanted }
  return { value: { from, to } }
}

function rising(readout: Readout): Readout {
  if ('wanted' in readout || readout.value.from <= readout.value.to) return readout
  return { wanted: 'a range whose end is not before its start' }
}

const wholeNumber = (word: string): number | undefined => (/^[+-]?\d+$/.test(word) ? Number(word) : undefined)

const weekday = scalar((raw) => {
  const dayOf = (word: string): number | undefined => (DAYS.includes(word) ? DAYS.indexOf(word) : undefined)
  return rising(rangeOf(raw, dayOf, 'days of the week such as monday or monday:friday; the week starts on sunday'))
})

const month = scalar((raw) => {
  const monthOf = (word: string): number | undefined => {
    const number = MONTHS.includes(word) ? MONTHS.indexOf(word) + 1 : wholeNumber(word)
    return number !== undefined && number >= 1 && number <= 12 ? number : undefined
  }
  return rising(rangeOf(raw, monthOf, 'months such as may, 5 or may:august'))
})

const year = scalar((raw) => rising(rangeOf(raw, wholeNumber, 'years such as 2026 or 2026:2028')))

const dayOfMonth = scalar((raw) => {
  const dayOf = (word: string): number | undefined => {
    const day = wholeNumber(word)
    return day !== undefined && day !== 0 && Math.abs(day) <= 31 ? day : undefined
  }
  const readout = rangeOf(raw, dayOf, 'days of the month such as 1, 1:15 or -3:-1, each from 1 to 31 or -31 to -1')
  if ('wanted' in readout) return readout
  const { from, to } = readout.value
  if (from < 0 && to > 0) return { wanted: 'an end that is negative when the start is' }
  // Even in a month of 28 days; for others it depends on the month.
  const inFebruary = (day: number): number => (day < 0 ? 28 + day : day)
  return inFebruary(from) > inFebruary(to) ? { wanted: 'an end that is not always before the start' } : readout
})

const minute = scalar((raw) => {
  const parts = /^(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/.exec(raw)
  if (parts === null) return { wanted: 'a time from 00:00 to 24:00' }
  return { value: parts[1] === undefined ? 1440 : Number(parts[1]) * 60 + Number(parts[2]) }
})

const timeRange: Kind<Range> = record(
  { start_time: minute, end_time: minute },
  ({ startTime: from, endTime: to }, { what, fault }) => {
    if (from === undefined || to === undefined) {
      fault(from === undefined ? 'start_time' : 'end_time', `${what} needs start_time and end_time`)
      return undefined
    }
    if (from < to) return { from, to }
    fault('end_time', `${what} ends before it starts`, 'write two ranges for one that goes over midnight')
    return undefined
  },
)

const timeZone = scalar((raw) => {
  if (raw === 'Local') return { value: Intl.DateTimeFormat().resolvedOptions().timeZone }
  return isTimeZone(raw) ? { value: raw } : { wanted: 'a time zone such as Europe/Prague or UTC' }
})

const interval: Kind<TimeInterval> = record(
  {
    times: listOf(timeRange),
    weekdays: listOf(weekday),
    days_of_month: listOf(dayOfMonth),
    months: listOf(month),
    years: listOf(year),
    location: timeZone,
  },
  (values) => values,
)

export const namedIntervals = record(
  { name: or(text, ''), time_intervals: or(listOf(interval), []) },
  ({ name, timeIntervals: intervals }, { at, fault }) => {
    if (name === '') fault('name', 'a time interval needs a name')
    return { name, at: at('name'), intervals }
  },
)
