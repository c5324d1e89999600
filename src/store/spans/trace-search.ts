import { FleetError } from '../../base/errors.ts'
import type { Span, StoredTrace, TraceQuery } from '../../model/span.ts'
import { isDamage } from '../database.ts'
import { durationNs, hasTexts } from './span-index.ts'

/** A search through traces that an index found: the spans themselves decide. */

/** Traces that one search may read: an imprecise index must not block a thread for long. */
const CHECKED_MAX = 20_000
const CHECKED_SPANS_MAX = 2_000_000
/** Spans of one answer. */
const SPANS_MAX = 200_000

/**
 * @param candidates in the order of the answer
 * @param read `undefined`: the trace was removed
 * @param isShown spans that are not shown match nothing, and traces do not have them
 */
export async function* matchingTraces<C>(
  candidates: Iterable<C> | AsyncIterable<C>,
  read: (candidate: C) => Promise<StoredTrace | undefined>,
  query: TraceQuery,
  isShown: (span: Span) => boolean,
): AsyncGenerator<StoredTrace> {
  const wanted = new Map(Object.entries(query.attributes ?? {}))
  let [checkedCount, checkedSpans, foundCount, foundSpans] = [0, 0, 0, 0]
  for await (const candidate of candidates) {
    if (foundCount >= query.limit) break
    if (++checkedCount > CHECKED_MAX) throw tooMuch(`${CHECKED_MAX} traces were checked`)
    const found = await read(candidate).catch(undefinedIfDamaged)
    checkedSpans += found?.spans.length ?? 0
    if (checkedSpans > CHECKED_SPANS_MAX) throw tooMuch(`${CHECKED_SPANS_MAX} spans were checked`)
    const spans = found?.spans.filter(isShown) ?? []
    if (found === undefined || !spans.some((span) => isWanted(span, query, wanted))) continue
    foundSpans += spans.length
    if (foundSpans > SPANS_MAX) throw tooMuch(`the traces found have more than ${SPANS_MAX} spans`)
    foundCount++
    yield { ...found, spans }
  }
}

/** The trace of a search is left out when its bytes are damaged: the scrub reports it. */
function undefinedIfDamaged(thrown: unknown): undefined {
  if (isDamage(thrown)) return undefined
  throw thrown
}

function isWanted(span: Span, query: TraceQuery, wanted: ReadonlyMap<string, string>): boolean {
  const { service, operation, fromNs, toNs, minDurationNs, maxDurationNs } = query
  if (service !== undefined && service !== '' && span.resource.service !== service) return false
  if (operation !== undefined && span.name !== operation) return false
  if (span.startNs < fromNs || span.startNs > toNs) return false
  const duration = durationNs(span)
  if (minDurationNs !== undefined && duration < minDurationNs) return false
  if (maxDurationNs !== undefined && duration > maxDurationNs) return false
  return hasTexts(span, wanted)
}

function tooMuch(what: string): FleetError {
  return new FleetError('query_limit', `${what}, and there is more`, {
    hint: 'select a shorter range, a service, an operation or fewer traces',
  })
}
