import { grown } from '../base/grown.ts'
import type { Steps } from '../base/thread-slices.ts'
import { DecodeError, LimitError } from './decode-error.ts'
import { readExemplarV2 } from './exemplar-field.ts'
import { familyOf, MetadataMemo, readMetadataV2, textOf, typeOf, type MetadataRefs } from './metadata-field.ts'
import { LENGTH_DELIMITED, ProtobufReader, VARINT, tagOf } from './protobuf.ts'
import { recordHistogram, STEP_BYTES, tooMany, type WriteRequestLimits } from './remote-write.ts'
import { readSample } from './sample-field.ts'
import { SymbolTable } from './symbol-table.ts'
import { WriteBatch } from './write-batch.ts'

/**
 * Remote write 2.0 (io.prometheus.write.v2, release candidate 4), the receiving side: decodes a Request to the same
 * columns as 1.0. Label sets are references into a table of symbols that each request numbers differently, so they are
 * expanded to the label fields of 1.0: the bytes that identify a series do not depend on the request, and a sender that
 * switches protocols keeps its series. The price is a copy of the labels, byte by byte: some three times the CPU of 1.0
 * up to the appender (bench/decode.ts measures both).
 *
 * Symbols may follow the series that use them: the first pass collects them, the second reads the series. Start times
 * are skipped.
 */

const FORMAT = 'remote write 2.0'

const REQUEST_SYMBOL = tagOf(4, LENGTH_DELIMITED)
const REQUEST_SERIES = tagOf(5, LENGTH_DELIMITED)
const REQUEST_FIELDS = 0b110000
/** The numbers of series and metadata in 1.0; 2.0 reserves both, so that a wrong content type is detected. */
const REQUEST_1_SERIES = tagOf(1, LENGTH_DELIMITED)
const REQUEST_1_METADATA = tagOf(3, LENGTH_DELIMITED)

const SERIES_REFS = tagOf(1, LENGTH_DELIMITED)
const SERIES_REF = tagOf(1, VARINT)
const SERIES_SAMPLE = tagOf(2, LENGTH_DELIMITED)
const SERIES_HISTOGRAM = tagOf(3, LENGTH_DELIMITED)
const SERIES_EXEMPLAR = tagOf(4, LENGTH_DELIMITED)
const SERIES_METADATA = tagOf(5, LENGTH_DELIMITED)
const SERIES_FIELDS = 0b111110

interface WriteRequestV2Limits extends WriteRequestLimits {
  /**
   * Inclusive. For all expanded label sets of a request: a symbol is sent once and may be used by every series, so
   * without this limit a small body could require any amount of memory.
   */
  readonly labelBytesMax: number
}

/** Decodes one request after the other into one batch. */
export class WriteRequestV2Decoder {
  readonly #limits: WriteRequestV2Limits
  readonly #reader = new ProtobufReader(new Uint8Array(0))
  readonly #batch = new WriteBatch()
  readonly #symbols = new SymbolTable()
  /** The references of the series that is being read. */
  #refs = new Uint32Array(64)
  #refCount = 0
  readonly #memo = new MetadataMemo()
  /** Of the series that is being read. */
  readonly #metadata: MetadataRefs = { type: 0, help: 0, unit: 0 }
  /** By the symbol of its name, a metric's last metadata in this request: all series of a metric repeat it. */
  readonly #declared = new Map<number, MetadataRefs>()
  readonly #symbolText = (ref: number, bytesMax: number): string | undefined => {
    if (ref >= this.#symbols.count) throw this.#badRef(ref)
    return this.#symbols.textOf(ref, bytesMax)
  }

  constructor(limits: WriteRequestV2Limits) {
    this.#limits = limits
  }

  /**
   * Decodes a request to columns, owned by this decoder and valid until the next call or write to `bytes`.
   * @param view begins where `bytes` does and may be longer
   * @throws DecodeError when it is not a Request or exceeds the limits
   */
  decode(bytes: Uint8Array, view: DataView): WriteBatch {
    this.#begin(bytes, view)
    this.#read(bytes.length, bytes.length)
    return this.#batch
  }

