import { OTLP_DEFAULTS } from '../../../src/ingest/otlp/options.ts'
import { createOtlpLogsIngest } from '../../../src/ingest/otlp/logs.ts'
import { createOtlpMetricsIngest } from '../../../src/ingest/otlp/metrics.ts'
import type { OtlpContext, OtlpOutcome } from '../../../src/ingest/otlp/outcome.ts'
import { createOtlpTracesIngest } from '../../../src/ingest/otlp/traces.ts'
import type { Steps } from '../../../src/base/thread-slices.ts'
import { STORE_DEFAULTS } from '../../../src/store/options.ts'
import type { OtlpEncoding } from '../../../src/wire/otlp/answer.ts'
import { atOnce } from '../../support/at-once.ts'
import { LOGS_JSON, LOGS_PROTOBUF, NOW_MS, OTLP_JSON, OTLP_PROTOBUF, TRACES_JSON, TRACES_PROTOBUF } from '../bodies.ts'
import { checkOutcome, openIngest, SESSION_INPUTS, type IngestRig } from '../ingest-rig.ts'
import { jsonBodies } from '../json-bodies.ts'
import { mutatedProtobuf } from '../mutate-protobuf.ts'
import { BYTES, oneByOne, type Target } from '../target.ts'
import { checkGood, ONE_DAMAGED, PARTS, withOneDamaged, type OneDamaged } from './remote-write.ts'

/** Bodies of OTLP that went wrong on their way, through the whole of ingest into a real store. */

interface OtlpIngest {
  write(body: Uint8Array, encoding: OtlpEncoding, context: OtlpContext): Steps<OtlpOutcome>
}

const SIGNALS = {
  metrics: ({ intake }) => createOtlpMetricsIngest({ intake, otlp: OTLP_DEFAULTS }),
  traces: ({ intake, writer }) =>
    createOtlpTracesIngest({
      intake,
      otlp: OTLP_DEFAULTS,
      spans: writer.spans,
      limits: { retentionMs: STORE_DEFAULTS.retentionTracesMs, spansPerTraceMax: 1000, bytesPerTraceMax: 1e6 },
    }),
  logs: ({ intake, writer }) =>
    createOtlpLogsIngest({
      intake,
      otlp: OTLP_DEFAULTS,
      observations: writer.observations,
      logs: writer.logs,
      limits: {
        objectRetentionMs: STORE_DEFAULTS.retentionObjectsMs,
        logRetentionMs: STORE_DEFAULTS.retentionLogsMs,
      },
    }),
} as const satisfies Readonly<Record<string, (rig: IngestRig) => OtlpIngest>>

function bodiesOf(
  signal: keyof typeof SIGNALS,
  encoding: OtlpEncoding,
  corpus: readonly Uint8Array[],
  long: number,
): Target<Uint8Array> {
  const json = encoding === 'json' ? jsonBodies(corpus) : undefined
  return {
    name: `otlp-${signal}-${encoding}`,
    claim: 'A refused body leaves nothing behind, and every item of another one is taken or counted as refused.',
    inputs: { suite: 400, long },
    sessionInputs: SESSION_INPUTS,
    shares: { broken: 0.1, taken: 0.01 },
    open: () => {
      const rig = openIngest()
      const ingest = SIGNALS[signal](rig)
      return {
        make: (random) => json?.(random) ?? mutatedProtobuf(random, corpus),
        check: oneByOne(async (body) => {
          rig.appender.reset()
          const outcome = atOnce(ingest.write(body, encoding, { nowMs: NOW_MS }))
          const kind = checkOutcome(rig, outcome, outcome.itemsIn, outcome.itemsTaken)
          await rig.settle()
          return kind
        }),
        ...BYTES,
        close: rig.close,
      }
    },
  }
}

const oneBadResource: Target<OneDamaged> = {
  name: 'otlp-metrics-one-bad-resource',
  claim: 'Good resources beside a bad one are taken.',
  inputs: { suite: 400, long: 300_000 },
  sessionInputs: SESSION_INPUTS,
  shares: { taken: 0.2 },
  open: () => {
    const rig = openIngest()
    const ingest = SIGNALS.metrics(rig)
    return {
      make: (random) => withOneDamaged(random, PARTS.otlp),
      check: oneByOne(async ({ body, good }) => {
        rig.appender.reset()
        const kind = checkGood(rig, atOnce(ingest.write(body, 'protobuf', { nowMs: NOW_MS })), good)
        await rig.settle()
        return kind
      }),
      ...ONE_DAMAGED,
      close: rig.close,
    }
  },
}

export const OTLP = [
  bodiesOf('metrics', 'protobuf', OTLP_PROTOBUF, 300_000),
  bodiesOf('metrics', 'json', OTLP_JSON, 400_000),
  oneBadResource,
  bodiesOf('traces', 'protobuf', TRACES_PROTOBUF, 250_000),
  bodiesOf('traces', 'json', TRACES_JSON, 300_000),
  bodiesOf('logs', 'protobuf', LOGS_PROTOBUF, 250_000),
  bodiesOf('logs', 'json', LOGS_JSON, 200_000),
]
