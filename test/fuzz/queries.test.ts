import { expect, test } from 'vitest'
import { FleetError } from '../../src/base/errors.ts'
import { Labels } from '../../src/model/labels.ts'
import type { Expr } from '../../src/promql/ast.ts'
import { typeOf } from '../../src/promql/check.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { formatExpr } from '../../src/promql/format.ts'
import { parseExpr } from '../../src/promql/parse.ts'
import { PromqlError } from '../../src/promql/promql-error.ts'
import type { QueryResult } from '../../src/promql/query-engine.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'
import { mutatedQuery, querySeeds, tokensOf } from './queries.ts'
import { randomOf } from './mutate.ts'

// Queries that went wrong. Each is an answer, or an error with its place in the text, or an execution error with a code;
// within its limits, so nothing hangs. What is an expression is printed and read again as the same one, and an instant is
// a step of a range.

/** A million are for the hand: DAYTWO_FUZZ_QUERIES=1000000 npx vitest run test/fuzz/queries.test.ts */
const QUERIES = Number(process.env['DAYTWO_FUZZ_QUERIES'] ?? 4000)
/** Another seed draws other queries. */
const SEED = Number(process.env['DAYTWO_FUZZ_SEED'] ?? 1)
const SLOW_MS = 20_000
const LANGUAGE = { experimental: true }

const STEP_MS = 30_000
const END_MS = 40 * STEP_MS

/** Names that the seeds use, so that much of what is asked is there. */
function storeOf(seeds: readonly string[]): MemoryQueryable {
  const store = new MemoryQueryable()
  const metrics = new Map<string, number>()
  for (const seed of seeds) {
    for (const token of tokensOf(seed)) {
      if (/^[a-z_:][\w:]{2,}$/i.test(token)) metrics.set(token, (metrics.get(token) ?? 0) + 1)
    }
  }
  const names = [...metrics].sort(([, a], [, b]) => b - a).map(([name]) => name)
  names.slice(0, 120).forEach((name, n) => {
    for (let i = 0; i < 3; i++) {
      const labels = Labels.of({
        __name__: name,
        job: i === 0 ? 'api-server' : `job-${i}`,
        instance: String(i % 2),
        le: ['0.1', '1', '+Inf'][i]!,
      })
      for (let timeMs = (n % 7) * 1000; timeMs <= END_MS; timeMs += STEP_MS) {
        if ((timeMs / 1000 + n + i) % 11 === 0) continue
        if ((timeMs / 1000 + n) % 233 === 0) store.appendStale(labels, timeMs)
        else store.append(labels, timeMs, valueOf(n + i, timeMs / STEP_MS))
      }
    }
  })
  return store
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
  const fields = Object.entries(part).filter(([name]) => name !== 'from' && name !== 'to')
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

test(`${QUERIES} mutated queries`, { timeout: 120_000 + QUERIES * 20 }, async () => {
  const seeds = querySeeds()
  expect(seeds.length).toBeGreaterThan(200)
  const dictionary = [...new Set(seeds.flatMap(tokensOf))].filter((token) => token.trim() !== '')
  const options = {
    ...DEFAULT_ENGINE_OPTIONS,
    samplesMax: 20_000,
    resultBytesMax: 1_000_000,
    timeoutMs: 2000,
    experimental: true,
  }
  const engine = createLocalEngine({ queryable: storeOf(seeds), options, nowMs: () => performance.now() })
  const counts: Record<string, number> = {}
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1
  }
  for (let number = 0; number < QUERIES; number++) {
    const text = mutatedQuery(randomOf(SEED * 1_000_003 + number), seeds, dictionary)
    const startedMs = performance.now()
    try {
      count(await checkQuery(text))
    } catch (cause) {
      throw new Error(`query ${number} of seed ${SEED}: ${JSON.stringify(text)}: ${String(cause)}`, { cause })
    }
    const tookMs = performance.now() - startedMs
    if (tookMs > SLOW_MS) throw new Error(`query ${number} of seed ${SEED} took ${tookMs} ms: ${JSON.stringify(text)}`)
  }
  process.stdout.write(`${QUERIES} queries: ${JSON.stringify(counts)}\n`)
  expect(counts['answered']).toBeGreaterThan(QUERIES / 10)
  expect(counts['positioned']).toBeGreaterThan(QUERIES / 10)

  async function checkQuery(text: string): Promise<string> {
    let expr: Expr
    try {
      expr = parseExpr(text, LANGUAGE)
    } catch (thrown) {
      return checkError(thrown, text)
    }
    const printed = formatExpr(expr)
    // A range of less than half a millisecond is one of nothing, which can be had and not be written.
    if (printed.includes('[0s')) return 'empty range'
    expect(shapeOf(parseExpr(printed, LANGUAGE)), printed).toEqual(shapeOf(expr))
    const timeMs = END_MS - 2 * STEP_MS
    let instant: QueryResult
    try {
      instant = await engine.instant({ expr: text, timeMs })
    } catch (thrown) {
      return checkError(thrown, text)
    }
    const asksForSteps = /\b(?:step|range)\s*\(/i.test(text)
    if (!asksForSteps && ['scalar', 'vector'].includes(typeOf(expr))) {
      await checkRange(text, instant, timeMs, timeMs)
      // Which of equal values are kept follows from the order of series, and that from what other steps have.
      if (!/\b(?:start|end)\s*\(|topk|bottomk|limitk/i.test(text)) await checkRange(text, instant, timeMs, END_MS)
    }
    return 'answered'
  }

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
    expect(cellsAt(range, timeMs), `as a step of a range to ${endMs}`).toBe(cellsAt(instant, timeMs))
  }
})
