import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { METRIC_NAME } from '../../model/labels.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { LocalEngine } from '../../promql/engine.ts'
import type { NewestSample } from '../../promql/newest.ts'
import type { Selectors } from '../../promql/query-engine.ts'
import { escapeName, negotiateEscaping, sampleLine, textFormatType, typeLine, type Escaping } from './exposition.ts'
import { paramsOf } from './params.ts'
import type { QueryParser } from './query-parser.ts'
import { answerBytes, type AnswerBytes } from '../server/answer-bytes.ts'
import { sendBytes } from '../server/pieces.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/**
 * `/federate`: the newest sample of each series that `match[]` selects, for another Prometheus to scrape. As in
 * Prometheus, it omits series that ended, native histograms, which the text format cannot express, and series without a
 * name; a series without an `instance` gets an empty one, so that the scraper does not add its own.
 */
export function registerFederate(app: FastifyInstance, options: FederateOptions): void {
  app.get(
    '/federate',
    { config: { access: 'viewer', dialect: 'text', scope: 'clusters', lane: 'query' } },
    async (request, reply) => {
      const selectors = await options.parser.selectors(paramsOf(request).all('match[]'))
      const nowMs = options.clock.nowMs()
      const range = { fromMs: nowMs - options.lookbackMs, toMs: nowMs }
      const escaping = negotiateEscaping(request.headers.accept)
      const text = await options.ports(request).federate(selectors, range, escaping, request.left)
      return sendBytes(reply, textFormatType(escaping), text)
    },
  )
}

interface FederateOptions {
  readonly clock: Clock
  /** The maximum age of a sample. */
  readonly lookbackMs: number
  readonly ports: PortsOf<{ readonly federate: Federate }>
  readonly parser: QueryParser
}

/** The newest sample of each series as text, see `newestSamples`; `query_limit` when that is too long. */
export type Federate = (
  selectors: Selectors,
  range: TimeRange,
  escaping: Escaping,
  signal?: AbortSignal,
) => Promise<AnswerBytes>

/** @param bytesMax of one answer */
export function federateOver(engine: Pick<LocalEngine, 'newest'>, bytesMax: number): Federate {
  return async (selectors, range, escaping, signal) =>
    answerBytes(exposition(await engine.newest(selectors, range, signal), escaping), bytesMax, signal)
}

function* exposition(samples: Iterable<NewestSample>, escaping: Escaping): Generator<string> {
  let family = ''
  for (const { labels, timeMs, value } of samples) {
    const { metricName } = labels
    if (metricName === '') continue
    const escaped = escapeName(metricName, escaping)
    if (metricName !== family) yield typeLine(escaped)
    family = metricName
    const pairs: (readonly [string, string])[] = []
    for (const [name, text] of labels.pairs()) {
      if (name !== METRIC_NAME) pairs.push([escapeName(name, escaping), text])
    }
    if (!labels.has('instance')) pairs.push(['instance', ''])
    yield sampleLine(escaped, pairs, value, timeMs)
  }
}
