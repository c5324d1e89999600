import type { FastifyReply } from 'fastify'
import type { QueryResult } from '../../promql/query-engine.ts'
import {
  HEAD,
  TRUNCATED,
  pointsOf,
  renderQueryAnswer,
  separated,
  tailOf,
  type Notes,
  type QueryAnswerOptions,
} from './answer-json.ts'
import { sendInPieces } from '../server/pieces.ts'

/** Sends answers of the Prometheus routes. */

/** Sends `{"status":"success","data":...}`; with warnings and infos if there are any. */
export function sendSuccess(reply: FastifyReply, dataJson: string, notes: Notes = {}): FastifyReply {
  return sendPrometheusJson(reply, `${HEAD}${dataJson}${tailOf(notes)}`)
}

/** A list of at most `limit` items as `data`; a truncated list has a warning. */
export function sendList<T>(
  reply: FastifyReply,
  items: readonly T[],
  limit: number,
  render: (item: T) => string,
): FastifyReply {
  const isCut = items.length > limit
  const shown = isCut ? items.slice(0, limit) : items
  return sendInPieces(reply, JSON_TYPE, shown.length, function* () {
    yield `${HEAD}[`
    yield* separated(shown, render)
    yield `]${tailOf(isCut ? { warnings: [TRUNCATED] } : {})}`
  })
}

/** The answer to a query. */
export function sendQueryResult(reply: FastifyReply, result: QueryResult, options: QueryAnswerOptions): FastifyReply {
  return sendInPieces(reply, JSON_TYPE, pointsOf(result.value), () => renderQueryAnswer(result, options))
}

export function sendPrometheusJson(reply: FastifyReply, json: string): FastifyReply {
  return sendInPieces(reply, JSON_TYPE, 0, () => [json])
}

export const JSON_TYPE = 'application/json'
