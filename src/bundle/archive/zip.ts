/**
 * A zip archive (APPNOTE 6.3.10, without zip64) of which equal members make equal bytes: fixed times and attributes, the
 * members in the given order, one after the other without gaps.
 */
import { crc32, deflateRaw } from 'node:zlib'
import { promisify } from 'node:util'
import { invariant } from '../../base/invariant.ts'

export interface Member {
  /** ASCII, with `/` between folders. */
  readonly name: string
  readonly bytes: Uint8Array
}

export const LOCAL_SIGNATURE = 0x04034b50
export const CENTRAL_SIGNATURE = 0x02014b50
export const END_SIGNATURE = 0x06054b50
export const LOCAL_BYTES = 30
export const CENTRAL_BYTES = 46
export const END_BYTES = 22
export const DEFLATED = 8
/** 2.0: folders and deflate. */
export const VERSION_NEEDED = 20
/** 2.0, written on Unix: names are read with their modes. */
export const MADE_BY = (3 << 8) | VERSION_NEEDED
/** Names are UTF-8. */
export const UTF8_NAMES = 1 << 11
/** 1980-01-01, the oldest date of the format. */
const DATE = (1 << 5) | 1
/** A regular file that its owner may write and all may read. */
export const MODE = 0o100644 * 2 ** 16

/** Off this thread: a member may have megabytes. */
const deflated = promisify(deflateRaw)

/** The archive in parts, each with its own memory. */
export async function zip(members: readonly Member[]): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = []
  const central: Uint8Array[] = []
  let offset = 0
  for (const { name, bytes } of members) {
    const packed = await deflated(bytes, { level: 6 })
    const encodedName = Buffer.from(name)
    const fields = { crc: crc32(bytes), packedBytes: packed.length, bytes: bytes.length, nameBytes: encodedName.length }
    const local = ownCopy(Buffer.concat([localHeader(fields), encodedName]))
    central.push(centralHeader(fields, offset), encodedName)
    parts.push(local, ownCopy(packed))
    offset += local.length + packed.length
    invariant(offset < 2 ** 32, 'limits of bundles are far below those of the format')
  }
  const directory = Buffer.concat(central)
  parts.push(ownCopy(Buffer.concat([directory, endRecord(members.length, directory.length, offset)])))
  return parts
}

interface Fields {
  readonly crc: number
  readonly packedBytes: number
  readonly bytes: number
  readonly nameBytes: number
}

function localHeader(fields: Fields): Buffer {
  const header = Buffer.alloc(LOCAL_BYTES)
  header.writeUInt32LE(LOCAL_SIGNATURE, 0)
  header.writeUInt16LE(VERSION_NEEDED, 4)
  writeCommon(header, 6, fields)
  return header
}

function centralHeader(fields: Fields, offset: number): Buffer {
  const header = Buffer.alloc(CENTRAL_BYTES)
  header.writeUInt32LE(CENTRAL_SIGNATURE, 0)
  header.writeUInt16LE(MADE_BY, 4)
  header.writeUInt16LE(VERSION_NEEDED, 6)
  writeCommon(header, 8, fields)
  header.writeUInt32LE(MODE, 38)
  header.writeUInt32LE(offset, 42)
  return header
}

/** The fields that both headers have in the same order. */
function writeCommon(header: Buffer, at: number, { crc, packedBytes, bytes, nameBytes }: Fields): void {
  header.writeUInt16LE(UTF8_NAMES, at)
  header.writeUInt16LE(DEFLATED, at + 2)
  header.writeUInt16LE(0, at + 4)
  header.writeUInt16LE(DATE, at + 6)
  header.writeUInt32LE(crc, at + 8)
  header.writeUInt32LE(packedBytes, at + 12)
  header.writeUInt32LE(bytes, at + 16)
  header.writeUInt16LE(nameBytes, at + 20)
}

function endRecord(members: number, directoryBytes: number, offset: number): Buffer {
  const record = Buffer.alloc(END_BYTES)
  record.writeUInt32LE(END_SIGNATURE, 0)
  record.writeUInt16LE(members, 8)
  record.writeUInt16LE(members, 10)
  record.writeUInt32LE(directoryBytes, 12)
  record.writeUInt32LE(offset, 16)
  return record
}

/** Memory that can move to another thread: a Buffer may share its memory with others. */
function ownCopy(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}
