/**
 * Durations as Prometheus writes them: `1h30m`, `15s`, `250ms`, units y w d h m s ms in falling order, each at most
 * once; a year is 365 days, a week 7, a day 24 hours. `0` needs no unit.
 */
const UNITS_MS: readonly (readonly [string, number])[] = [
  ['y', 365 * 86_400_000],
  ['w', 7 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
]

const PATTERN = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/

/** The length in milliseconds, or `undefined` when `text` is not a duration. Negative durations have no text form here. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  const parts = PATTERN.exec(text)
  if (text === '' || parts === null) return undefined
  const totalMs = UNITS_MS.reduce((sum, [, unitMs], i) => sum + Number(parts[i + 1] ?? 0) * unitMs, 0)
  return Number.isSafeInteger(totalMs) ? totalMs : undefined
}

/** The text of a whole number of milliseconds, as Prometheus prints it: `90s` is `1m30s`, a whole week stays `7d`. */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return '0s'
  let leftMs = Math.abs(Math.trunc(durationMs))
  let text = durationMs < 0 ? '-' : ''
  for (const [unit, unitMs] of UNITS_MS) {
    // Years and weeks are used only when they divide the whole, as in Prometheus.
    const isExactOnly = unit === 'y' || unit === 'w'
    if (leftMs < unitMs || (isExactOnly && leftMs % unitMs !== 0)) continue
    text += `${Math.floor(leftMs / unitMs)}${unit}`
    leftMs %= unitMs
  }
  return text
}