  /** `decode` in steps. Another request must not be decoded meanwhile. */
  *decodeInSteps(bytes: Uint8Array, view: DataView): Steps<WriteBatch> {
    this.#begin(bytes, view)
    while (this.#reader.position < bytes.length) {
      yield false
      this.#read(bytes.length, this.#reader.position + STEP_BYTES)
    }
    return this.#batch
  }

  #begin(bytes: Uint8Array, view: DataView): void {
    this.#declared.clear()
    this.#reader.reset(bytes, view)
    this.#batch.reset(view)
    this.#collectSymbols(bytes.length)
    this.#reader.position = 0
  }

  /** Reads up to `pauseAt` or a little more. */
  #read(end: number, pauseAt: number): void {
    const reader = this.#reader
    const until = Math.min(end, pauseAt)
    while (reader.position < until) {
      const tag = reader.tag(end)
      if (tag === REQUEST_SERIES) this.#series(reader.lengthDelimitedEnd(end))
      else reader.skip(tag, end)
    }
  }

  /** Metadata that was read before is read again. */
  forgetMetadata(): void {
    this.#memo.forget()
  }

  #collectSymbols(end: number): void {
    const reader = this.#reader
    const symbols = this.#symbols
    symbols.reset(reader.bytes)
    while (reader.position < end) {
      const at = reader.position
      const tag = reader.tag(end)
      if (tag === REQUEST_SYMBOL) {
        const symbolEnd = reader.lengthDelimitedEnd(end)
        symbols.add(reader.position, symbolEnd)
        reader.position = symbolEnd
      } else if (tag === REQUEST_SERIES) reader.position = reader.lengthDelimitedEnd(end)
      else if (tag === REQUEST_1_SERIES || tag === REQUEST_1_METADATA) {
        throw new DecodeError(FORMAT, 'a request of remote write 1.0', 'one of 2.0', at)
      } else reader.skipUnknown(tag, end, REQUEST_FIELDS)
    }
    if (symbols.count === 0) throw new DecodeError(FORMAT, 'no symbols', 'a table that starts with an empty one', 0)
    if (symbols.lengthOf(0) !== 0) {
      throw new DecodeError(FORMAT, `a first symbol of ${symbols.lengthOf(0)} bytes`, 'an empty one', 0)
    }
  }

  /** HOT: once per series and request. */
  #series(end: number): void {
    const reader = this.#reader
    const batch = this.#batch
    const start = reader.position
    const series = batch.seriesCount
    if (series === this.#limits.seriesMax) throw tooMany('series', series)
    this.#refCount = 0
    let histograms = 0
    let hasMetadata = false
    while (reader.position < end) {
      const tag = reader.tag(end)
      if (tag === SERIES_REFS) this.#packedRefs(reader.lengthDelimitedEnd(end))
      else if (tag === SERIES_SAMPLE) this.#sample(reader.lengthDelimitedEnd(end))
      else if (tag === SERIES_METADATA) {
        const fieldEnd = reader.lengthDelimitedEnd(end)
        // Stock senders put an empty one into each series when they have none.
        hasMetadata = fieldEnd > reader.position
        readMetadataV2(reader, fieldEnd, this.#metadata)
      } else if (tag === SERIES_HISTOGRAM) {
        recordHistogram(reader, reader.lengthDelimitedEnd(end), batch, this.#limits.samplesMax)
        histograms++
      } else if (tag === SERIES_EXEMPLAR) this.#exemplar(reader.lengthDelimitedEnd(end))
      else if (tag === SERIES_REF) this.#ref(reader.varint32(end))
      else reader.skipUnknown(tag, end, SERIES_FIELDS)
    }
    if (series === batch.sampleEnd.length) batch.growSeries()
    this.#writeLabels(series, start)
    batch.histograms[series] = histograms
    if (hasMetadata) this.#recordMetadata()
    batch.sampleEnd[series] = batch.sampleCount
    batch.seriesCount = series + 1
  }

  /** HOT. */
  #packedRefs(end: number): void {
    const reader = this.#reader
    while (reader.position < end) this.#ref(reader.varint32(end))
  }

  /** HOT: once per name and once per value. */
  #ref(ref: number): void {
    const count = this.#refCount
    if (ref >= this.#symbols.count) throw this.#badRef(ref)
    if (count === this.#refs.length) this.#refs = grown(this.#refs, count * 2)
    this.#refs[count] = ref
    this.#refCount = count + 1
  }

  #badRef(ref: number, what = 'label'): DecodeError {
    const want = `one below ${this.#symbols.count}, the number of symbols`
    return new DecodeError(FORMAT, `${what} reference ${ref}`, want, this.#reader.position)
  }

  #exemplar(end: number): void {
    const batch = this.#batch
    if (batch.exemplarCount++ === this.#limits.samplesMax) throw tooMany('exemplars', this.#limits.samplesMax)
    const exemplar = readExemplarV2(this.#reader, end, this.#symbolText)
    if (exemplar !== undefined) batch.exemplars.push({ series: batch.seriesCount, exemplar })
  }

  /** HOT: stock senders send the metadata of each series in each request. */
  #recordMetadata(): void {
    const { type, help, unit } = this.#metadata
    const symbols = this.#symbols
    if (help >= symbols.count) throw this.#badRef(help, 'help')
    if (unit >= symbols.count) throw this.#badRef(unit, 'unit')
    this.#batch.metadataCount++
    let name = -1
    for (let i = 0; i < this.#refCount && name < 0; i += 2) {
      if (this.#refs[i] === symbols.metricName) name = this.#refs[i + 1]!
    }
    if (name < 0) return
    const declared = this.#declared.get(name)
    if (declared?.type === type && declared.help === help && declared.unit === unit) return
    this.#declared.set(name, { type, help, unit })
    const { bytes } = this.#reader
    const ranges = [name, help, unit].flatMap((ref) => [symbols.startOf(ref), symbols.endOf(ref)])
    if (!this.#memo.isNew(bytes, ranges, type + 2)) return
    const [nameStart, nameEnd, helpStart, helpEnd, unitStart, unitEnd] = ranges as [
      ...[number, number, number, number, number, number],
    ]
    this.#batch.metadata.push({
      family: familyOf(textOf(bytes, nameStart, nameEnd), typeOf(type)),
      metadata: {
        type: typeOf(type),
        help: textOf(bytes, helpStart, helpEnd),
        unit: textOf(bytes, unitStart, unitEnd),
      },
    })
  }

  #sample(end: number): void {
    const batch = this.#batch
    const sample = batch.sampleCount
    if (sample === this.#limits.samplesMax) throw tooMany('samples', sample)
    if (sample === batch.timesMs.length) batch.growSamples()
    readSample(this.#reader, end, batch)
  }

  /** HOT. Writes the references as label fields of 1.0 into the batch's spill. */
  #writeLabels(series: number, start: number): void {
    const batch = this.#batch
    const symbols = this.#symbols
    const refs = this.#refs
    const count = this.#refCount
    if (count % 2 === 1) {
      throw new DecodeError(FORMAT, `${count} label references in one series`, 'pairs of name and value', start)
    }
    let bytes = 0
    for (let i = 0; i < count; i += 2) bytes += symbols.labelBytes(refs[i]!, refs[i + 1]!)
    if (batch.spillBytes + bytes > this.#limits.labelBytesMax) {
      const most = this.#limits.labelBytesMax
      throw new LimitError(FORMAT, `labels of more than ${most} bytes in one request`, 'decodedBytes', most)
    }
    const spill = batch.spillRoom(bytes)
    let at = batch.spillBytes
    for (let i = 0; i < count; i += 2) at = symbols.writeLabel(refs[i]!, refs[i + 1]!, spill, at)
    batch.labelStart[series] = batch.spilled(bytes)
    batch.labelBytes[series] = bytes
  }
}
