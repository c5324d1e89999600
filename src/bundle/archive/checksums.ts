/**
 * The checksums of a bundle: each member's SHA-256 in `manifest.json`, and in `SHA256SUMS` in the form of `sha256sum -c`.
 * Pure. Checksums show damage and changes; who made a bundle is in the audit of its server.
 */
import { createHash } from 'node:crypto'
import { ArchiveError, unzip } from './unzip.ts'
import type { Member } from './zip.ts'

export const MANIFEST = 'manifest.json'
export const SUMS = 'SHA256SUMS'
export const FORMAT = 'daytwo-evidence-bundle'

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The member with the checksums of all others. */
export function sumsOf(members: readonly Member[]): Member {
  const lines = members.map(({ name, bytes }) => `${sha256(bytes)}  ${name}\n`)
  return { name: SUMS, bytes: Buffer.from(lines.join('')) }
}

export interface BundleCheck {
  readonly members: number
  /** Empty: the bundle is as it was made. */
  readonly problems: readonly string[]
  /** The title of its subject; absent when the manifest cannot be read. */
  readonly title?: string
  readonly redaction?: string
}

/** Never throws: what is wrong is a problem. */
export function checkBundle(archive: Uint8Array): BundleCheck {
  let members: readonly Member[]
  try {
    members = unzip(archive)
  } catch (thrown) {
    if (!(thrown instanceof ArchiveError)) throw thrown
    return { members: 0, problems: [thrown.message] }
  }
  const found = new Map(members.map(({ name, bytes }) => [name, bytes]))
  const sums = readSums(found.get(SUMS))
  const manifest = readManifest(found.get(MANIFEST))
  const problems = [
    ...(sums === undefined ? [`${SUMS} is missing or not in its form`] : different(SUMS, sums, found, [SUMS])),
    ...(manifest === undefined
      ? [`${MANIFEST} is missing or not of a bundle`]
      : different(MANIFEST, manifest.sums, found, [SUMS, MANIFEST])),
  ]
  const { title, redaction } = manifest ?? {}
  return {
    members: members.length,
    problems: [...new Set(problems)],
    ...(title === undefined ? {} : { title }),
    ...(redaction === undefined ? {} : { redaction }),
  }
}

/** @param without members that the list does not have */
function different(
  list: string,
  sums: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, Uint8Array>,
  without: readonly string[],
): readonly string[] {
  const changed = [...sums].flatMap(([name, sum]) => {
    const bytes = found.get(name)
    if (bytes === undefined) return [`${JSON.stringify(name)} is in ${list} and missing`]
    return sha256(bytes) === sum ? [] : [`${name} is not as ${list} has it: its checksum is different`]
  })
  const more = [...found.keys()].filter((name) => !sums.has(name) && !without.includes(name))
  return [...changed, ...more.map((name) => `${name} is not in ${list}`)]
}

function readSums(bytes: Uint8Array | undefined): ReadonlyMap<string, string> | undefined {
  if (bytes === undefined) return undefined
  const sums = new Map<string, string>()
  for (const line of Buffer.from(bytes).toString().split('\n').slice(0, -1)) {
    const [, sum, name] = /^([0-9a-f]{64}) {2}(.{1,200})$/.exec(line) ?? []
    if (sum === undefined || name === undefined) return undefined
    sums.set(name, sum)
  }
  return sums
}

interface ReadManifest {
  readonly title: string
  readonly redaction: string
  readonly sums: ReadonlyMap<string, string>
}

function readManifest(bytes: Uint8Array | undefined): ReadManifest | undefined {
  if (bytes === undefined) return undefined
  try {
    const { format, subject, redaction, members } = JSON.parse(Buffer.from(bytes).toString()) as {
      readonly format: unknown
      readonly subject: { readonly title: unknown }
      readonly redaction: { readonly profile: unknown }
      readonly members: readonly { readonly name: unknown; readonly sha256: unknown }[]
    }
    if (format !== FORMAT) return undefined
    const sums = new Map(members.map(({ name, sha256: sum }) => [String(name), String(sum)]))
    return { title: String(subject.title), redaction: String(redaction.profile), sums }
  } catch {
    return undefined
  }
}
