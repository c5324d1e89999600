/** Numbers as Go's strconv prints them, for Prometheus' output and the label values of `count_values`. */

/** Shortest decimal form without an exponent (%f with as many digits as needed). */
export function formatPlain(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const text = String(value)
  const parts = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (parts === null) return text
  const [, sign, whole, fraction = '', exponent] = parts
  const digits = whole! + fraction
  const point = whole!.length + Number(exponent)
  if (point <= 0) return `${sign!}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return `${sign!}${digits}${'0'.repeat(point - digits.length)}`
  return `${sign!}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** Shortest form, with an exponent below 1e-4 and from 1e6 on, however many digits there are (%g). */
export function formatShort(value: number): string {
  if (!Number.isFinite(value) || value === 0) return formatPlain(value)
  const [mantissa, power] = value.toExponential().split('e') as [string, string]
  const exponent = Number(power)
  if (exponent >= -4 && exponent < 6) return formatPlain(value)
  return `${mantissa}e${power[0]!}${power.slice(1).padStart(2, '0')}`
}

/** Two significant digits at most, with an exponent below 1e-4 and from 100 on (%.2g). */
export function formatTwoDigits(value: number): string {
  if (!Number.isFinite(value) || value === 0) return formatPlain(value)
  // JavaScript rounds ties up, Go to even.
  const even = /^(-?\d\.[02468])50*(e.*)$/.exec(value.toExponential(100))
  const rounded = even === null ? Number(value.toPrecision(2)) : Number(`${even[1]!}${even[2]!}`)
  const magnitude = Math.abs(rounded)
  if (magnitude >= 1e-4 && magnitude < 100) return formatPlain(rounded)
  const [mantissa, power] = rounded.toExponential().split('e') as [string, string]
  return `${mantissa}e${power[0]!}${power.slice(1).padStart(2, '0')}`
}
