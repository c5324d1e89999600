import { Type } from 'typebox'
import type { Shape } from './common.ts'

/**
 * `/api/v1/explain`: how a query is evaluated. It takes the parameters of `/api/v1/query` or, with `start`, `end` or
 * `step`, of `/api/v1/query_range`, evaluates the query and returns the explanation instead of the value. Times are
 * milliseconds. `src/promql/explanation.ts` documents the fields.
 */
const Store = Type.Object({
  isMatchKnown: Type.Boolean(),
  headRuns: Type.Number(),
  packRuns: Type.Number(),
  packs: Type.Number(),
  packsKept: Type.Number(),
  packBytes: Type.Number(),
  buckets: Type.Array(Type.Object({ widthMs: Type.Number(), count: Type.Number() })),
})

const Read = Type.Object({
  source: Type.Union([Type.Literal('newest'), Type.Literal('runs'), Type.Literal('rollups'), Type.Literal('samples')]),
  fromMs: Type.Number(),
  toMs: Type.Number(),
  kernel: Type.Union([Type.Literal('runs'), Type.Literal('samples'), Type.Literal('buckets')]),
  seriesMatched: Type.Number(),
  seriesRead: Type.Number(),
  samples: Type.Number(),
  runs: Type.Number(),
  buckets: Type.Number(),
  widthMs: Type.Optional(Type.Number()),
  portions: Type.Number(),
  readMs: Type.Number(),
  store: Type.Optional(Store),
  /** Why a cheaper source was not used. */
  reasons: Type.Array(Type.String()),
})
export type ExplainedRead = Shape<typeof Read>

const Result = Type.Object({
  type: Type.Union([Type.Literal('scalar'), Type.Literal('string'), Type.Literal('vector'), Type.Literal('matrix')]),
  series: Type.Number(),
  samples: Type.Number(),
  steps: Type.Number(),
})

export const ExplainedNode = Type.Cyclic(
  {
    Node: Type.Object({
      kind: Type.String(),
      text: Type.String(),
      from: Type.Number(),
      to: Type.Number(),
      result: Type.Optional(Result),
      totalMs: Type.Number(),
      ownMs: Type.Number(),
      isStepInvariant: Type.Boolean(),
      repeats: Type.Number(),
      groupsKnown: Type.Number(),
      groupsMade: Type.Number(),
      reads: Type.Array(Read),
      children: Type.Array(Type.Ref('Node')),
    }),
  },
  'Node',
)
export type ExplainedNode = Shape<typeof ExplainedNode>

export const ExplainAnswer = Type.Object({
  status: Type.Literal('success'),
  data: Type.Object({
    query: Type.String(),
    startMs: Type.Number(),
    endMs: Type.Number(),
    stepMs: Type.Optional(Type.Number()),
    steps: Type.Number(),
    busyMs: Type.Number(),
    waitedMs: Type.Number(),
    samplesRead: Type.Number(),
    samplesMax: Type.Number(),
    resultBytes: Type.Number(),
    resultBytesMax: Type.Number(),
    warnings: Type.Array(Type.String()),
    infos: Type.Array(Type.String()),
    root: ExplainedNode,
    /** How the query is divided between the metrics store and this server; absent without a metrics store. */
    remote: Type.Optional(
      Type.Object({
        way: Type.Union([Type.Literal('pushed'), Type.Literal('rewritten'), Type.Literal('local')]),
        reason: Type.String(),
        store: Type.Optional(Type.String()),
        /** What was sent. */
        text: Type.Optional(Type.String()),
        notes: Type.Array(Type.String()),
      }),
    ),
  }),
})
export type ExplainAnswer = Shape<typeof ExplainAnswer>
export type Explained = ExplainAnswer['data']
