import type { ByteWriter } from '../bytes.ts'
import { ByteReader, MalformedBytesError } from '../bytes.ts'

/**
 * The keys of rows that a commit changed, as bytes: one row of `shipping_change` has those of one commit. A reader ships
 * the rows as they are by then, so a key may be read any number of times.
 */
export type ChangedKey =
  | { readonly kind: 'cluster'; readonly cluster: number }
  /** Not its states. */
  | { readonly kind: 'object'; readonly object: number }
  | { readonly kind: 'state'; readonly object: number; readonly isDeleted: boolean; readonly hash: number }
  /** The listings of a scope, and when each of its objects was last in one. */
  | { readonly kind: 'listing'; readonly cluster: number; readonly objectKind: number; readonly namespace: string }
  | { readonly kind: 'claim'; readonly cluster: string; readonly name: string }
  /** 32 hex digits. All parts of the trace; none when it is removed. */
  | { readonly kind: 'trace'; readonly traceId: string }
  | { readonly kind: 'record'; readonly timeNs: bigint; readonly source: number; readonly hash: number }

/** A kind's place is its number in rows: kinds are only ever added, at the end. */
const KINDS = ['cluster', 'object', 'state', 'listing', 'claim', 'trace', 'record'] as const

/** A number takes eight bytes at most. */
const NUMBERS_BYTES = 32
const TRACE_ID_BYTES = 16
const NS_HIGH = 1_000_000_000n

export function writeKey(writer: ByteWriter, key: ChangedKey): void {
  writer.reserve(NUMBERS_BYTES)
  writer.byte(KINDS.indexOf(key.kind))
  switch (key.kind) {
    case 'cluster':
      writer.unsigned(key.cluster)
      return
    case 'object':
      writer.unsigned(key.object)
      return
    case 'state':
      writer.unsigned(key.object)
      writer.byte(Number(key.isDeleted))
      writer.unsigned(key.hash)
      return
    case 'listing':
      writer.unsigned(key.cluster)
      writer.unsigned(key.objectKind)
      writeText(writer, key.namespace)
      return
    case 'claim':
      writeText(writer, key.cluster)
      writeText(writer, key.name)
      return
    case 'trace':
      for (const byte of Buffer.from(key.traceId, 'hex')) writer.byte(byte)
      return
    case 'record':
      writer.unsigned(Number(key.timeNs / NS_HIGH))
      writer.unsigned(Number(key.timeNs % NS_HIGH))
      writer.unsigned(key.source)
      writer.unsigned(key.hash)
  }
}

/** Throws `MalformedBytesError`. */
export function* eachKey(bytes: Uint8Array): Generator<ChangedKey> {
  const reader = new ByteReader(bytes)
  while (!reader.isAtEnd) yield readKey(reader)
}

function readKey(reader: ByteReader): ChangedKey {
  const number = reader.byte()
  const kind = KINDS[number]
  if (kind === undefined) throw new MalformedBytesError(`a changed key of kind ${number}`)
  switch (kind) {
    case 'cluster':
      return { kind, cluster: reader.unsigned() }
    case 'object':
      return { kind, object: reader.unsigned() }
    case 'state':
      return { kind, object: reader.unsigned(), isDeleted: reader.byte() === 1, hash: reader.unsigned() }
    case 'listing':
      return { kind, cluster: reader.unsigned(), objectKind: reader.unsigned(), namespace: readText(reader) }
    case 'claim':
      return { kind, cluster: readText(reader), name: readText(reader) }
    case 'trace':
      return { kind, traceId: Buffer.from(reader.take(TRACE_ID_BYTES)).toString('hex') }
    case 'record': {
      const timeNs = BigInt(reader.unsigned()) * NS_HIGH + BigInt(reader.unsigned())
      return { kind, timeNs, source: reader.unsigned(), hash: reader.unsigned() }
    }
  }
}

function writeText(writer: ByteWriter, text: string): void {
  const bytes = Buffer.from(text)
  writer.reserve(bytes.length + NUMBERS_BYTES)
  writer.unsigned(bytes.length)
  writer.bytes.set(bytes, writer.length)
  writer.length += bytes.length
}

function readText(reader: ByteReader): string {
  return Buffer.from(reader.take(reader.unsigned())).toString()
}
