import type { Steps } from '../../base/thread-slices.ts'
import type { OtlpEncoding } from '../../wire/otlp/answer.ts'
import { decodeMetricsJson } from '../../wire/otlp/metrics-json.ts'
import { decodeMetricsProtobuf } from '../../wire/otlp/metrics-protobuf.ts'
import type { Intake } from '../intake.ts'
import { DeltaSums } from './delta.ts'
import type { OtlpOptions } from './options.ts'
import { otlpOutcomeOf, type OtlpContext, type OtlpOutcome } from './outcome.ts'
import { OtlpRequestWriter } from './request-writer.ts'
import { StreamIds, StreamTable } from './streams.ts'
import { SeenMetadata } from '../seen-metadata.ts'

export interface OtlpMetricsOutcome extends OtlpOutcome {
  readonly itemsDuplicate: number
  /** Received but not stored: of gauges, of refused points, too long, out of order. */
  readonly exemplarsIgnored: number
  /** Streams without a cluster that this process had not seen before, or had forgotten. */
  readonly newUnidentifiedSeries: number
}

/**
 * Handles an OTLP metrics request, from its decompressed body to appended samples and a response. The whole body is
 * decoded before the first point is used, so a malformed body has no effect; after that only single points are refused.
 */
interface OtlpMetricsIngest {
  /** Accepted points are not durable yet: the caller awaits the commit, in pauses and before it responds. */
  write(body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext): Steps<OtlpMetricsOutcome>
}

export function createOtlpMetricsIngest(parts: {
  /** The checks that all formats share. */
  readonly intake: Intake
  readonly otlp: OtlpOptions
}): OtlpMetricsIngest {
  const { intake, otlp } = parts
  const limits = { pointsMax: intake.options.samplesPerRequestMax, attributesMax: otlp.attributesMax }
  const memory = {
    streams: new StreamTable(intake, otlp.streamsMax),
    deltas: new DeltaSums(otlp.deltaStreamsMax, otlp.deltaIdleMs),
    ids: new StreamIds(),
    metadata: new SeenMetadata(),
  }
  const none = { exemplarsIgnored: 0, newUnidentifiedSeries: 0 }
  return {
    write: (body, encoding, context) =>
      otlpOutcomeOf<OtlpMetricsOutcome>('metrics', intake, context, none, function* () {
        const decoding = encoding === 'json' ? decodeMetricsJson(body, limits) : decodeMetricsProtobuf(body, limits)
        const request = yield* decoding
        const writer = new OtlpRequestWriter({ intake, otlp, memory, context })
        const { exemplarsTaken, ...counts } = yield* writer.write(request)
        return { ...counts, itemsIn: request.pointCount, exemplarsIgnored: request.exemplarCount - exemplarsTaken }
      }),
  }
}
