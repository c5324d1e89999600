import type { Expr, ValueType } from './ast.ts'

/**
 * How a query was answered, node by node: plain data, made only when it is asked for. Times are those in which this
 * query had its thread; what it waited for others stands apart. The own times of all nodes add up to the total of the
 * first one.
 */
export interface Explanation {
  /** The query as it was asked; positions of nodes are in it. */
  readonly query: string
  readonly startMs: number
  readonly endMs: number
  /** Undefined: an instant query. */
  readonly stepMs: number | undefined
  readonly steps: number
  /** Time the query had its thread, parsing and sorting included, and time it gave its thread to others. */
  readonly busyMs: number
  readonly waitedMs: number
  /** As the limit counts them: runs and buckets where runs and buckets are read. */
  readonly samplesRead: number
  readonly samplesMax: number
  readonly resultBytes: number
  readonly resultBytesMax: number
  readonly warnings: readonly string[]
  readonly infos: readonly string[]
  readonly root: ExplainedNode
}

export interface ExplainedNode {
  readonly kind: Expr['kind']
  /** The part as Prometheus prints it; parentheses around it are left out. */
  readonly text: string
  /** Character offsets into the query: inclusive, exclusive. */
  readonly from: number
  readonly to: number
  /** Absent: it was not evaluated by itself, as a range selector that its function reads portion by portion. */
  readonly result: ExplainedResult | undefined
  /** With all below it. Of a part that was not evaluated by itself: of what was read for it. */
  readonly totalMs: number
  /** Without what is below it. */
  readonly ownMs: number
  /** Fixed by `@`: evaluated for one step, whatever the range. */
  readonly isStepInvariant: boolean
  /** How often an equal part of the query had been evaluated before, and its answer was taken. */
  readonly repeats: number
  /** Lookups of groups and matches of rows that an earlier query had worked out, and of others. */
  readonly groupsKnown: number
  readonly groupsMade: number
  /** What was read for it. Empty for a part that was answered by a repeat. */
  readonly reads: readonly ExplainedRead[]
  readonly children: readonly ExplainedNode[]
}

/** Series, and values of all steps: of a range vector the samples that windows are cut from. */
export interface ExplainedResult {
  readonly type: ValueType
  readonly series: number
  readonly samples: number
  readonly steps: number
}

/** One selection from the store. */
export interface ExplainedRead {
  /** `newest`: only the newest sample of each series. */
  readonly source: 'newest' | 'runs' | 'rollups' | 'samples'
  /** Both inclusive; of rollups the first is exclusive. */
  readonly fromMs: number
  readonly toMs: number
  /** What the function, or the selector, is computed of. */
  readonly kernel: 'runs' | 'samples' | 'buckets'
  /** Series that matched, and those of them that had something in the range. */
  readonly seriesMatched: number
  readonly seriesRead: number
  /** Rollups: those that their buckets stand for are not counted. */
  readonly samples: number
  readonly runs: number
  readonly buckets: number
  /** Width of the buckets. */
  readonly widthMs: number | undefined
  readonly portions: number
  /** Time reading took; 0 for rollups, which are computed as they are read. */
  readonly readMs: number
  /** What answered; undefined for a store that does not tell. */
  readonly store: ExplainedStore | undefined
  /** Why a cheaper way was not taken, in sentences without a full stop. */
  readonly reasons: readonly string[]
}

/** The parts of the store that answered. */
export interface ExplainedStore {
  /** The series of these matchers were known from before. */
  readonly isMatchKnown: boolean
  readonly headRuns: number
  readonly packRuns: number
  /** Packs looked into, once a portion; of those `packsKept` were in memory, for the others `packBytes` were read. */
  readonly packs: number
  readonly packsKept: number
  readonly packBytes: number
  /** Buckets by the width of the rollups they were stored with; width 0: made of samples on the way. */
  readonly buckets: readonly { readonly widthMs: number; readonly count: number }[]
}
