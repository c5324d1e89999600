import { mutated, pick, seedOf, type Random } from './mutate.ts'

/**
 * Protobuf messages that are changed as messages: fields and values are what they should not be, and the lengths around
 * them are right, so that a decoder gets to them. The schema is not known: a field of bytes that reads as a message may be
 * one.
 */

interface Field {
  number: number
  wireType: number
  /** A varint or fixed value. */
  value: bigint
  /** Of a length-delimited field. */
  payload: Uint8Array
}

const VARINT = 0
const FIXED64 = 1
const LENGTH_DELIMITED = 2
const FIXED32 = 5

/** The fields of a message; `undefined` when the bytes are none. */
function fieldsOf(bytes: Uint8Array): Field[] | undefined {
  const fields: Field[] = []
  let at = 0
  const varint = (): bigint | undefined => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) return undefined
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    return undefined
  }
  const fixed = (size: number): bigint | undefined => {
    if (at + size > bytes.length) return undefined
    let value = 0n
    for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[at + i]!)
    at += size
    return value
  }
  while (at < bytes.length) {
    const tag = varint()
    if (tag === undefined || tag >> 3n === 0n || tag >> 3n > 536_870_911n) return undefined
    const field: Field = {
      number: Number(tag >> 3n),
      wireType: Number(tag & 7n),
      value: 0n,
      payload: new Uint8Array(0),
    }
    let value: bigint | undefined
    if (field.wireType === VARINT) value = varint()
    else if (field.wireType === FIXED64) value = fixed(8)
    else if (field.wireType === FIXED32) value = fixed(4)
    else if (field.wireType === LENGTH_DELIMITED) {
      value = varint()
      if (value === undefined || value > BigInt(bytes.length - at)) return undefined
      field.payload = bytes.subarray(at, at + Number(value))
      at += Number(value)
    }
    if (value === undefined) return undefined
    field.value = value
    fields.push(field)
  }
  return fields
}

function varintBytes(value: bigint): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  do {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0))
    rest >>= 7n
  } while (rest > 0n)
  return Uint8Array.from(bytes)
}

function fieldBytes({ number, wireType, value, payload }: Field): Uint8Array {
  const tag = varintBytes((BigInt(number) << 3n) | BigInt(wireType))
  if (wireType === LENGTH_DELIMITED) return Buffer.concat([tag, varintBytes(BigInt(payload.length)), payload])
  if (wireType !== FIXED64 && wireType !== FIXED32) return Buffer.concat([tag, varintBytes(value)])
  const fixed = Buffer.alloc(8)
  fixed.writeBigUInt64LE(BigInt.asUintN(64, value))
  return Buffer.concat([tag, fixed.subarray(0, wireType === FIXED64 ? 8 : 4)])
}

const ODD_VARINTS = [0n, 1n, 2n, 127n, 128n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]
/** Fields that only doubles have: NaN, the stale marker, infinity, the smallest. */
const ODD_FIXED = [0x7ff8000000000001n, 0x7ff0000000000002n, 0x7ff0000000000000n, 1n, 2n ** 63n]
const ODD_PAYLOADS = [
  ...['', '\0', '__name__', '__proto__', 'constructor', 'cluster', 'é', '😀', '\u202e', 'NaN', '{"a":1}', 'a b'],
  ...['x'.repeat(5000), '\n'.repeat(100)],
]
  .map((text) => Buffer.from(text))
  .concat([
    Buffer.from([0xff]),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from([0x80, 0x80, 0x80]),
    Buffer.alloc(9, 0xff),
  ])

type Change = (fields: Field[], at: number, random: Random) => Field[]

const CHANGES: readonly Change[] = [
  (fields, at) => fields.toSpliced(at, 1),
  (fields, at) => fields.toSpliced(at, 0, fields[at]!),
  (fields, at, random) => fields.toSpliced(at, 0, ...Array.from({ length: random(60) }, () => fields[at]!)),
  (fields, at, random) => {
    const other = random(fields.length)
    return fields.with(at, fields[other]!).with(other, fields[at]!)
  },
  (fields, at, random) => fields.with(at, { ...fields[at]!, number: 1 + random(18) }),
  (fields, at, random) => fields.with(at, { ...fields[at]!, number: pick(random, [1, 15, 16, 2047, 536_870_911]) }),
  (fields, at, random) => fields.with(at, { ...fields[at]!, wireType: random(8) }),
  (fields, at, random) => fields.with(at, withValue(fields[at]!, random)),
  (fields, at, random) => fields.with(at, withValue(fields[at]!, random)),
  (fields, at, random) => fields.with(at, { ...fields[at]!, payload: cut(fields[at]!.payload, random) }),
  // A message inside of itself, as deep as a stack may not be.
  (fields, at, random) => {
    let inner = fields[at]!
    for (let i = random(random(10) === 0 ? 3000 : 12); i > 0; i--) {
      inner = { ...inner, wireType: LENGTH_DELIMITED, payload: fieldBytes(inner) }
    }
    return fields.with(at, inner)
  },
]

function withValue(field: Field, random: Random): Field {
  if (field.wireType !== LENGTH_DELIMITED) {
    return { ...field, value: pick(random, field.wireType === FIXED64 ? [...ODD_FIXED, ...ODD_VARINTS] : ODD_VARINTS) }
  }
  return { ...field, payload: pick(random, ODD_PAYLOADS) }
}

function cut(payload: Uint8Array, random: Random): Uint8Array {
  const [from, to] = [random(payload.length + 1), random(payload.length + 1)]
  return random(2) === 0 ? payload.subarray(0, from) : payload.subarray(Math.min(from, to), Math.max(from, to))
}

/** One field, at whatever depth, that became another. Bytes that are no message are given back. */
function mutatedMessage(random: Random, bytes: Uint8Array): Uint8Array {
  const fields = fieldsOf(bytes)
  if (fields === undefined || fields.length === 0) return bytes
  const at = random(fields.length)
  const field = fields[at]!
  const isInside = field.wireType === LENGTH_DELIMITED && random(4) !== 0
  const inner = isInside ? mutatedMessage(random, field.payload) : field.payload
  const changed =
    inner === field.payload ? pick(random, CHANGES)(fields, at, random) : fields.with(at, { ...field, payload: inner })
  return Buffer.concat(changed.map(fieldBytes))
}

/** A message of the corpus that went wrong: a quarter of them changed as bytes, the others as messages. */
export function mutatedProtobuf(random: Random, corpus: readonly Uint8Array[]): Uint8Array {
  if (random(4) === 0) return mutated(random, corpus)
  let message = seedOf(random, corpus)
  for (let i = random(2) === 0 ? 0 : random(4); i >= 0; i--) message = mutatedMessage(random, message)
  return Uint8Array.from(message)
}
