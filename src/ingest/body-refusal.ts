import type { Refusal } from '../model/refusal.ts'
import { LimitError, type DecodeError, type DecodeLimit } from '../wire/decode-error.ts'

/** The options that set the limits of the decoders. */
const OPTION_OF: Readonly<Record<DecodeLimit, string>> = {
  decodedBytes: 'ingest.decompressed-bytes-max',
  samples: 'ingest.request-samples-max',
  series: 'ingest.request-series-max',
  attributes: 'otlp.request-attributes-max',
  spans: 'ingest.request-spans-max',
  logRecords: 'ingest.request-log-records-max',
}

/** One refusal for a body that cannot be decoded: its number of samples is unknown. */
export function refusalOfBody(error: DecodeError): Refusal {
  if (!(error instanceof LimitError)) return { reason: 'bad_encoding', count: 1, example: error.message }
  const example = `${error.message}, the value of ${OPTION_OF[error.limit]}`
  return { reason: 'request_too_large', count: 1, example }
}
