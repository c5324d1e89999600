import {
  SPAN_KINDS,
  SPAN_STATUSES,
  type Span,
  type SpanEvent,
  type SpanLink,
  type SpanResource,
  type SpanScope,
} from '../../model/span.ts'
import { ByteReader, ByteWriter, deflate, inflate, MalformedBytesError } from '../bytes.ts'
import { listOf, readAttributes, TextReader, TextTable, writeAttributes } from '../attribute-codec.ts'

/**
 * Spans of one trace as bytes, deflated: each text once, each resource and scope once, times as distances from the
 * earliest. Drawn in README.md. The round trip preserves every value.
 */

const VERSION = 1
/** Bits of the byte that lists the optional fields of a span. */
const HAS_PARENT = 1
const HAS_DROPPED = 2
const ID_BYTES = 8
/** A distance in time beyond the safe integers is stored in full. */
const WHOLE = 0

export function encodeSpans(spans: readonly Span[]): Uint8Array {
  return deflate(spanBytes(spans), { level: 6 })
}

/** The same before it is deflated: equal spans are equal bytes. */
export function spanBytes(spans: readonly Span[]): Uint8Array {
  const texts = new TextTable()
  const resources = new Distinct<SpanResource>((writer, one) => {
    writeResource(writer, one, texts)
  })
  const scopes = new Distinct<SpanScope>((writer, one) => {
    writeScope(writer, one, texts)
  })
  const baseNs = spans.reduce((least, { startNs }) => (startNs < least ? startNs : least), spans[0]?.startNs ?? 0n)
  const body = new ByteWriter()
  for (const span of spans) writeSpan(body, span, baseNs, { texts, resources, scopes })
  const whole = new ByteWriter(body.length + 1024)
  whole.reserve(32)
  whole.byte(VERSION)
  texts.write(whole)
  whole.reserve(16)
  writeBig(whole, baseNs)
  for (const { count, bytes } of [resources, scopes]) {
    whole.reserve(8 + bytes.length)
    whole.unsigned(count)
    append(whole, bytes.bytes.subarray(0, bytes.length))
  }
  whole.reserve(8 + body.length)
  whole.unsigned(spans.length)
  append(whole, body.bytes.subarray(0, body.length))
  return whole.take()
}

/** @throws MalformedBytesError */
export function decodeSpans(traceId: string, payload: Uint8Array): Span[] {
  return [...eachSpan(traceId, payload)]
}

/** The same, one by one. */
export function* eachSpan(traceId: string, payload: Uint8Array): Generator<Span> {
  const reader = new ByteReader(inflate(payload))
  const version = reader.byte()
  if (version !== VERSION) throw new MalformedBytesError(`got spans of version ${version}, want ${VERSION}`)
  const texts = TextReader.read(reader)
  const baseNs = readBig(reader)
  const resources = listOf(reader, () => readResource(reader, texts))
  const scopes = listOf(reader, () => readScope(reader, texts))
  const count = reader.unsigned()
  for (let i = 0; i < count; i++) yield readSpan(reader, traceId, baseNs, { texts, resources, scopes })
  if (!reader.isAtEnd) throw new MalformedBytesError(`spans end at byte ${reader.at}, and bytes follow`)
}

/** Items that many spans share, each stored once and referenced by its index. */
class Distinct<T> {
  readonly bytes = new ByteWriter()
  count = 0
  readonly #byObject = new Map<T, number>()
  readonly #byBytes = new Map<string, number>()
  readonly #write: (writer: ByteWriter, one: T) => void

  constructor(write: (writer: ByteWriter, one: T) => void) {
    this.#write = write
  }

  placeOf(one: T): number {
    const known = this.#byObject.get(one)
    if (known !== undefined) return known
    const from = this.bytes.length
    this.#write(this.bytes, one)
    const key = Buffer.from(this.bytes.bytes.subarray(from, this.bytes.length)).toString('latin1')
    let place = this.#byBytes.get(key)
    if (place === undefined) {
      place = this.count++
      this.#byBytes.set(key, place)
    } else this.bytes.length = from
    this.#byObject.set(one, place)
    return place
  }
}

interface Tables<R, S, T> {
  readonly texts: T
  readonly resources: R
  readonly scopes: S
}

