import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { METRIC_NAME } from '../../model/labels.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { NewestSample } from '../../promql/newest.ts'
import { escapeName, negotiateEscaping, sampleLine, textFormatType, typeLine, type Escaping } from './exposition.ts'
import { paramsOf } from './params.ts'
import type { QueryParser, Selectors } from './query-parser.ts'
import { sendInPieces } from '../server/pieces.ts'

/**
 * `/federate`: the newest sample of each series that `match[]` selects, for another Prometheus to scrape. As in
 * Prometheus, it omits series that ended, native histograms, which the text format cannot express, and series without a
 * name; a series without an `instance` gets an empty one, so that the scraper does not add its own.
 */
export function registerFederate(app: FastifyInstance, options: FederateOptions): void {
  app.get('/federate', { config: { access: 'viewer', dialect: 'text' } }, async (request, reply) => {
    const selectors = await options.parser.selectors(paramsOf(request).all('match[]'))
    const nowMs = options.clock.nowMs()
    const samples = await options.newest(selectors, { fromMs: nowMs - options.lookbackMs, toMs: nowMs })
    const escaping = negotiateEscaping(request.headers.accept)
    return sendInPieces(reply, textFormatType(escaping), samples.length, () => exposition(samples, escaping))
  })
}

interface FederateOptions {
  readonly clock: Clock
  /** The maximum age of a sample. */
  readonly lookbackMs: number
  readonly newest: ReadNewest
  readonly parser: QueryParser
}

/** The newest sample of each series; see `newestSamples`. */
export type ReadNewest = (selectors: Selectors, range: TimeRange) => Promise<readonly NewestSample[]>

function* exposition(samples: readonly NewestSample[], escaping: Escaping): Generator<string> {
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
