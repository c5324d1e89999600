/**
 * Reads an archive as `zip.ts` writes it, and refuses every other: foreign bytes, gaps, other methods, members beyond the
 * limits. Pure; nothing is written to a disk.
 */
import { crc32, inflateRawSync } from 'node:zlib'
import {
  CENTRAL_BYTES,
  CENTRAL_SIGNATURE,
  DEFLATED,
  END_BYTES,
  END_SIGNATURE,
  LOCAL_BYTES,
  LOCAL_SIGNATURE,
  MADE_BY,
  MODE,
  UTF8_NAMES,
  VERSION_NEEDED,
  type Member,
} from './zip.ts'

export interface ArchiveLimits {
  readonly membersMax: number
  /** Of one member, unpacked. */
  readonly memberBytesMax: number
  /** Of all members, unpacked. */
  readonly bytesMax: number
}

/** Twice what a bundle may have. */
export const ARCHIVE_LIMITS: ArchiveLimits = {
  membersMax: 200,
  memberBytesMax: 64 * 1024 * 1024,
  bytesMax: 128 * 1024 * 1024,
}

/** Why bytes are not an archive of a bundle. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

/** In the order of the archive. Throws `ArchiveError`. */
export function unzip(archive: Uint8Array, limits: ArchiveLimits = ARCHIVE_LIMITS): readonly Member[] {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength)
  const { count, directoryFrom, directoryTo } = readEnd(bytes)
  if (count > limits.membersMax) throw wrong(`it has ${count} members, at most ${limits.membersMax} are read`)
  const members: Member[] = []
  const names = new Set<string>()
  let [at, memberAt, total] = [directoryFrom, 0, 0]
  for (let i = 0; i < count; i++) {
    const entry = readEntry(bytes, at, directoryTo)
    at = entry.nextAt
    if (names.has(entry.name)) throw wrong(`two members are called ${shown(entry.name)}`)
    names.add(entry.name)
    if (entry.offset !== memberAt) throw wrong(`member ${shown(entry.name)} is not where the last one ends`)
    total += entry.bytes
    if (entry.bytes > limits.memberBytesMax) {
      throw wrong(`member ${shown(entry.name)} has ${entry.bytes} bytes, at most ${limits.memberBytesMax} are read`)
    }
    if (total > limits.bytesMax) throw wrong(`its members have more than ${limits.bytesMax} bytes`)
    const { packed, endsAt } = readLocal(bytes, entry, directoryFrom)
    members.push({ name: entry.name, bytes: inflated(packed, entry) })
    memberAt = endsAt
  }
  if (at !== directoryTo) throw wrong('its directory has bytes of no member')
  if (memberAt !== directoryFrom) throw wrong('it has bytes of no member')
  return members
}

interface Entry {
  readonly name: string
  /** The fields that both headers have. */
  readonly common: Buffer
  readonly crc: number
  readonly packedBytes: number
  readonly bytes: number
  readonly offset: number
  readonly nextAt: number
}

function readEnd(bytes: Buffer) {
  const at = bytes.length - END_BYTES
  // A comment would follow: there is none.
  if (at < 0 || bytes.readUInt32LE(at) !== END_SIGNATURE) throw wrong('it does not end as an archive; is it complete?')
  const [disk, ofDirectory, here, count, comment] = [4, 6, 8, 10, 20].map((field) => bytes.readUInt16LE(at + field))
  if (disk !== 0 || ofDirectory !== 0 || here !== count || comment !== 0) throw wrong('its last record is not valid')
  const directoryBytes = bytes.readUInt32LE(at + 12)
  const directoryFrom = bytes.readUInt32LE(at + 16)
  if (directoryFrom + directoryBytes !== at) throw wrong('its directory is not where its last record has it')
  return { count: count!, directoryFrom, directoryTo: at }
}

/** Characters of names that are safe to unpack: no root, no drive, no control characters. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/

function readEntry(bytes: Buffer, at: number, end: number): Entry {
  if (at + CENTRAL_BYTES > end || bytes.readUInt32LE(at) !== CENTRAL_SIGNATURE) {
    throw wrong('its directory is damaged')
  }
  const nameBytes = bytes.readUInt16LE(at + 28)
  const nextAt = at + CENTRAL_BYTES + nameBytes
  const isMade = bytes.readUInt16LE(at + 4) === MADE_BY && bytes.readUInt16LE(at + 6) === VERSION_NEEDED
  // The lengths of an extra field and of a comment, the disk, and attributes.
  const rest = [bytes.readUInt32LE(at + 30), bytes.readUInt32LE(at + 34), bytes.readUInt32LE(at + 38)]
  if (!isMade || rest[0] !== 0 || rest[1] !== 0 || rest[2] !== MODE || nextAt > end) {
    throw wrong('its directory has an entry that is not of a bundle')
  }
  const name = bytes.toString('latin1', at + CENTRAL_BYTES, nextAt)
  if (!NAME.test(name) || name.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    throw wrong(`${shown(name)} is not a name of a member`)
  }
  if (bytes.readUInt16LE(at + 8) !== UTF8_NAMES || bytes.readUInt16LE(at + 10) !== DEFLATED) {
    throw wrong(`member ${shown(name)} is encrypted, or not packed as those of a bundle`)
  }
  return {
    name,
    common: bytes.subarray(at + 8, at + 32),
    crc: bytes.readUInt32LE(at + 16),
    packedBytes: bytes.readUInt32LE(at + 20),
    bytes: bytes.readUInt32LE(at + 24),
    offset: bytes.readUInt32LE(at + 42),
    nextAt,
  }
}

function readLocal(bytes: Buffer, { name, common, packedBytes, offset }: Entry, end: number) {
  const nameAt = offset + LOCAL_BYTES
  const dataAt = nameAt + name.length
  const endsAt = dataAt + packedBytes
  const isWhole =
    endsAt <= end && bytes.readUInt32LE(offset) === LOCAL_SIGNATURE && bytes.readUInt16LE(offset + 4) === VERSION_NEEDED
  const isSame = isWhole && bytes.subarray(offset + 6, nameAt).equals(common)
  if (!isSame || bytes.toString('latin1', nameAt, dataAt) !== name) {
    throw wrong(`member ${shown(name)} is not what the directory has`)
  }
  return { packed: bytes.subarray(dataAt, endsAt), endsAt }
}

function inflated(packed: Buffer, { name, bytes, crc }: Entry): Buffer {
  let found: { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } }
  try {
    // The limit ends a stream that unpacks to more than it declares. Zero means no limit.
    const read = inflateRawSync(packed, { maxOutputLength: Math.max(1, bytes), info: true })
    found = read as unknown as typeof found
  } catch {
    throw wrong(`member ${shown(name)} cannot be unpacked to ${bytes} bytes`)
  }
  const { buffer, engine } = found
  if (engine.bytesWritten !== packed.length) throw wrong(`member ${shown(name)} has bytes after its end`)
  if (buffer.length !== bytes || crc32(buffer) !== crc) throw wrong(`member ${shown(name)} is damaged`)
  return buffer
}

function wrong(why: string): ArchiveError {
  return new ArchiveError(`not an archive of a bundle: ${why}`)
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}
