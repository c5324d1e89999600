/**
 * Raw samples by remote read (prometheus/prompb remote.proto, version 0.1.0, response type SAMPLES): a snappy block with
 * protobuf. Prometheus and Mimir answer it with stale markers and native histograms.
 */
import { FleetError } from '../base/errors.ts'
import { grown } from '../base/grown.ts'
import type { Histogram } from '../model/histogram.ts'
import { Labels } from '../model/labels.ts'
import type { MatchOp } from '../model/matcher.ts'
import { bitsOf, setStaleAt } from '../model/sample.ts'
import type { SeriesColumns } from '../model/series.ts'
import { DecodeError } from '../wire/decode-error.ts'
import { readHistogram } from '../wire/histogram-field.ts'
import { FIXED64, LENGTH_DELIMITED, ProtobufReader, ProtobufWriter, tagOf, VARINT } from '../wire/protobuf.ts'
import { encodeSnappy, SnappyDecoder } from '../wire/snappy.ts'
import type { RemoteClient } from './client.ts'
import { columnsOfSeries, tooManySeries, type FetchRequest } from './fetched-series.ts'
import { JsonStreamError } from './json-stream.ts'
import { READ_HEADERS } from './probe.ts'

/** LabelMatcher.Type. */
const MATCH_TYPES: Readonly<Record<MatchOp, number>> = { '=': 0, '!=': 1, '=~': 2, '!~': 3 }
const BUCKETS_MAX = 10_000

/** @param bytesMax of the answer, before and after decompression */
export async function fetchRead(
  client: RemoteClient,
  request: FetchRequest,
  bytesMax: number,
): Promise<readonly SeriesColumns[]> {
  const { seriesMax, samplesMax, lane, timeoutMs, signal } = request
  return client.stream(
    {
      method: 'POST',
      path: '/api/v1/read',
      ...READ_HEADERS,
      body: encodeSnappy(readRequest(request)),
      lane,
      timeoutMs,
      signal,
    },
    async (body) => {
      const chunks: Uint8Array[] = []
      for await (const chunk of body) chunks.push(chunk)
      try {
        const answer = new SnappyDecoder(bytesMax).decode(Buffer.concat(chunks))
        return new ReadAnswer(answer, seriesMax, samplesMax).series()
      } catch (thrown) {
        if (!(thrown instanceof DecodeError)) throw thrown
        throw new JsonStreamError(thrown.message)
      }
    },
  )
}

/** A ReadRequest with one query. */
export function readRequest({
  matchers,
  fromMs,
  toMs,
}: Pick<FetchRequest, 'matchers' | 'fromMs' | 'toMs'>): Uint8Array {
  const writer = new ProtobufWriter()
  const query = writer.open(1)
  writer.tag(1, VARINT)
  writer.int64(fromMs)
  writer.tag(2, VARINT)
  writer.int64(toMs)
  for (const { name, op, value } of matchers) {
    const matcher = writer.open(3)
    writer.tag(1, VARINT)
    writer.varint(MATCH_TYPES[op])
    writer.text(2, name)
    writer.text(3, value)
    writer.close(matcher)
  }
  writer.close(query)
  return writer.finish()
}

const [RESULT, SERIES] = [tagOf(1, LENGTH_DELIMITED), tagOf(1, LENGTH_DELIMITED)]
const [LABEL, SAMPLE, HISTOGRAM] = [tagOf(1, LENGTH_DELIMITED), tagOf(2, LENGTH_DELIMITED), tagOf(4, LENGTH_DELIMITED)]
const [LABEL_NAME, LABEL_VALUE] = [tagOf(1, LENGTH_DELIMITED), tagOf(2, LENGTH_DELIMITED)]
const [SAMPLE_VALUE, SAMPLE_TIME] = [tagOf(1, FIXED64), tagOf(2, VARINT)]
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Reads a ReadResponse. */
export class ReadAnswer {
  readonly #reader: ProtobufReader
  readonly #seriesMax: number
  readonly #samplesMax: number
  #samples = 0
  readonly #texts = new Map<string, string>()
  #timesMs = new Float64Array(256)
  #values = new Float64Array(256)
  #words = new Int32Array(this.#values.buffer)

  constructor(bytes: Uint8Array, seriesMax: number, samplesMax: number) {
    this.#reader = new ProtobufReader(bytes)
    this.#seriesMax = seriesMax
    this.#samplesMax = samplesMax
  }

