import type { SampleValue } from '../../contract/common.ts'

/** Numbers and times as Prometheus writes them. */

/**
 * A sample's value: the shortest text that reads back as the same float. Exponent form is used below 1e-6 and from
 * 1e21 on, which is exactly where JavaScript uses it too; only the infinities, negative zero and exponents of one digit
 * (1.5e-09) differ.
 */
export function formatValue(value: number): string {
  if (value === Infinity) return '+Inf'
  if (value === -Infinity) return '-Inf'
  if (Object.is(value, -0)) return '-0'
  const text = String(value)
  const magnitude = Math.abs(value)
  return magnitude < 1e-6 && magnitude >= 1e-9 ? text.replace('e-', 'e-0') : text
}

/** A value in Daytwo's own answers: JSON has no number that is not finite, and `null` would mean no value. */
export function sampleValue(value: number): SampleValue {
  if (Number.isFinite(value)) return value
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}

/** The value of an alert in `/api/v1/alerts`: always with an exponent of at least two digits, `1e+00`. */
export function formatExponent(value: number): string {
  if (!Number.isFinite(value)) return formatValue(value)
  const text = (Object.is(value, -0) ? '-' : '') + value.toExponential()
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}

/** RFC 3339 without trailing zeros in the fraction. Without a time: year 1, which clients read as "never". */
export function formatTime(timeMs: number | undefined): string {
  if (timeMs === undefined) return '0001-01-01T00:00:00Z'
  return new Date(timeMs).toISOString().replace(/\.?0*Z$/, 'Z')
}
