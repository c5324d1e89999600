/**
 * An evidence bundle: everything about a subject, read within limits, redacted in one place, and packed. Equal data makes
 * equal bytes. Runs on the query worker, in slices; the packing runs beside it.
 */
import type { Cancellation } from '../base/cancellation.ts'
import { forEachInSlices } from '../base/thread-slices.ts'
import type { RedactionName, RedactionProfile } from '../model/redaction.ts'
import { zip } from './archive/zip.ts'
import { collect } from './collect/collect.ts'
import type { BundleSources } from './collect/context.ts'
import type { BundleContent, BundleSubject, BundleVersions } from './content.ts'
import { BUNDLE_LIMITS, type BundleLimits } from './limits.ts'
import { membersOf } from './members.ts'
import { Redactor } from './redaction/redactor.ts'

/** Plain data: it crosses threads. */
export interface BundleWish {
  readonly subject: BundleSubject
  readonly redaction: { readonly name: RedactionName; readonly profile: RedactionProfile; readonly key?: string }
}

export interface BundlePorts {
  readonly sources: BundleSources
  readonly versions: Omit<BundleVersions, 'bundle'>
  /** The names of each known cluster, also of those outside of the request's scope: texts may mention them. */
  readonly clusterNames: () => Promise<Iterable<readonly string[]>>
  readonly limits?: BundleLimits
}

/** The archive in parts. Rejects as `collect` does. */
export async function makeBundle(
  { subject, redaction }: BundleWish,
  { sources, versions, clusterNames, limits = BUNDLE_LIMITS }: BundlePorts,
  signal?: Cancellation,
): Promise<readonly Uint8Array[]> {
  const content = await collect(subject, sources, versions, limits, signal)
  const { name, profile, key } = redaction
  const redactor = new Redactor({
    profile,
    key,
    clusters: [...(await clusterNames()), ...subject.clusters.map((cluster) => [cluster])],
  })
  const redacted = await redactedContent(content, redactor, signal)
  const members = await membersOf(redacted, { profile: name, counts: redactor.counts }, limits.rowsMax, signal)
  return zip(members)
}

/** The program's own names of versions stay. */
async function redactedContent(
  { versions, ...content }: BundleContent,
  redactor: Redactor,
  signal: Cancellation | undefined,
): Promise<BundleContent> {
  const fields: readonly (readonly [string, unknown])[] = Object.entries(content)
  /** One by one, so that other work runs in between. */
  const parts = fields.flatMap(([field, value]) => [value].flat().map((part: unknown) => ({ field, part })))
  await forEachInSlices(
    parts,
    ({ field, part }) => {
      redactor.note(part, field)
    },
    signal,
  )
  const redacted = new Map<string, unknown[]>(fields.map(([field]) => [field, []]))
  await forEachInSlices(
    parts,
    ({ field, part }) => {
      redacted.get(field)?.push(redactor.apply(part, field))
    },
    signal,
  )
  const shown = fields.map(([field, value]) => [
    field,
    Array.isArray(value) ? redacted.get(field) : redacted.get(field)?.[0],
  ])
  return { ...(Object.fromEntries(shown) as Omit<BundleContent, 'versions'>), versions }
}
