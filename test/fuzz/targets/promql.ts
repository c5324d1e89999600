import { deepStrictEqual } from 'node:assert/strict'
import { FleetError } from '../../../src/base/errors.ts'
import { Labels } from '../../../src/model/labels.ts'
import type { Expr } from '../../../src/promql/ast.ts'
import { typeOf } from '../../../src/promql/check.ts'
import { createLocalEngine } from '../../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../../src/promql/engine-options.ts'
import { formatExpr } from '../../../src/promql/format.ts'
import { parseExpr } from '../../../src/promql/parse.ts'
import { PromqlError } from '../../../src/promql/promql-error.ts'
import type { QueryResult } from '../../../src/promql/query-engine.ts'
import { MemoryQueryable } from '../../support/memory-queryable.ts'
import { randomQuery, type Vocabulary } from '../../support/random-queries.ts'
import { mutatedQuery, querySeeds, tokensOf } from '../queries.ts'
import { NOTHING_TO_CLOSE, oneByOne, TEXT, type Target } from '../target.ts'

/**
 * Queries that are mutated or drawn from the grammar. Each is an answer, or an error with its place in the text, or an
 * execution error with a code; within its limits, so nothing hangs. What is an expression is printed and read again as the
 * same one, and an instant is a step of a range.
 */

const LANGUAGE = { experimental: true }
const STEP_MS = 30_000
const END_MS = 40 * STEP_MS

/** Names that the seeds use, the most frequent ones. */
function namesOf(seeds: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const seed of seeds) {
    for (const token of tokensOf(seed)) {
      if (/^[a-z_:][\w:]{2,}$/i.test(token)) counts.set(token, (counts.get(token) ?? 0) + 1)
    }
  }
  const names = [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name)
  return names.slice(0, 120)
}

const JOBS = ['api-server', 'job-1', 'job-2']
const BUCKETS = ['0.1', '1', '+Inf']

/** Much of what queries select is there. */
function storeOf(names: readonly string[]): MemoryQueryable {
  const store = new MemoryQueryable()
  names.forEach((name, n) => {
    for (let i = 0; i < 3; i++) {
      const labels = Labels.of({ __name__: name, job: JOBS[i]!, instance: String(i % 2), le: BUCKETS[i]! })
      for (let timeMs = (n % 7) * 1000; timeMs <= END_MS; timeMs += STEP_MS) {
        if ((timeMs / 1000 + n + i) % 11 === 0) continue
        if ((timeMs / 1000 + n) % 233 === 0) store.appendStale(labels, timeMs)
        else store.append(labels, timeMs, valueOf(n + i, timeMs / STEP_MS))
      }
    }
  })
  return store
}

function vocabularyOf(names: readonly string[]): Vocabulary {
  const labels = [
    { name: 'job', values: JOBS },
    { name: 'instance', values: ['0', '1'] },
    { name: 'le', values: BUCKETS },
  ]
  const counters = names.filter((name) => name.endsWith('_total'))
  return { metrics: names, counters, labels, labelsOf: () => labels, at: '600', nudge: '' }
}

function valueOf(kind: number, i: number): number {
  switch (kind % 9) {
    case 0:
      return 1
    case 1:
      return i % 13 === 0 ? NaN : i
    case 2:
      return i % 17 === 0 ? Infinity : -i
    case 3:
      return (i * 7) % 20
    case 4:
      return Math.sin(i) * 1e300
    default:
      return i * kind
  }
}

/** A node, or what is in it, without positions. */
function shapeOf(part: unknown): unknown {
  if (Array.isArray(part)) {
    const shapes = part.map(shapeOf)
    // Printed in the order of their texts, as Prometheus prints them.
    return part.every(isMatcher) ? shapes.map((one) => JSON.stringify(one)).sort() : shapes
  }
  // -0 seconds are printed without a sign, as Prometheus prints them.
  if (typeof part !== 'object' || part === null) return part === 0 ? 0 : part
  // Infinity is printed with its sign, which is an operator when it is read.
  if ('kind' in part && part.kind === 'unary' && 'op' in part && part.op === '+' && 'expr' in part)
    return shapeOf(part.expr)
  const fields = Object.entries(part).filter(([name, value]) => name !== 'from' && name !== 'to' && value !== undefined)
  return Object.fromEntries(fields.map(([name, value]) => [name, shapeOf(value)]))
}

function isMatcher(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'op' in value && 'name' in value
}

