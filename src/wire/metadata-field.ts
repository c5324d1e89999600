import { METRIC_TYPES, type MetricMetadata, type MetricType } from '../model/metadata.ts'
import { LENGTH_DELIMITED, VARINT, tagOf, type ProtobufReader } from './protobuf.ts'

/**
 * Metric metadata of remote write: MetricMetadata of 1.0, in separate requests, and Metadata of 2.0, in each series.
 * Senders repeat it every minute, or with every request: known bytes are recognised and skipped, until `forget`.
 */

/** One decoded message. */
export interface DecodedMetadata {
  readonly family: string
  readonly metadata: MetricMetadata
}

/** Longer texts are cut: help texts are sentences. In bytes. */
const TEXT_BYTES_MAX = 4096
/** The most messages that are remembered. */
const KNOWN_MAX = 65_536

const V1_TYPE = tagOf(1, VARINT)
const V1_FAMILY = tagOf(2, LENGTH_DELIMITED)
const V1_HELP = tagOf(4, LENGTH_DELIMITED)
const V1_UNIT = tagOf(5, LENGTH_DELIMITED)
const V1_FIELDS = 0b110110

const V2_TYPE = tagOf(1, VARINT)
const V2_HELP = tagOf(3, VARINT)
const V2_UNIT = tagOf(4, VARINT)
const V2_FIELDS = 0b11010

// Not fatal: a text with bytes that are no UTF-8 is shown with marks in their place.
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Which messages were read lately, by a hash of their bytes. */
export class MetadataMemo {
  readonly #known = new Set<number>()

  /** Whether these ranges of `bytes` (start and end, alternating), after `seed`, are new; remembers them. */
  isNew(bytes: Uint8Array, ranges: readonly number[], seed: number): boolean {
    let a = 0x811c9dc5 ^ seed
    let b = 0x9e3779b9 ^ seed
    for (let range = 0; range < ranges.length; range += 2) {
      const end = ranges[range + 1]!
      for (let at = ranges[range]!; at < end; at++) {
        a = Math.imul(a ^ bytes[at]!, 0x01000193)
        b = Math.imul(b ^ bytes[at]!, 0x85ebca6b)
        b ^= b >>> 15
      }
      a = Math.imul(a ^ 0x100, 0x01000193)
      b = Math.imul(b ^ 0x100, 0x85ebca6b)
    }
    const hash = (a >>> 0) * 2 ** 20 + ((b >>> 0) & 0xfffff)
    if (this.#known.has(hash)) return false
    if (this.#known.size >= KNOWN_MAX) this.#known.clear()
    this.#known.add(hash)
    return true
  }

  /** All is new again. */
  forget(): void {
    this.#known.clear()
  }
}

/**
 * Reads a MetricMetadata of 1.0; `undefined` when it is known, or names no family.
 * @throws DecodeError when it is not a MetricMetadata
 */
export function readMetadata(reader: ProtobufReader, end: number, memo: MetadataMemo): DecodedMetadata | undefined {
  const start = reader.position
  let type = 0
  const family = { start: 0, end: 0 }
  const help = { start: 0, end: 0 }
  const unit = { start: 0, end: 0 }
  const range = (into: { start: number; end: number }): void => {
    into.end = reader.lengthDelimitedEnd(end)
    into.start = reader.position
    reader.position = into.end
  }
  while (reader.position < end) {
    const tag = reader.tag(end)
    if (tag === V1_TYPE) type = reader.int64(end)
    else if (tag === V1_FAMILY) range(family)
    else if (tag === V1_HELP) range(help)
    else if (tag === V1_UNIT) range(unit)
    else reader.skipUnknown(tag, end, V1_FIELDS)
  }
  const { bytes } = reader
  if (family.start === family.end || !memo.isNew(bytes, [start, end], 1)) return undefined
  return {
    family: textOf(bytes, family.start, family.end),
    metadata: {
      type: typeOf(type),
      help: textOf(bytes, help.start, help.end),
      unit: textOf(bytes, unit.start, unit.end),
    },
  }
}

/** A Metadata of 2.0: references to symbols. */
export interface MetadataRefs {
  type: number
  help: number
  unit: number
}

/** @throws DecodeError when it is not one */
export function readMetadataV2(reader: ProtobufReader, end: number, into: MetadataRefs): void {
  into.type = 0
  into.help = 0
  into.unit = 0
  while (reader.position < end) {
    const tag = reader.tag(end)
    if (tag === V2_TYPE) into.type = reader.int64(end)
    else if (tag === V2_HELP) into.help = reader.varint32(end)
    else if (tag === V2_UNIT) into.unit = reader.varint32(end)
    else reader.skipUnknown(tag, end, V2_FIELDS)
  }
}

/** By the number that both versions have for it. */
export function typeOf(number: number): MetricType {
  return METRIC_TYPES[number] ?? 'unknown'
}

/** At most `TEXT_BYTES_MAX` bytes of it. */
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return UTF8.decode(bytes.subarray(start, Math.min(end, start + TEXT_BYTES_MAX)))
}

/**
 * The family of a series: histograms and summaries have several series per family. In 2.0 metadata is sent with each
 * series under the name of the series.
 */
export function familyOf(metricName: string, type: MetricType): string {
  const suffixes = SUFFIXES[type]
  const suffix = suffixes?.find((one) => metricName.length > one.length && metricName.endsWith(one))
  return suffix === undefined ? metricName : metricName.slice(0, -suffix.length)
}

const SUFFIXES: Readonly<Partial<Record<MetricType, readonly string[]>>> = {
  histogram: ['_bucket', '_count', '_sum'],
  gaugehistogram: ['_bucket', '_gcount', '_gsum'],
  summary: ['_count', '_sum'],
}
