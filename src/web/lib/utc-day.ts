/** Days as the API counts them: UTC, `2026-11-21`; as texts they sort as they follow each other. Pure. */

export const DAY_MS = 86_400_000

export function utcDayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}

/** Its first millisecond. */
export function utcDayStartMs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`)
}

export function addUtcDays(day: string, days: number): string {
  return utcDayOf(utcDayStartMs(day) + days * DAY_MS)
}

export function isUtcDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(utcDayStartMs(text)) && utcDayOf(utcDayStartMs(text)) === text
}
