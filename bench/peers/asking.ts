/** What an answer costs: processor time of the server per query, and what it answered. */
import type { RangeQuery } from './queries.ts'
import type { RunningServer } from './server.ts'

/** Series, points and their sum: what the peers' answers are compared by. */
export interface AnswerShape {
  readonly series: number
  readonly points: number
  readonly sum: number
}

export interface QueryCost {
  /** The mean of many runs. */
  readonly cpuMs: number
  readonly wallMs: number
  /** The first time that this life of the server was asked this. */
  readonly coldCpuMs: number
  readonly coldWallMs: number
  readonly answer: AnswerShape
}

/** A server said no: an answer too, and one that belongs into the table. */
export class Unanswered extends Error {}

const RUNS_MAX = 20
/** A query of a millisecond is asked more often: processor time is told in steps of ten, and code is compiled by use. */
const CHEAP_WALL_MS = 25
const CHEAP_RUNS_MAX = 1000
const RUNS_MS = 4000
const SETTLE_MS_MAX = 3000

/**
 * The first run, then the mean of more. Each run asks for a range that ends one step before the last one's, after twenty
 * of them a second earlier, so that a server has to answer each and a cache of answers is of no use. Ends are
 * inclusive, as the API has them.
 */
export function measureRange(server: RunningServer, query: RangeQuery, endMs: number): Promise<QueryCost> {
  return measure(server, (run) => {
    const lastMs = endMs - (run % RUNS_MAX) * query.stepMs - Math.floor(run / RUNS_MAX) * 1000
    return ask(server, '/api/v1/query_range', {
      query: query.expression,
      start: String((lastMs - query.rangeMs) / 1000),
      end: String(lastMs / 1000),
      step: String(query.stepMs / 1000),
    })
  })
}

/** @param once asks once; `run` counts from 0, and no two runs may ask the same */
async function measure(server: RunningServer, once: (run: number) => Promise<AnswerShape>): Promise<QueryCost> {
  await server.settle(SETTLE_MS_MAX)
  const cold = await costOf(server, () => once(0))
  await server.settle(SETTLE_MS_MAX)
  const startMs = performance.now()
  const startCpuMs = server.cpuMs()
  let runs = 0
  const goesOn = (): boolean => {
    const spentMs = performance.now() - startMs
    if (spentMs >= RUNS_MS) return false
    return runs < RUNS_MAX || (runs < CHEAP_RUNS_MAX && spentMs / runs < CHEAP_WALL_MS)
  }
  while (runs === 0 || goesOn()) await once(1 + runs++)
  return {
    cpuMs: (server.cpuMs() - startCpuMs) / runs,
    wallMs: (performance.now() - startMs) / runs,
    coldCpuMs: cold.cpuMs,
    coldWallMs: cold.wallMs,
    answer: cold.result,
  }
}

export async function costOf<T>(
  server: RunningServer,
  work: () => Promise<T>,
): Promise<{ readonly cpuMs: number; readonly wallMs: number; readonly result: T }> {
  const startMs = performance.now()
  const startCpuMs = server.cpuMs()
  const result = await work()
  return { cpuMs: server.cpuMs() - startCpuMs, wallMs: performance.now() - startMs, result }
}

interface Answer {
  readonly data: {
    readonly result: readonly {
      readonly value?: readonly [number, string]
      readonly values?: readonly [number, string][]
    }[]
  }
}

/** Throws `Unanswered` with what the server said. */
export async function ask(server: RunningServer, path: string, params: Record<string, string>): Promise<AnswerShape> {
  const search = new URLSearchParams({ ...params, ...server.peer.queryParams })
  const reply = await fetch(`http://127.0.0.1:${server.port}${path}?${search.toString()}`)
  const text = await reply.text()
  if (!reply.ok) {
    throw new Unanswered(`${server.peer.name} did not answer ${params['query']}: ${text.slice(0, 300)}`)
  }
  const { data } = JSON.parse(text) as Answer
  let points = 0
  let sum = 0
  for (const { value, values } of data.result) {
    for (const [, number] of values ?? (value === undefined ? [] : [value])) {
      points++
      sum += Number(number)
    }
  }
  return { series: data.result.length, points, sum }
}

/** Figures, answers and refusals of several range queries. */
export async function measureRanges(
  server: RunningServer,
  queries: readonly RangeQuery[],
  endMs: number,
): Promise<{
  readonly figures: Record<string, number>
  readonly answers: Record<string, AnswerShape>
  readonly notes: string[]
}> {
  const figures: Record<string, number> = {}
  const answers: Record<string, AnswerShape> = {}
  const notes: string[] = []
  for (const query of queries) {
    try {
      const { answer, ...costs } = await measureRange(server, query, endMs)
      for (const [what, cost] of Object.entries(costs)) figures[`${query.id}.${what}`] = cost
      answers[query.id] = answer
    } catch (thrown) {
      if (!(thrown instanceof Unanswered)) throw thrown
      notes.push(thrown.message)
    }
  }
  return { figures, answers, notes }
}
