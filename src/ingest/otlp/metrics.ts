import type { OtlpContext } from './context.ts'
import { invariant } from '../../base/invariant.ts'
import { DecodeError } from '../../wire/decode-error.ts'
import { decodeMetricsJson } from '../../wire/otlp/metrics-json.ts'
import { decodeMetricsProtobuf } from '../../wire/otlp/metrics-protobuf.ts'
import type { Intake } from '../intake.ts'
import { DeltaSums } from './delta.ts'
import type { OtlpOptions } from './options.ts'
import { otlpBadBody, otlpOutcomeOf, type OtlpEncoding, type OtlpOutcome } from './outcome.ts'
import { OtlpRequestWriter } from './request-writer.ts'
import { StreamIds, StreamTable } from './streams.ts'
import { SeenMetadata } from '../seen-metadata.ts'

export type { OtlpEncoding, OtlpOutcome } from './outcome.ts'

/**
 * Handles an OTLP metrics request, from its decompressed body to appended samples and a response. The whole body is
 * decoded before the first point is used, so a malformed body has no effect; after that only single points are refused.
 */
interface OtlpMetricsIngest {
  /** Accepted points are not durable yet: the caller awaits `appender.commit()` before it responds. */
  write(body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext): OtlpOutcome
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
  const write = (body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext): OtlpOutcome => {
    try {
      const request = encoding === 'json' ? decodeMetricsJson(body, limits) : decodeMetricsProtobuf(body, limits)
      intake.begin(context.nowMs)
      const writer = new OtlpRequestWriter({ intake, otlp, memory, context })
      const { exemplarsTaken, ...written } = writer.write(request)
      return otlpOutcomeOf({
        ...written,
        pointsIn: request.pointCount,
        exemplarsIgnored: request.exemplarCount - exemplarsTaken,
      })
    } catch (error) {
      if (error instanceof DecodeError) return otlpBadBody(error)
      throw error
    }
  }
  return {
    write(body, encoding, context) {
      invariant(context.cluster !== '', 'a bound cluster has a name')
      const outcome = write(body, encoding, context)
      intake.note(outcome.refusals, context.cluster, context.nowMs)
      return outcome
    },
  }
}
