import type { Attributes, AttributeValue, KeyValue } from '../model/attribute.ts'
import { floatOf, highWordOf, lowWordOf, MalformedBytesError, type ByteReader, type ByteWriter } from './bytes.ts'

/** Texts and attributes as bytes: texts once each, in a table, and attributes by their places in it. */

export class TextTable {
  readonly #places = new Map<string, number>()

  placeOf(text: string): number {
    const known = this.#places.get(text)
    if (known !== undefined) return known
    this.#places.set(text, this.#places.size)
    return this.#places.size - 1
  }

  write(writer: ByteWriter): void {
    writer.reserve(8)
    writer.unsigned(this.#places.size)
    for (const text of this.#places.keys()) writeBytes(writer, Buffer.from(text))
  }
}

export class TextReader {
  readonly #texts: readonly string[]

  constructor(texts: readonly string[]) {
    this.#texts = texts
  }

  static read(reader: ByteReader): TextReader {
    const count = reader.unsigned()
    if (count > reader.bytesLeft) throw new MalformedBytesError(`a table of ${count} texts is longer than the data`)
    return new TextReader(Array.from({ length: count }, () => Buffer.from(readBytes(reader)).toString()))
  }

  at(place: number): string {
    const text = this.#texts[place]
    if (text === undefined) throw new MalformedBytesError(`text ${place} of ${this.#texts.length} does not exist`)
    return text
  }
}

// What kind of value follows.
const EMPTY = 0
const TEXT = 1
const TRUE = 2
const FALSE = 3
const INTEGER = 4
const LONG = 5
const FLOAT = 6
const BYTES = 7
const LIST = 8
const MAP = 9

export function writeAttributes(writer: ByteWriter, attributes: Attributes, texts: TextTable): void {
  writer.reserve(8)
  writer.unsigned(attributes.length)
  for (const { key, value } of attributes) {
    writer.reserve(16)
    writer.unsigned(texts.placeOf(key))
    writeValue(writer, value, texts)
  }
}

export function readAttributes(reader: ByteReader, texts: TextReader): KeyValue[] {
  return listOf(reader, () => ({ key: texts.at(reader.unsigned()), value: readValue(reader, texts) }))
}

function writeValue(writer: ByteWriter, value: AttributeValue, texts: TextTable): void {
  writer.reserve(16)
  if (value === undefined) writer.byte(EMPTY)
  else if (typeof value === 'string') {
    writer.byte(TEXT)
    writer.unsigned(texts.placeOf(value))
  } else if (typeof value === 'boolean') writer.byte(value ? TRUE : FALSE)
  else if (typeof value === 'number') writeNumber(writer, value)
  else if (typeof value === 'bigint') {
    writer.byte(LONG)
    writer.words(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)))
  } else if (value instanceof Uint8Array) {
    writer.byte(BYTES)
    writeBytes(writer, value)
  } else if (isList(value)) {
    writer.byte(LIST)
    writer.unsigned(value.length)
    for (const item of value) writeValue(writer, item, texts)
  } else {
    writer.byte(MAP)
    writeAttributes(writer, value.entries, texts)
  }
}

function writeNumber(writer: ByteWriter, value: number): void {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
    writer.byte(INTEGER)
    writer.signed(value)
    return
  }
  writer.byte(FLOAT)
  writer.words(lowWordOf(value), highWordOf(value))
}

function readValue(reader: ByteReader, texts: TextReader): AttributeValue {
  const kind = reader.byte()
  switch (kind) {
    case EMPTY:
      return undefined
    case TEXT:
      return texts.at(reader.unsigned())
    case TRUE:
      return true
    case FALSE:
      return false
    case INTEGER:
      return reader.signed()
    case LONG: {
      const low = BigInt(reader.word() >>> 0)
      return (BigInt(reader.word()) << 32n) | low
    }
    case FLOAT:
      return floatOf(reader.word(), reader.word())
    case BYTES:
      return Uint8Array.from(readBytes(reader))
    case LIST:
      return listOf(reader, () => readValue(reader, texts))
    case MAP:
      return { entries: readAttributes(reader, texts) }
    default:
      throw new MalformedBytesError(`kind of value ${kind} at byte ${reader.at} is none`)
  }
}

function writeBytes(writer: ByteWriter, bytes: Uint8Array): void {
  writer.reserve(8 + bytes.length)
  writer.unsigned(bytes.length)
  writer.bytes.set(bytes, writer.length)
  writer.length += bytes.length
}

function readBytes(reader: ByteReader): Uint8Array {
  return reader.take(reader.unsigned())
}

/** Each item takes at least a byte: a damaged length is detected before memory is allocated. */
export function listOf<T>(reader: ByteReader, read: () => T): T[] {
  const count = reader.unsigned()
  if (count > reader.bytesLeft)
    throw new MalformedBytesError(`a list of ${count} at byte ${reader.at} is longer than the data`)
  return Array.from({ length: count }, read)
}

/** `Array.isArray` does not narrow readonly arrays away. */
function isList(
  value: readonly AttributeValue[] | { readonly entries: Attributes },
): value is readonly AttributeValue[] {
  return Array.isArray(value)
}
