import { byteOf, type ByteWriter, MalformedBytesError } from '../bytes.ts'

/**
 * Columns of small numbers, mostly 0: the differences between a column and its prediction. A number is signed
 * (`bytes.ts`); a 0 is followed by the number of further zeros (unsigned), so that a perfectly predicted column takes
 * two bytes. Each column can be decoded alone.
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

  /** The bits in which a value differs from its prediction; a 0 as above. */
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

/** Reads what `ResidualWriter` wrote, column after column. Throws `MalformedBytesError`, never reads outside. */
export class ResidualReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  byte(): number {
    return this.#bytes[this.#at++] ?? this.#end()
  }

  unsigned(): number {
    const first = this.byte()
    return first < 0x80 ? first : this.#more(first & 0x7f, 0x80)
  }

  /**
   * HOT in reading. Decodes a column of `count` numbers into `into`. Returns how many of them are stored: the rest are
   * zeros, which most callers can skip.
   */
  column(count: number, into: Float64Array): number {
    const bytes = this.#bytes
    for (let i = 0; i < count;) {
      const first = bytes[this.#at++] ?? this.#end()
      if (first === 0) {
        const end = this.#zerosEnd(i, count)
        if (end === count) return i
        into.fill(0, i, end)
        i = end
        continue
      }
      let size = first & 0x3f
      if (first >= 0x80) {
        const second = bytes[this.#at++] ?? this.#end()
        size += (second & 0x7f) * 0x40
        if (second >= 0x80) size = this.#more(size, 0x2000)
      }
      into[i++] = (first & 0x40) === 0 ? size : -size
    }
    return count
  }

  /** Decodes a column written with `putBits`, completely: low and high words, alternating. */
  bits(count: number, into: Int32Array): void {
    for (let i = 0; i < count;) {
      const head = this.byte()
      if (head === 0) {
        const end = this.#zerosEnd(i, count)
        into.fill(0, i * 2, end * 2)
        i = end
        continue
      }
      const first = (head - 1) >> 3
      const last = (head - 1) & 7
      if (first > last) throw new MalformedBytesError(`changed bytes ${first} to ${last}`)
      let low = 0
      let high = 0
      for (let at = first; at <= last; at++) {
        if (at < 4) low |= this.byte() << (at * 8)
        else high |= this.byte() << ((at - 4) * 8)
      }
      into[i * 2] = low
      into[i * 2 + 1] = high
      i++
    }
  }

  #zerosEnd(from: number, count: number): number {
    const end = from + this.unsigned() + 1
    if (end > count) throw new MalformedBytesError(`${end} numbers in a column of ${count}`)
    return end
  }

  /** The remainder of a number whose lower part is known. */
  #more(lower: number, scale: number): number {
    let value = lower
    for (let factor = scale; ; factor *= 0x80) {
      const byte = this.byte()
      value += (byte & 0x7f) * factor
      if (!Number.isSafeInteger(value)) throw new MalformedBytesError('a number is too large')
      if (byte < 0x80) return value
    }
  }

  #end(): never {
    throw new MalformedBytesError(`ends at byte ${this.#bytes.length}, want one more`)
  }
}