  /** Throws DecodeError, or FleetError `query_limit`. */
  series(): readonly SeriesColumns[] {
    const found: SeriesColumns[] = []
    this.#each(this.#reader.bytes.length, RESULT, (resultEnd) => {
      this.#each(resultEnd, SERIES, (seriesEnd) => {
        if (found.length === this.#seriesMax) throw tooManySeries(this.#seriesMax)
        found.push(this.#oneSeries(seriesEnd))
      })
    })
    return found
  }

  /** Messages of one field; others are skipped. */
  #each(end: number, wanted: number, read: (end: number) => void): void {
    const reader = this.#reader
    while (reader.position < end) {
      const tag = reader.tag(end)
      if (tag === wanted) read(reader.lengthDelimitedEnd(end))
      else reader.skip(tag, end)
    }
  }

  #oneSeries(end: number): SeriesColumns {
    const reader = this.#reader
    const pairs: [string, string][] = []
    const histogramTimesMs: number[] = []
    const histograms: Histogram[] = []
    let count = 0
    while (reader.position < end) {
      const tag = reader.tag(end)
      if (tag === SAMPLE) this.#sample(reader.lengthDelimitedEnd(end), count++)
      else if (tag === LABEL) pairs.push(this.#label(reader.lengthDelimitedEnd(end)))
      else if (tag === HISTOGRAM) {
        const read = readHistogram(reader, reader.lengthDelimitedEnd(end), BUCKETS_MAX)
        if (read.kind === 'fault') throw new DecodeError('remote read', read.fault.text, 'a histogram', reader.position)
        this.#count()
        if (read.kind === 'stale') this.#stale(read.timeMs, count++)
        else {
          histogramTimesMs.push(read.timeMs)
          histograms.push(read.histogram)
        }
      } else reader.skip(tag, end)
    }
    const floats = { timesMs: this.#timesMs.slice(0, count), values: this.#values.slice(0, count) }
    return columnsOfSeries(Labels.fromPairs(pairs), floats, histogramTimesMs, histograms)
  }

  #label(end: number): [string, string] {
    const reader = this.#reader
    let [name, value] = ['', '']
    while (reader.position < end) {
      const tag = reader.tag(end)
      if (tag === LABEL_NAME) name = this.#text(reader.lengthDelimitedEnd(end))
      else if (tag === LABEL_VALUE) value = this.#text(reader.lengthDelimitedEnd(end))
      else reader.skip(tag, end)
    }
    return [name, value]
  }

  /** One object for equal texts. */
  #text(end: number): string {
    const { bytes, position } = this.#reader
    const text = UTF8.decode(bytes.subarray(position, end))
    this.#reader.position = end
    const known = this.#texts.get(text)
    if (known === undefined) this.#texts.set(text, text)
    return known ?? text
  }

  /** HOT. Values are moved as words, which preserves the bits of a stale marker. */
  #sample(end: number, row: number): void {
    this.#reserve(row)
    this.#count()
    const reader = this.#reader
    let [low, high, timeMs] = [0, 0, 0]
    while (reader.position < end) {
      const tag = reader.tag(end)
      if (tag === SAMPLE_VALUE) {
        low = reader.view.getInt32(reader.position, true)
        high = reader.view.getInt32(reader.position + 4, true)
        reader.skip(tag, end)
      } else if (tag === SAMPLE_TIME) timeMs = reader.int64(end)
      else reader.skip(tag, end)
    }
    this.#timesMs[row] = timeMs
    this.#words[row * 2] = low
    this.#words[row * 2 + 1] = high
  }

  #stale(timeMs: number, row: number): void {
    this.#reserve(row)
    this.#timesMs[row] = timeMs
    setStaleAt(bitsOf(this.#values), row)
  }

  #reserve(row: number): void {
    if (row < this.#timesMs.length) return
    this.#timesMs = grown(this.#timesMs, row * 2)
    this.#values = grown(this.#values, row * 2)
    this.#words = new Int32Array(this.#values.buffer)
  }

  #count(): void {
    if (++this.#samples <= this.#samplesMax) return
    throw new FleetError('query_limit', `the query reads more than ${this.#samplesMax} samples of the metrics store`, {
      hint: 'select fewer series or a shorter range',
    })
  }
}
