import type { FastifyReply } from 'fastify'
import type { AnswerBytes } from '../server/answer-bytes.ts'
import { sendBytes, sendInPieces } from '../server/pieces.ts'
import { HEAD, tailOf, type Notes } from './answer-json.ts'

/** Sends answers of the Prometheus routes. */

/** Sends `{"status":"success","data":...}`; with warnings and infos if there are any. */
export function sendSuccess(reply: FastifyReply, dataJson: string, notes: Notes = {}): FastifyReply {
  return sendPrometheusJson(reply, `${HEAD}${dataJson}${tailOf(notes)}`)
}

export function sendPrometheusJson(reply: FastifyReply, json: string): FastifyReply {
  return sendInPieces(reply, JSON_TYPE, 0, () => [json])
}

/** An answer that was rendered elsewhere. */
export function sendJson(reply: FastifyReply, json: AnswerBytes): FastifyReply {
  return sendBytes(reply, JSON_TYPE, json)
}

export const JSON_TYPE = 'application/json'
