/** Reads everything of a subject, within limits. What cannot be read is a sentence; the rest is a bundle all the same. */
import type { Cancellation } from '../../base/cancellation.ts'
import { FleetError, messageOf } from '../../base/errors.ts'
import { BUNDLE_VERSION, json, type BundleContent, type BundleSubject, type BundleVersions } from '../content.ts'
import { cutOf, type BundleLimits } from '../limits.ts'
import type { BundleSources, Part } from './context.ts'
import { readLogs } from './logs.ts'
import { readObjects } from './objects.ts'
import { readSamples } from './samples.ts'
import { readSpans } from './spans.ts'

/** Rejects with `too_large` when the record itself is beyond the limit, and with `query_canceled`. */
export async function collect(
  subject: BundleSubject,
  sources: BundleSources,
  versions: Omit<BundleVersions, 'bundle'>,
  limits: BundleLimits,
  signal?: Cancellation,
): Promise<BundleContent> {
  const recordBytes = json(subject.record).length
  if (recordBytes > limits.partBytesMax) {
    const message = `the record has ${recordBytes} bytes, at most ${limits.partBytesMax} are put into a bundle`
    throw new FleetError('too_large', message)
  }
  const faults: string[] = []
  const attempt = async <T>(what: string, read: () => Promise<Part<T>>): Promise<Part<T>> => {
    try {
      return await read()
    } catch (thrown) {
      if (signal?.aborted === true) throw thrown
      faults.push(`The ${what} could not be read: ${messageOf(thrown)}.`)
      return { items: [], cuts: [] }
    }
  }
  const clusters = subject.clusters.slice(0, limits.clustersMax)
  const context = { subject, clusters, limits, signal }
  // One after the other: a bundle takes one place of the query worker.
  const objects = await attempt('objects', () => readObjects(sources.objects, context))
  const samples = await attempt('samples', () => readSamples(sources.range, context))
  const spans = await attempt('traces', () => readSpans(sources.trace, context))
  const logs = await attempt('log records', () => readLogs(sources.logs, context))
  return {
    ...subject,
    versions: { ...versions, bundle: BUNDLE_VERSION },
    objects: objects.items,
    samples: samples.items,
    spans: spans.items,
    logs: logs.items,
    cuts: [
      ...cutOf('clusters with objects and log records', clusters.length, subject.clusters.length),
      ...[subject, objects, samples, spans, logs].flatMap(({ cuts }) => cuts),
    ],
    faults,
  }
}
