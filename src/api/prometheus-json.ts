import type { FastifyReply } from 'fastify'
import type { Labels } from '../model/labels.ts'
import type { QueryResult, QueryValue } from '../promql/query-engine.ts'
import { formatValue } from './format-value.ts'
import { TRUNCATED } from './params.ts'

/**
 * Answers of the Prometheus routes as text. Query results are written by hand: a range answer has up to 11,000 points
 * per series, and building an object per point first would cost several times the memory of the text.
 */

/** Sends `{"status":"success","data":...}`; warnings and infos only when there are some. */
export function sendSuccess(
  reply: FastifyReply,
  dataJson: string,
  notes: { readonly warnings?: readonly string[]; readonly infos?: readonly string[] } = {},
): FastifyReply {
  let json = `{"status":"success","data":${dataJson}`
  if (notes.warnings !== undefined && notes.warnings.length > 0) json += `,"warnings":${JSON.stringify(notes.warnings)}`
  if (notes.infos !== undefined && notes.infos.length > 0) json += `,"infos":${JSON.stringify(notes.infos)}`
  return sendPrometheusJson(reply, `${json}}`)
}

/** As bytes, because Fastify adds a charset to texts, and Prometheus' clients know the bare type. */
export function sendPrometheusJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', 'application/json').send(Buffer.from(json))
}

/** The `data` of a query answer, with at most `limit` series; says whether some were left out. */
export function renderQueryData(
  result: QueryResult,
  limit: number,
  statsJson: string | undefined,
): { readonly json: string; readonly warnings: readonly string[] } {
  const { value } = result
  const type = value.type
  const stats = statsJson === undefined ? '' : `,"stats":${statsJson}`
  const warnings = countOf(value) > limit ? [...result.warnings, TRUNCATED] : result.warnings
  return { json: `{"resultType":"${type}","result":${renderValue(value, limit)}${stats}}`, warnings }
}

function countOf(value: QueryValue): number {
  switch (value.type) {
    case 'vector':
      return value.samples.length
    case 'matrix':
      return value.series.length
    case 'scalar':
    case 'string':
      return 0 // A limit does not touch them.
  }
}

function renderValue(value: QueryValue, limit: number): string {
  switch (value.type) {
    case 'scalar':
      return renderPoint(value.timeMs, value.value)
    case 'string':
      return `[${value.timeMs / 1000},${JSON.stringify(value.value)}]`
    case 'vector': {
      const samples = value.samples
        .slice(0, limit)
        .map(({ labels, timeMs, value: v }) => `{"metric":${renderLabels(labels)},"value":${renderPoint(timeMs, v)}}`)
      return `[${samples.join(',')}]`
    }
    case 'matrix': {
      const series = value.series
        .slice(0, limit)
        .map(
          ({ labels, timesMs, values }) =>
            `{"metric":${renderLabels(labels)},"values":${renderPoints(timesMs, values)}}`,
        )
      return `[${series.join(',')}]`
    }
  }
}

/** `[1787220000.5,"1"]`. The division gives at most three decimals: times are whole milliseconds below 2^53. */
function renderPoint(timeMs: number, value: number): string {
  return `[${timeMs / 1000},"${formatValue(value)}"]`
}

function renderPoints(timesMs: Float64Array, values: Float64Array): string {
  let json = '['
  for (let i = 0; i < timesMs.length; i++) json += `${i === 0 ? '' : ','}${renderPoint(timesMs[i]!, values[i]!)}`
  return `${json}]`
}

export function renderLabels(labels: Labels): string {
  return JSON.stringify(labels.toObject())
}
