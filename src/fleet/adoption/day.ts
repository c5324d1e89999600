/** Days are UTC, written `2026-11-21`; they sort as texts. */
export const DAY_MS = 86_400_000

export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}

/** Its first millisecond. */
export function dayStartMs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`)
}

export function addDays(day: string, days: number): string {
  return dayOf(dayStartMs(day) + days * DAY_MS)
}

/** Both ends inclusive; empty when the last is before the first. */
export function daysBetween(first: string, last: string): readonly string[] {
  const days: string[] = []
  for (let timeMs = dayStartMs(first); timeMs <= dayStartMs(last); timeMs += DAY_MS) days.push(dayOf(timeMs))
  return days
}

/** Whether a text is a valid day. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(dayStartMs(text)) && dayOf(dayStartMs(text)) === text
}