function checkError(thrown: unknown, text: string): string {
  if (thrown instanceof PromqlError) {
    const { from, to } = thrown.diagnostic
    if (!(from >= 0 && from <= to && to <= text.length))
      throw new Error(`a place outside of the text: ${from} to ${to}`)
    return 'positioned'
  }
  if (thrown instanceof FleetError && CODES.has(thrown.code)) return thrown.code
  throw thrown
}

const CODES = new Set(['query_execution', 'query_limit', 'query_timeout', 'bad_request'])

/** What is there at a time: bits by labels, in no order. */
function cellsAt({ value }: QueryResult, timeMs: number): string {
  const cells: string[] = []
  if (value.type === 'scalar') cells.push(` ${value.value}`)
  else if (value.type === 'vector') for (const one of value.samples) cells.push(`${one.labels.key} ${shown(one)}`)
  else if (value.type === 'matrix') {
    for (const { labels, timesMs, values, histogramTimesMs, histograms } of value.series) {
      const at = timesMs.indexOf(timeMs)
      if (at !== -1) cells.push(`${labels.key} ${values[at]!}`)
      const place = histogramTimesMs?.indexOf(timeMs) ?? -1
      if (place !== -1) cells.push(`${labels.key} ${JSON.stringify(histograms![place])}`)
    }
  }
  return cells.sort().join('\n')
}

function shown({ value, histogram }: { readonly value: number; readonly histogram?: unknown }): string {
  return histogram === undefined ? String(value) : JSON.stringify(histogram)
}

const promql: Target<string> = {
  name: 'promql',
  claim: 'A query is answered alike as an instant and as a step of a range, or refused at a place inside of it.',
  inputs: { suite: 600, long: 100_000 },
  shares: { answered: 0.1, positioned: 0.1 },
  open: () => {
    const seeds = querySeeds()
    const names = namesOf(seeds)
    const vocabulary = vocabularyOf(names)
    const dictionary = [...new Set(seeds.flatMap(tokensOf))].filter((token) => token.trim() !== '')
    const options = {
      ...DEFAULT_ENGINE_OPTIONS,
      samplesMax: 20_000,
      resultBytesMax: 1_000_000,
      timeoutMs: 2000,
      experimental: true,
    }
    const engine = createLocalEngine({ queryable: storeOf(names), options, nowMs: () => performance.now() })

    /** As a step of a range the same is there; the other steps may fail for reasons of their own. */
    async function checkRange(text: string, instant: QueryResult, timeMs: number, endMs: number): Promise<void> {
      let range: QueryResult
      try {
        range = await engine.range({ expr: text, startMs: timeMs, endMs, stepMs: STEP_MS })
      } catch (thrown) {
        const code = checkError(thrown, text)
        if (endMs === timeMs && code !== 'query_timeout') throw new Error('the range fails', { cause: thrown })
        return
      }
      const [got, want] = [cellsAt(range, timeMs), cellsAt(instant, timeMs)]
      if (got !== want) throw new Error(`as a step of a range to ${endMs}: got ${got}, want ${want}`)
    }

    return {
      make: (random) => {
        if (random(4) > 0) return mutatedQuery(random, seeds, dictionary)
        return randomQuery(random, vocabulary, 1 + random(4))
      },
      check: oneByOne(async (text) => {
        let expr: Expr
        try {
          expr = parseExpr(text, LANGUAGE)
        } catch (thrown) {
          return checkError(thrown, text)
        }
        const printed = formatExpr(expr)
        // A range of less than half a millisecond is one of nothing, which can be had and not be written.
        if (printed.includes('[0s')) return 'empty range'
        deepStrictEqual(shapeOf(parseExpr(printed, LANGUAGE)), shapeOf(expr), `printed as ${printed}`)
        const timeMs = END_MS - 2 * STEP_MS
        let instant: QueryResult
        try {
          instant = await engine.instant({ expr: text, timeMs })
        } catch (thrown) {
          return checkError(thrown, text)
        }
        const hasSteps = /\b(?:step|range)\s*\(/i.test(text)
        if (!hasSteps && ['scalar', 'vector'].includes(typeOf(expr))) {
          await checkRange(text, instant, timeMs, timeMs)
          // Which of equal values are kept follows from the order of series, and that from what other steps have.
          if (!/\b(?:start|end)\s*\(|topk|bottomk|limitk/i.test(text)) await checkRange(text, instant, timeMs, END_MS)
        }
        return 'answered'
      }),
      ...TEXT,
      ...NOTHING_TO_CLOSE,
    }
  },
}

export const PROMQL = [promql]