function writeResource(writer: ByteWriter, resource: SpanResource, texts: TextTable): void {
  writeSource(writer, resource.service, resource.cluster, resource, texts)
}

function readResource(reader: ByteReader, texts: TextReader): SpanResource {
  const [service, cluster, rest] = readSource(reader, texts)
  return { service, cluster, ...rest }
}

function writeScope(writer: ByteWriter, scope: SpanScope, texts: TextTable): void {
  writeSource(writer, scope.name, scope.version, scope, texts)
}

function readScope(reader: ByteReader, texts: TextReader): SpanScope {
  const [name, version, rest] = readSource(reader, texts)
  return { name, version, ...rest }
}

/** The fields of resources and scopes other than their two names. */
type SourceRest = Pick<SpanScope, 'attributes' | 'droppedAttributes' | 'schemaUrl'>

function writeSource(writer: ByteWriter, first: string, second: string, rest: SourceRest, texts: TextTable): void {
  writer.reserve(32)
  writer.unsigned(texts.placeOf(first))
  writer.unsigned(texts.placeOf(second))
  writer.unsigned(rest.droppedAttributes ?? 0)
  writer.unsigned(texts.placeOf(rest.schemaUrl ?? ''))
  writeAttributes(writer, rest.attributes, texts)
}

function readSource(reader: ByteReader, texts: TextReader): [string, string, SourceRest] {
  const [first, second] = [texts.at(reader.unsigned()), texts.at(reader.unsigned())]
  const rest = leftOut(reader, texts)
  return [first, second, { attributes: readAttributes(reader, texts), ...rest }]
}

function leftOut(reader: ByteReader, texts: TextReader): Pick<SpanScope, 'droppedAttributes' | 'schemaUrl'> {
  const droppedAttributes = reader.unsigned()
  const schemaUrl = texts.at(reader.unsigned())
  return { ...(droppedAttributes > 0 && { droppedAttributes }), ...(schemaUrl !== '' && { schemaUrl }) }
}

function writeSpan(
  writer: ByteWriter,
  span: Span,
  baseNs: bigint,
  { texts, resources, scopes }: Tables<Distinct<SpanResource>, Distinct<SpanScope>, TextTable>,
): void {
  const { parentSpanId, dropped, status } = span
  writer.reserve(160)
  writer.byte((parentSpanId === undefined ? 0 : HAS_PARENT) | (dropped === undefined ? 0 : HAS_DROPPED))
  append(writer, Buffer.from(span.spanId, 'hex'))
  if (parentSpanId !== undefined) append(writer, Buffer.from(parentSpanId, 'hex'))
  writer.unsigned(resources.placeOf(span.resource))
  writer.unsigned(scopes.placeOf(span.scope))
  writer.unsigned(texts.placeOf(span.name))
  writer.unsigned(texts.placeOf(span.traceState))
  writer.byte(SPAN_KINDS.indexOf(span.kind))
  writer.byte(SPAN_STATUSES.indexOf(status.code))
  writer.unsigned(texts.placeOf(status.message))
  writer.unsigned(span.flags)
  writeTime(writer, span.startNs, baseNs)
  writeTime(writer, span.endNs, span.startNs)
  if (dropped !== undefined) {
    for (const count of [dropped.attributes, dropped.events, dropped.links]) writer.unsigned(count)
  }
  writeAttributes(writer, span.attributes, texts)
  writer.reserve(16)
  writer.unsigned(span.events.length)
  for (const event of span.events) writeEvent(writer, event, span.startNs, texts)
  writer.reserve(16)
  writer.unsigned(span.links.length)
  for (const link of span.links) writeLink(writer, link, texts)
}

