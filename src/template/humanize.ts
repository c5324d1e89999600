/** Numbers as Prometheus' template functions print them for readers: four significant digits and a unit. */
import { formatGoFloat } from '../base/go-float.ts'

const LARGE = ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y']
const SMALL = ['m', 'u', 'n', 'p', 'f', 'a', 'z', 'y']
const BINARY = ['ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'Zi', 'Yi']

const four = (value: number): string => formatGoFloat(value, 'g', 4)

/** `1234` is `1.234k`, `0.005` is `5m`. */
export function humanize(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return four(value)
  return Math.abs(value) >= 1 ? scaleDown(value, 1000, LARGE) : scaleUp(value)
}

/** `2048` is `2ki`; without units below one. */
export function humanize1024(value: number): string {
  if (Math.abs(value) <= 1 || !Number.isFinite(value)) return four(value)
  return scaleDown(value, 1024, BINARY)
}

/** `0.25` is `25%`. */
export function humanizePercentage(value: number): string {
  return `${four(value * 100)}%`
}

/** Seconds: `3661` is `1h 1m 1s`, `0.5` is `500ms`. */
export function humanizeDuration(value: number): string {
  if (!Number.isFinite(value)) return four(value)
  if (value === 0) return `${four(value)}s`
  if (Math.abs(value) < 1) return `${scaleUp(value)}s`
  const sign = value < 0 ? '-' : ''
  const seconds = Math.trunc(Math.abs(value))
  const parts = [
    { count: Math.floor(seconds / 86_400), unit: 'd' },
    { count: Math.floor(seconds / 3600) % 24, unit: 'h' },
    { count: Math.floor(seconds / 60) % 60, unit: 'm' },
    { count: seconds % 60, unit: 's' },
  ]
  const first = parts.findIndex(({ count, unit }) => count !== 0 || unit === 's')
  if (first === 3) return `${sign}${four(Math.abs(value))}s`
  return (
    sign +
    parts
      .slice(first)
      .map(({ count, unit }) => `${count}${unit}`)
      .join(' ')
  )
}

function scaleDown(value: number, base: number, prefixes: readonly string[]): string {
  let prefix = ''
  let scaled = value
  for (const next of prefixes) {
    if (Math.abs(scaled) < base) break
    prefix = next
    scaled /= base
  }
  return four(scaled) + prefix
}

function scaleUp(value: number): string {
  let prefix = ''
  let scaled = value
  for (const next of SMALL) {
    if (Math.abs(scaled) >= 1) break
    prefix = next
    scaled *= 1000
  }
  return four(scaled) + prefix
}
