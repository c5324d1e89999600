/** The start of a hand-over, in the address as `handover`: `8h`, `12h`, or a moment (RFC 3339). Pure. */

export const HAND_OVER_PARAM = 'handover'

const HOUR_MS = 3600_000

export const SHIFTS = [
  { name: '8h', text: '8 h', ms: 8 * HOUR_MS },
  { name: '12h', text: '12 h', ms: 12 * HOUR_MS },
  { name: '24h', text: '24 h', ms: 24 * HOUR_MS },
] as const

/** `undefined`: no hand-over, or an invalid value. @param untilMs the end of the shift */
export function handOverSince(search: string, untilMs: number): number | undefined {
  const asked = new URLSearchParams(search).get(HAND_OVER_PARAM) ?? ''
  const shift = SHIFTS.find(({ name }) => name === asked)
  if (shift !== undefined) return untilMs - shift.ms
  const ms = Date.parse(asked)
  return Number.isNaN(ms) || ms >= untilMs ? undefined : ms
}

/** The name of the selected shift; empty: since a moment. */
export function chosenShift(search: string): string {
  const asked = new URLSearchParams(search).get(HAND_OVER_PARAM) ?? ''
  return SHIFTS.find(({ name }) => name === asked)?.name ?? ''
}
