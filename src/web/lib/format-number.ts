import type { SampleValue } from '../../contract/common.ts'

/** Numbers as text, independent of the locale (see format-time.ts). Pure. */

/** Between groups of three digits: a comma is a decimal sign in half of the world, and a thin space must not break a line. */
export const GROUP_SPACE = '\u202f'

/** A whole number, grouped by three digits. For people: files and addresses take the number itself. */
export function formatCount(count: number): string {
  const [whole = '0', fraction] = String(Math.abs(count)).split('.')
  const grouped = whole.includes('e') ? whole : whole.replace(/\B(?=(\d{3})+$)/g, GROUP_SPACE)
  return `${count < 0 ? '-' : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`}`
}

/** An alert's value; a dash when it is not reported (by other senders, or in the past). */
export function formatAlertValue(value: SampleValue): string {
  return isUnreportedValue(value) ? '–' : formatValue(value)
}

/** Alerts of other senders have no value, and those of resolved alerts are not stored. */
export function isUnreportedValue(value: SampleValue): boolean {
  return String(value) === 'NaN'
}

/** Whole numbers grouped, others with four significant digits. Show the exact text in the title. */
export function formatValue(value: SampleValue): string {
  if (typeof value === 'string') return value
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return formatCount(value)
  const size = Math.abs(value)
  if (size < 1e-4 || size >= 1e15) return value.toExponential(3)
  if (size >= 1000) return formatCount(Number(value.toFixed(1)))
  return String(Number(value.toPrecision(4)))
}

/** Parses a sample value of Prometheus. */
export function parseValue(text: string): number {
  if (text === '+Inf' || text === 'Inf') return Infinity
  if (text === '-Inf') return -Infinity
  return Number(text)
}

/** A share as a whole percent; never rounds something to 0 % or a part to 100 %. `-` without a denominator. */
export function formatShare(part: number, total: number): string {
  if (total <= 0) return '-'
  const percent = (100 * part) / total
  if (part > 0 && percent < 1) return '<1 %'
  if (part < total && percent > 99) return '>99 %'
  return `${Math.round(percent)} %`
}

/** Shares beside each other: whole, or each with one decimal, so that halves do not all round up and 100 % stay 100 %. */
export function formatShares(parts: readonly number[], total: number): readonly string[] {
  const percents = parts.map((part) => (100 * part) / total)
  if (total <= 0 || percents.every((percent) => Number.isInteger(percent))) {
    return parts.map((part) => formatShare(part, total))
  }
  return percents.map((percent) => {
    if (percent > 0 && percent < 0.1) return '<0.1 %'
    if (percent < 100 && percent > 99.9) return '>99.9 %'
    return `${percent.toFixed(1)} %`
  })
}

/** `1 cluster`, `2 clusters`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
