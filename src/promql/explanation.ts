import type { Expr, ValueType } from './ast.ts'

/**
 * How a query was evaluated, node by node: plain data, created only on request. Times are those in which this query had
 * its thread; waiting time is separate. The own times of all nodes add up to the total of the first node.
 */
export interface Explanation {
  /** The query as requested; positions of nodes refer to it. */
  readonly query: string
  readonly startMs: number
  readonly endMs: number
  /** Undefined: an instant query. */
  readonly stepMs: number | undefined
  readonly steps: number
  /** Time the query had its thread, parsing and sorting included, and time it yielded the thread. */
  readonly busyMs: number
  readonly waitedMs: number
  /** As the limit counts them: runs and buckets, where runs and buckets are read. */
  readonly samplesRead: number
  readonly samplesMax: number
  readonly resultBytes: number
  readonly resultBytesMax: number
  readonly warnings: readonly string[]
  readonly infos: readonly string[]
  readonly root: ExplainedNode
  /** Present where a metrics store answers queries. Parts of a query that it answered have no results of their own. */
  readonly remote?: ExplainedRemote
}

/** How a query is divided between the metrics store and this server. */
export interface ExplainedRemote {
  /** Sent as it is; sent in another form with the same result; evaluated here over fetched series. */
  readonly way: 'pushed' | 'rewritten' | 'local'
  /** One sentence without a full stop. */
  readonly reason: string
  /** Product and version; absent: it was not needed. */
  readonly store?: string
  /** What was sent; absent: evaluated here. */
  readonly text?: string
  /** What the store computes differently in this query. */
  readonly notes: readonly string[]
}

export interface ExplainedNode {
  readonly kind: Expr['kind']
  /** The part as Prometheus formats it, without surrounding parentheses. */
  readonly text: string
  /** Character offsets into the query: inclusive, exclusive. */
  readonly from: number
  readonly to: number
  /**
   * Absent when it was not evaluated separately, such as a range selector that its function reads portion by portion.
   */
  readonly result: ExplainedResult | undefined
  /** Includes all nodes below. For a part that was not evaluated separately: the time of its reads. */
  readonly totalMs: number
  /** Without the nodes below. */
  readonly ownMs: number
  /** Fixed by `@`: evaluated for one step, whatever the range. */
  readonly isStepInvariant: boolean
  /** How often the result of an equal part of the query was reused. */
  readonly repeats: number
  /** Lookups of groups and matches of rows that an earlier query had cached, and of others. */
  readonly groupsKnown: number
  readonly groupsMade: number
  /** The reads of the part; empty when its result was reused. */
  readonly reads: readonly ExplainedRead[]
  readonly children: readonly ExplainedNode[]
}

/** Series, and values of all steps; for a range vector the samples of its windows. */
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
  /** The data that the function or the selector is computed from. */
  readonly kernel: 'runs' | 'samples' | 'buckets'
  /** Series that matched, and those with samples in the range. */
  readonly seriesMatched: number
  readonly seriesRead: number
  /** For rollups without the samples that the buckets summarize. */
  readonly samples: number
  readonly runs: number
  readonly buckets: number
  /** Width of the buckets. */
  readonly widthMs: number | undefined
  readonly portions: number
  /** Read time; 0 for rollups, which are computed while they are read. */
  readonly readMs: number
  /** The parts of the store that were read; undefined for a store that does not report them. */
  readonly store: ExplainedStore | undefined
  /** Why a cheaper way was not used, as sentences without a full stop. */
  readonly reasons: readonly string[]
}

/** The parts of the store that were read. */
export interface ExplainedStore {
  /** The series of these matchers were cached. */
  readonly isMatchKnown: boolean
  readonly headRuns: number
  readonly packRuns: number
  /**
   * Packs that were read, counted once per portion; `packsKept` of them were in memory, `packBytes` were read for the
   * others.
   */
  readonly packs: number
  readonly packsKept: number
  readonly packBytes: number
  /** Buckets by the width of the stored rollups; width 0: computed from samples on request. */
  readonly buckets: readonly { readonly widthMs: number; readonly count: number }[]
}
