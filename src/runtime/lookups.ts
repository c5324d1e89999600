/**
 * Look-ups on main: queries of a few series, as dashboards and scripts ask them again and again, are evaluated here, beside
 * HTTP. Waking another thread for one and being woken again costs more than the query. What is asked for the second
 * time is learnt from the query worker; what is large, was not learnt yet or has changed is the query worker's.
 */
import type { Leaving } from '../base/cancellation.ts'
import { FleetError } from '../base/errors.ts'
import type { Matcher } from '../model/matcher.ts'
import { createLocalEngine } from '../promql/engine.ts'
import type { EngineOptions } from '../promql/engine-options.ts'
import { lookupSelectors } from '../promql/lookup-query.ts'
import { parseExpr } from '../promql/parse.ts'
import type { InstantQuery, QueryResult, RangeQuery } from '../promql/query-engine.ts'
import { LookupMiss } from '../store/index/lookup-reader.ts'
import type { FindSeries, LookupReader } from '../store/index/lookup-reader.ts'

export interface Lookups {
  /** The answer as the query worker would give it; undefined when that one is to be asked. Rejects only for bugs. */
  ask(query: InstantQuery | RangeQuery, left?: Leaving): Promise<QueryResult | undefined> | undefined
  /** To be called about once a second. */
  receive(): void
  close(): void
}

/** Series of one selector. */
export const LOOKUP_SERIES_MAX = 16
/** Texts that are remembered; when there are more, all are forgotten. */
const TEXTS_MAX = 4000
/** Longer ones are no look-ups, and would be kept. */
const TEXT_CHARS_MAX = 2000
/** What one may read and make before the query worker is asked after all: a fraction of a millisecond. */
const LIMITS = { samplesMax: 20_000, resultBytesMax: 1_000_000, timeoutMs: 50 }

/** A server that was given less keeps to that. */
function limited(options: EngineOptions): EngineOptions {
  return {
    ...options,
    samplesMax: Math.min(options.samplesMax, LIMITS.samplesMax),
    resultBytesMax: Math.min(options.resultBytesMax, LIMITS.resultBytesMax),
    timeoutMs: Math.min(options.timeoutMs, LIMITS.timeoutMs),
  }
}

/** What is known of a text. */
interface Known {
  /** Undefined: not looked at yet; empty: it is no look-up. */
  selectors: readonly (readonly Matcher[])[] | undefined
  isLearning: boolean
}

export function createLookups(reader: LookupReader, find: FindSeries, options: EngineOptions): Lookups {
  const nowMs = (): number => performance.now()
  const engine = createLocalEngine({ queryable: reader, options: limited(options), nowMs })
  const texts = new Map<string, Known>()

  // Nobody waits for it: whoever asks the same next is told by the query worker what is wrong.
  const findOrNothing: FindSeries = (matchers) => find(matchers).catch(() => undefined)
  const learn = async (known: Known, selectors: readonly (readonly Matcher[])[]): Promise<void> => {
    known.isLearning = true
    for (const matchers of selectors) {
      const learnt = await reader.learn(matchers, findOrNothing)
      if (learnt === 'unfit') known.selectors = NONE
      if (learnt !== 'known') break
    }
    known.isLearning = false
  }
  const evaluate = async (
    query: InstantQuery | RangeQuery,
    known: Known,
    left: Leaving | undefined,
  ): Promise<QueryResult | undefined> => {
    try {
      return await ('timeMs' in query ? engine.instant(query, left) : engine.range(query, left))
    } catch (thrown) {
      if (!(thrown instanceof LookupMiss) && !(thrown instanceof FleetError)) throw thrown
      if (thrown instanceof FleetError && thrown.code === 'query_limit') known.selectors = NONE
      return undefined
    }
  }
  return {
    ask(query, left) {
      const { expr } = query
      const known = texts.get(expr)
      if (known === undefined) {
        if (expr.length > TEXT_CHARS_MAX) return undefined
        if (texts.size >= TEXTS_MAX) texts.clear()
        texts.set(expr, { selectors: undefined, isLearning: false })
        return undefined
      }
      const selectors = (known.selectors ??= selectorsOf(expr, options))
      if (selectors.length === 0) return undefined
      if (reader.knows(selectors)) return evaluate(query, known, left)
      if (!known.isLearning) void learn(known, selectors)
      return undefined
    },
    receive: () => {
      reader.receive()
    },
    close: () => {
      reader.close()
    },
  }
}

const NONE: readonly (readonly Matcher[])[] = []

/** Of a text that does not parse none: the query worker says what is wrong with it. */
function selectorsOf(text: string, { experimental }: EngineOptions): readonly (readonly Matcher[])[] {
  try {
    return lookupSelectors(parseExpr(text, { experimental })) ?? NONE
  } catch (thrown) {
    if (thrown instanceof FleetError) return NONE
    throw thrown
  }
}
