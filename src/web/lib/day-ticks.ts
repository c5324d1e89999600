/** Ticks of the axes of a chart by day. Pure. */

export interface Tick {
  readonly at: number
  readonly text: string
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const

/** `21 Nov` for `2026-11-21`. */
export function shortDay(day: string): string {
  return `${Number(day.slice(8))} ${MONTHS[Number(day.slice(5, 7)) - 1] ?? ''}`
}

/** Above this number of days, ticks are months. */
const BY_MONTHS_FROM = 70

/** At most `most` ticks; their places are indices into the list. */
export function dayTicks(days: readonly string[], most: number): readonly Tick[] {
  if (days.length <= BY_MONTHS_FROM) {
    const every = Math.max(1, Math.ceil(days.length / Math.max(1, most)))
    return days.flatMap((day, at) => ((days.length - 1 - at) % every === 0 ? [{ at, text: shortDay(day) }] : []))
  }
  const firsts = days.flatMap((day, at) => (day.endsWith('-01') ? [{ at, month: Number(day.slice(5, 7)), day }] : []))
  const every = [1, 2, 3, 6, 12].find((months) => firsts.length / months <= most) ?? 24
  return firsts.flatMap(({ at, month, day }) =>
    (month - 1) % Math.min(every, 12) === 0
      ? [{ at, text: month === 1 ? day.slice(0, 4) : (MONTHS[month - 1] ?? '') }]
      : [],
  )
}

/** Round counts from 0 to the top of the axis, which is at least the largest count. */
export function countTicks(largest: number): readonly number[] {
  const rough = Math.max(1, largest) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10) * power)
  return Array.from({ length: Math.ceil(Math.max(1, largest) / step) + 1 }, (_, i) => i * step)
}
