import { formatDay, formatTimeOfDay, type Zone } from './format-time.ts'

/** Moments as a field of the type `datetime-local` has them: `2026-11-22T03:04:05`, without a zone. Pure. */

export function toFieldTime(timeMs: number, zone: Zone): string {
  return `${formatDay(timeMs, zone)}T${formatTimeOfDay(timeMs, zone)}`
}

/** `undefined` while it is not a whole moment. */
export function fromFieldTime(text: string, zone: Zone): number | undefined {
  if (!/^\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/.test(text)) return undefined
  const ms = Date.parse(zone === 'utc' ? `${text}Z` : text)
  return Number.isNaN(ms) ? undefined : ms
}
