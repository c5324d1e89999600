/**
 * Formats floats like Go's strconv: 'e', 'f' and 'g' with a precision, and the shortest text that parses to the same
 * float. JavaScript's toFixed and toPrecision round ties up where Go rounds to even, so the exact digits are computed
 * here.
 */

/** Decimal digits without leading or trailing zeros, and the position of the point: value = 0.DIGITS x 10^pointAt. */
interface Decimal {
  readonly digits: string
  readonly pointAt: number
}

/** `precision` counts digits after the point ('e', 'f') or significant digits ('g'); by default the shortest exact text. */
export function formatGoFloat(value: number, verb: 'e' | 'f' | 'g', precision = -1): string {
  if (Number.isNaN(value)) return 'NaN'
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const magnitude = Math.abs(value)
  if (magnitude === Infinity) return `${sign === '' ? '+' : '-'}Inf`
  if (precision === -1) {
    const shortest = shortestDecimal(magnitude)
    const count = shortest.digits.length
    switch (verb) {
      case 'e':
        return sign + exponential(shortest, Math.max(count - 1, 0))
      case 'f':
        return sign + fixed(shortest, Math.max(count - shortest.pointAt, 0))
      case 'g':
        return sign + general(shortest, count, 6)
    }
  }
  const exact = exactDecimal(magnitude)
  switch (verb) {
    case 'e':
      return sign + exponential(round(exact, precision + 1), precision)
    case 'f':
      return sign + fixed(round(exact, exact.pointAt + precision), precision)
    case 'g': {
      const wanted = Math.max(precision, 1)
      return sign + general(round(exact, wanted), wanted, wanted)
    }
  }
}

/** 'g': the exponent form below 1e-4 and from `exponentFrom` digits before the point, without trailing zeros. */
function general(decimal: Decimal, precision: number, exponentFrom: number): string {
  const exponent = decimal.digits === '' ? 0 : decimal.pointAt - 1
  const count = Math.min(precision, decimal.digits.length)
  if (exponent < -4 || exponent >= exponentFrom) return exponential(decimal, Math.max(count - 1, 0))
  return fixed(decimal, Math.max(decimal.digits.length - decimal.pointAt, 0))
}

function exponential({ digits, pointAt }: Decimal, places: number): string {
  const padded = digits.padEnd(places + 1, '0')
  const exponent = digits === '' ? 0 : pointAt - 1
  const fraction = places > 0 ? `.${padded.slice(1, places + 1)}` : ''
  return `${padded[0] ?? '0'}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

function fixed({ digits, pointAt }: Decimal, places: number): string {
  const whole = pointAt > 0 ? digits.slice(0, pointAt).padEnd(pointAt, '0') : '0'
  if (places === 0) return whole
  const fraction = (pointAt > 0 ? digits.slice(pointAt) : '0'.repeat(digits === '' ? 0 : -pointAt) + digits).slice(
    0,
    places,
  )
  return `${whole}.${fraction.padEnd(places, '0')}`
}

function shortestDecimal(magnitude: number): Decimal {
  const [mantissa = '', exponent = '0'] = magnitude.toExponential().split('e')
  return trimmed(mantissa.replace('.', ''), Number(exponent) + 1)
}

/** All digits of the float: its mantissa times a power of two, in decimal. */
function exactDecimal(magnitude: number): Decimal {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, magnitude)
  const word = bits.getBigUint64(0)
  const biased = Number((word >> 52n) & 0x7ffn)
  const fraction = word & 0xfffffffffffffn
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n)
  const exponent = (biased === 0 ? 1 : biased) - 1075
  if (exponent >= 0) {
    const digits = (mantissa << BigInt(exponent)).toString()
    return trimmed(digits, digits.length)
  }
  const digits = (mantissa * 5n ** BigInt(-exponent)).toString()
  return trimmed(digits, digits.length + exponent)
}

/** Rounds to at most `count` digits, ties to even. */
function round(decimal: Decimal, count: number): Decimal {
  const { digits, pointAt } = decimal
  if (digits.length <= count) return decimal
  if (count < 0) return { digits: '', pointAt: 0 }
  const kept = digits.slice(0, count)
  const isTie = digits.slice(count) === '5'
  const lastIsOdd = Number(kept.at(-1) ?? '0') % 2 === 1
  const roundsUp = isTie ? lastIsOdd : digits[count]! >= '5'
  if (!roundsUp) return trimmed(kept, pointAt)
  const raised = (BigInt(`0${kept}`) + 1n).toString().padStart(count, '0')
  return trimmed(raised, pointAt + raised.length - count)
}

function trimmed(digits: string, pointAt: number): Decimal {
  const withoutTail = digits.replace(/0+$/, '')
  const kept = withoutTail.replace(/^0+/, '')
  return { digits: kept, pointAt: kept === '' ? 0 : pointAt - (withoutTail.length - kept.length) }
}
