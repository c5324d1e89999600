/**
 * Which clusters the conditional risks of the update graph apply to, as the cluster version operator decides it: of the rules in
 * their order the first one that can be evaluated counts; PromQL has to give one result, 1 or 0. Evaluated from the fleet's series,
 * cached, and bounded: an expression that cannot be evaluated for all clusters at once is evaluated for some at each call.
 */
import { messageOf } from '../../base/errors.ts'
import type { ConditionalRisk } from '../../model/update-graph.ts'

/** Reads what an expression gives over the series of each cluster alone. */
export interface RiskReader {
  /** The values of the results by cluster; `undefined`: the expression cannot be evaluated for all of them at once. */
  ofAll(promql: string, timeMs: number): Promise<ReadonlyMap<string, readonly number[]> | undefined>
  ofOne(promql: string, cluster: string, timeMs: number): Promise<readonly number[]>
}

/** `unknown`: no rule could be evaluated; the cluster version operator does not recommend such an update either. */
export type Exposure = 'exposed' | 'not_exposed' | 'unknown'

export interface GraphRisks {
  /** Of each cluster; the reason when an expression failed, or was not evaluated yet for all. */
  exposure(
    risk: ConditionalRisk,
    clusters: readonly string[],
    timeMs: number,
  ): Promise<{ readonly of: ReadonlyMap<string, Exposure>; readonly notes: readonly string[] }>
}

/** The cluster version operator evaluates an expression at most every ten minutes. */
export const RISKS_CACHED_MS = 10 * 60_000
/** Expressions with cached results; the one that was not used for longest is dropped. */
const EXPRESSIONS_MAX = 200
/** Evaluations for single clusters at one call: about half a second. */
export const SINGLE_MAX = 200

interface Cached {
  readonly atMs: number
  /** Of all clusters: those without a result are unknown. */
  readonly all?: ReadonlyMap<string, readonly number[]>
  readonly single: Map<string, readonly number[]>
  readonly failure?: string
}

export function createGraphRisks(reader: RiskReader): GraphRisks {
  const cache = new Map<string, Promise<Cached>>()
  const read = async (promql: string, timeMs: number): Promise<Cached> => {
    try {
      const all = await reader.ofAll(promql, timeMs)
      return { atMs: timeMs, single: new Map(), ...(all === undefined ? {} : { all }) }
    } catch (thrown) {
      return { atMs: timeMs, single: new Map(), failure: messageOf(thrown) }
    }
  }
  const cached = async (promql: string, timeMs: number): Promise<Cached> => {
    const known = cache.get(promql)
    if (known !== undefined && Math.abs((await known).atMs - timeMs) < RISKS_CACHED_MS) return known
    const fresh = read(promql, timeMs)
    cache.delete(promql)
    cache.set(promql, fresh)
    const [oldest] = cache.keys()
    if (cache.size > EXPRESSIONS_MAX && oldest !== undefined) cache.delete(oldest)
    return fresh
  }
  /** The results of the clusters; those that are missing were not evaluated. */
  const resultsOf = async (
    promql: string,
    clusters: readonly string[],
    timeMs: number,
  ): Promise<{ readonly of: ReadonlyMap<string, readonly number[]>; readonly note?: string }> => {
    const { all, single, failure, atMs } = await cached(promql, timeMs)
    if (failure !== undefined) return { of: new Map(), note: `${promql.trim()}: ${failure}` }
    if (all !== undefined) return { of: all }
    const left = clusters.filter((cluster) => !single.has(cluster))
    for (const cluster of left.slice(0, SINGLE_MAX)) {
      // Nothing is exposed by an expression that fails on a cluster, and nothing is safe.
      single.set(cluster, await reader.ofOne(promql, cluster, atMs).catch(() => []))
    }
    const rest = left.length - SINGLE_MAX
    return { of: single, ...(rest > 0 ? { note: `${rest} clusters are not evaluated yet` } : {}) }
  }
  return {
    exposure: async ({ matchingRules }, clusters, timeMs) => {
      const found = new Map<string, Exposure>()
      const notes = new Set<string>()
      for (const { type, promql } of matchingRules) {
        const left = clusters.filter((cluster) => !found.has(cluster))
        if (left.length === 0) break
        if (type === 'Always') for (const cluster of left) found.set(cluster, 'exposed')
        if (type !== 'PromQL' || promql === undefined) continue
        const { of, note } = await resultsOf(promql.promql, left, timeMs)
        if (note !== undefined) notes.add(note)
        for (const cluster of left) {
          const exposure = exposureOf(of.get(cluster))
          if (exposure !== undefined) found.set(cluster, exposure)
        }
      }
      return { of: new Map(clusters.map((cluster) => [cluster, found.get(cluster) ?? 'unknown'])), notes: [...notes] }
    },
  }
}

/** `undefined`: no result, several, or one that is neither 1 nor 0. */
function exposureOf(values: readonly number[] | undefined): Exposure | undefined {
  if (values?.length !== 1) return undefined
  return values[0] === 1 ? 'exposed' : values[0] === 0 ? 'not_exposed' : undefined
}
