import { type ByteReader, type ByteWriter, MalformedBytesError } from './bytes.ts'

/**
 * Columns of small numbers, most of them 0: what is left of a column when it is written against what was expected. A
 * number is signed (`bytes.ts`); a 0 is followed by how many more of them come (unsigned), so that a column that is
 * always as expected takes two bytes. Each column stands alone.
 */
export class ResidualWriter {
  readonly #bytes: ByteWriter
  #zeros = 0

  constructor(bytes: ByteWriter) {
    this.#bytes = bytes
  }

  /** HOT. */
  put(residual: number): void {
    if (residual === 0) {
      this.#zeros++
      return
    }
    this.#endZeros()
    this.#bytes.reserve(9)
    this.#bytes.signed(residual)
  }

  /** The bits in which a value differs from what was expected; a 0 as above. */
  putBits(low: number, high: number): void {
    if (low === 0 && high === 0) {
      this.#zeros++
      return
    }
    this.#endZeros()
    let first = 0
    while (byteOf(low, high, first) === 0) first++
    let last = 7
    while (byteOf(low, high, last) === 0) last--
    this.#bytes.reserve(9)
    this.#bytes.byte(((first << 3) | last) + 1)
    for (let i = first; i <= last; i++) this.#bytes.byte(byteOf(low, high, i))
  }

  end(): void {
    this.#endZeros()
  }

  #endZeros(): void {
    if (this.#zeros === 0) return
    this.#bytes.reserve(9)
    this.#bytes.byte(0)
    this.#bytes.unsigned(this.#zeros - 1)
    this.#zeros = 0
  }
}

/** HOT. The next column of `count` numbers into `into`. Throws `MalformedBytesError`. */
export function readResiduals(reader: ByteReader, count: number, into: Float64Array): void {
  for (let i = 0; i < count;) {
    const residual = reader.signed()
    if (residual !== 0) into[i++] = residual
    else i = fillZeros(reader, i, count, into)
  }
}

/** As `readResiduals`, of a column written with `putBits`: low and high words in turns. */
export function readBitResiduals(reader: ByteReader, count: number, into: Int32Array): void {
  for (let i = 0; i < count;) {
    const head = reader.byte()
    if (head === 0) {
      i = fillZeros(reader, i, count, into, 2)
      continue
    }
    const first = (head - 1) >> 3
    const last = (head - 1) & 7
    if (first > last) throw new MalformedBytesError(`changed bytes ${first} to ${last}`)
    let low = 0
    let high = 0
    for (let at = first; at <= last; at++) {
      if (at < 4) low |= reader.byte() << (at * 8)
      else high |= reader.byte() << ((at - 4) * 8)
    }
    into[i * 2] = low
    into[i * 2 + 1] = high
    i++
  }
}

function fillZeros(
  reader: ByteReader,
  from: number,
  count: number,
  into: Float64Array | Int32Array,
  width = 1,
): number {
  const end = from + reader.unsigned() + 1
  if (end > count) throw new MalformedBytesError(`${end} numbers in a column of ${count}`)
  into.fill(0, from * width, end * width)
  return end
}

/** Byte 0 is the lowest of the low word. */
function byteOf(low: number, high: number, index: number): number {
  return index < 4 ? (low >>> (index * 8)) & 0xff : (high >>> ((index - 4) * 8)) & 0xff
}
