import { Type } from 'typebox'
import type { Shape } from './common.ts'
import { ProcessItems } from './debug-processes.ts'

/** Counts are of the time since the forward worker started. */
const ForwardTotals = Type.Object({
  requests: Type.Number(),
  /** Acknowledged, with repeated ones. */
  samples: Type.Number(),
  exemplars: Type.Number(),
  metadata: Type.Number(),
  /** Compressed. */
  bytes: Type.Number(),
  /** Sent again because the metrics store had restarted. */
  resentSamples: Type.Number(),
  restarts: Type.Number(),
  /** Samples, by reason. */
  refused: Type.Record(Type.String(), Type.Number()),
  /** Refused, and possibly sent before. */
  repeatedSamples: Type.Number(),
  /** Native histograms that the metrics store does not support. */
  skippedHistograms: Type.Number(),
  /** Of clusters that were erased before. */
  erasedSamples: Type.Number(),
  /** Requests that were sent again, by cause. */
  retries: Type.Record(Type.String(), Type.Number()),
})

export const ForwardState = Type.Object({
  writeUrl: Type.String(),
  /** Absent: it could not be reached yet. */
  remote: Type.Optional(
    Type.Object({
      engine: Type.String(),
      /** Empty: not reported. */
      version: Type.String(),
      /** Version of remote write. */
      protocol: Type.String(),
      /** Whether acknowledged samples are sent again after it restarts. */
      needsResend: Type.Boolean(),
      notAccepted: Type.Array(Type.Object({ what: Type.String(), why: Type.String() })),
    }),
  ),
  /** Of the log: the last row that was committed, the last one that is acknowledged, and the last one that need not be sent again. */
  rows: Type.Object({ newest: Type.Number(), acknowledged: Type.Number(), released: Type.Number() }),
  /** Not acknowledged; rows that are not read yet are estimated. */
  lagSamples: Type.Number(),
  /** Age of the oldest of them; 0: there are none. */
  lagSeconds: Type.Number(),
  lastAcknowledgedMs: Type.Optional(Type.Number()),
  lastError: Type.Optional(Type.Object({ atMs: Type.Number(), text: Type.String() })),
  /** Requests are failing at present. */
  isFailing: Type.Boolean(),
  /** On disk: samples that are not forwarded yet, or may be sent again. Requests are refused when it is full. */
  buffer: Type.Object({ usedBytes: Type.Number(), maxBytes: Type.Number(), refused: Type.Number() }),
  totals: ForwardTotals,
  /** The last refusal of each reason. */
  refusals: Type.Array(
    Type.Object({ reason: Type.String(), atMs: Type.Number(), series: Type.String(), text: Type.String() }),
  ),
})
export type ForwardState = Shape<typeof ForwardState>

/** `GET /debug/forward`. `forward`, of the process that answers, is absent without `store.metrics`. */
export const DebugForward = Type.Object({
  asOfMs: Type.Number(),
  forward: Type.Optional(ForwardState),
  ...ProcessItems.properties,
})
export type DebugForward = Shape<typeof DebugForward>
