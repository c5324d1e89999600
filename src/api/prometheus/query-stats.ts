import type { QueryResult } from '../../promql/query-engine.ts'
import type { QueryAnswerOptions } from './answer-json.ts'

/** What a request wants beside the result. Plain data: it crosses threads. */
export interface AnswerRequest {
  /** The most series; `Infinity` for all. */
  readonly limit: number
  /** As requested. */
  readonly stats: string
  /** How long the request waited before it was given to the engine. */
  readonly waitedMs: number
}

/** `all`: with the samples of each step. */
const STATS_VALUES: ReadonlySet<string> = new Set(['', 'true', 'all'])

/** @param tookMs by the engine, its waiting included */
export function answerOptions(request: AnswerRequest, result: QueryResult, tookMs: number): QueryAnswerOptions {
  const { stats: requested, limit, waitedMs } = request
  const stats = requested === '' ? undefined : renderStats(result, waitedMs + tookMs)
  return { limit, stats, warnings: STATS_VALUES.has(requested) ? [] : [unknownStats(requested)] }
}

function unknownStats(value: string): string {
  return `unknown value ${JSON.stringify(value)} of parameter "stats", want "true" or "all"`
}

/**
 * Timings and sample counts in Prometheus' shape. The engine prepares, evaluates and sorts in one go, so these three
 * are one figure; what the query spent beyond it, it waited for its turn. All samples of a query are held at
 * once, so the peak is their number.
 */
function renderStats(result: QueryResult, totalMs: number): string {
  const { evalMs, samplesRead, samplesByStep } = result.stats
  const evalSeconds = evalMs / 1000
  const totalSeconds = Math.max(evalMs, totalMs) / 1000
  return JSON.stringify({
    timings: {
      evalTotalTime: evalSeconds,
      resultSortTime: 0,
      queryPreparationTime: 0,
      innerEvalTime: evalSeconds,
      execQueueTime: totalSeconds - evalSeconds,
      execTotalTime: totalSeconds,
    },
    samples: {
      ...(samplesByStep === undefined
        ? { totalQueryableSamples: samplesRead }
        : {
            totalQueryableSamplesPerStep: samplesByStep.map(({ timeMs, samples }) => [timeMs / 1000, samples]),
            totalQueryableSamples: samplesByStep.reduce((sum, { samples }) => sum + samples, 0),
          }),
      peakSamples: samplesRead,
    },
  })
}