function readSpan(
  reader: ByteReader,
  traceId: string,
  baseNs: bigint,
  { texts, resources, scopes }: Tables<readonly SpanResource[], readonly SpanScope[], TextReader>,
): Span {
  const has = reader.byte()
  const spanId = hexOf(reader.take(ID_BYTES))
  const parentSpanId = (has & HAS_PARENT) === 0 ? undefined : hexOf(reader.take(ID_BYTES))
  const resource = itemAt(resources, reader.unsigned())
  const scope = itemAt(scopes, reader.unsigned())
  const name = texts.at(reader.unsigned())
  const traceState = texts.at(reader.unsigned())
  const kind = itemAt(SPAN_KINDS, reader.byte())
  const code = itemAt(SPAN_STATUSES, reader.byte())
  const message = texts.at(reader.unsigned())
  const flags = reader.unsigned()
  const startNs = readTime(reader, baseNs)
  const endNs = readTime(reader, startNs)
  const dropped =
    (has & HAS_DROPPED) === 0
      ? undefined
      : { attributes: reader.unsigned(), events: reader.unsigned(), links: reader.unsigned() }
  const attributes = readAttributes(reader, texts)
  const events = listOf(reader, () => readEvent(reader, startNs, texts))
  const links = listOf(reader, () => readLink(reader, texts))
  return {
    ...{ traceId, spanId, ...(parentSpanId !== undefined && { parentSpanId }), traceState, name, kind },
    ...{ startNs, endNs, attributes, events, links, status: { code, message }, flags, resource, scope },
    ...(dropped !== undefined && { dropped }),
  }
}

function writeEvent(writer: ByteWriter, event: SpanEvent, startNs: bigint, texts: TextTable): void {
  writer.reserve(48)
  writeTime(writer, event.timeNs, startNs)
  writer.unsigned(texts.placeOf(event.name))
  writer.unsigned(event.droppedAttributes ?? 0)
  writeAttributes(writer, event.attributes, texts)
}

function readEvent(reader: ByteReader, startNs: bigint, texts: TextReader): SpanEvent {
  const timeNs = readTime(reader, startNs)
  const name = texts.at(reader.unsigned())
  const droppedAttributes = reader.unsigned()
  const attributes = readAttributes(reader, texts)
  return { timeNs, name, attributes, ...(droppedAttributes > 0 && { droppedAttributes }) }
}

function writeLink(writer: ByteWriter, link: SpanLink, texts: TextTable): void {
  writer.reserve(64)
  writer.unsigned(texts.placeOf(link.traceId))
  writer.unsigned(texts.placeOf(link.spanId))
  writer.unsigned(texts.placeOf(link.traceState))
  writer.unsigned(link.flags ?? 0)
  writer.unsigned(link.droppedAttributes ?? 0)
  writeAttributes(writer, link.attributes, texts)
}

function readLink(reader: ByteReader, texts: TextReader): SpanLink {
  const traceId = texts.at(reader.unsigned())
  const spanId = texts.at(reader.unsigned())
  const traceState = texts.at(reader.unsigned())
  const flags = reader.unsigned()
  const droppedAttributes = reader.unsigned()
  const attributes = readAttributes(reader, texts)
  return {
    ...{ traceId, spanId, traceState, attributes },
    ...(flags > 0 && { flags }),
    ...(droppedAttributes > 0 && { droppedAttributes }),
  }
}

/** Stores the distance plus one, or a marker and the full time; up to 9 bytes. */
function writeTime(writer: ByteWriter, timeNs: bigint, fromNs: bigint): void {
  const distance = Number(timeNs - fromNs)
  if (Number.isSafeInteger(distance) && distance >= 0 && Number.isSafeInteger(distance + 1)) {
    writer.unsigned(distance + 1)
    return
  }
  writer.unsigned(WHOLE)
  writeBig(writer, timeNs)
}

function readTime(reader: ByteReader, fromNs: bigint): bigint {
  const code = reader.unsigned()
  return code === WHOLE ? readBig(reader) : fromNs + BigInt(code - 1)
}

function writeBig(writer: ByteWriter, value: bigint): void {
  writer.words(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)))
}

/** Eight bytes, unsigned: times are. */
function readBig(reader: ByteReader): bigint {
  const low = BigInt(reader.word() >>> 0)
  return (BigInt(reader.word() >>> 0) << 32n) | low
}

function append(writer: ByteWriter, bytes: Uint8Array): void {
  writer.reserve(bytes.length)
  writer.bytes.set(bytes, writer.length)
  writer.length += bytes.length
  writer.reserve(64)
}

function itemAt<T>(items: readonly T[], place: number): T {
  const item = items[place]
  if (item === undefined) throw new MalformedBytesError(`place ${place} of ${items.length} is none`)
  return item
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
