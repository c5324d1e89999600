import type { Span } from '../../model/span.ts'
import { MalformedBytesError } from '../bytes.ts'

/**
 * The skeleton of a part of a trace, stored beside its deflated spans: for each span its id, its parent's (zeros: none)
 * and the number of its service. Sufficient for span ids and the calls between services.
 */
export const LINK_BYTES = 20
const ID_BYTES = 8
/** Of the number of the service in one link: four bytes, the lowest first. */
export const SERVICE_OFFSET = 2 * ID_BYTES

export interface SpanLinkRow {
  /** In hexadecimal. */
  readonly spanId: string
  /** In hexadecimal; zeros: none. */
  readonly parentSpanId: string
  readonly service: number
}

export function linksOf(spans: readonly Span[], serviceOf: (service: string) => number): Uint8Array {
  const bytes = Buffer.alloc(spans.length * LINK_BYTES)
  spans.forEach(({ spanId, parentSpanId, resource }, i) => {
    const at = i * LINK_BYTES
    bytes.write(spanId, at, 'hex')
    if (parentSpanId !== undefined) bytes.write(parentSpanId, at + ID_BYTES, 'hex')
    bytes.writeUInt32LE(serviceOf(resource.service), at + SERVICE_OFFSET)
  })
  return bytes
}

/** @throws MalformedBytesError */
export function* eachLink(links: Uint8Array): Generator<SpanLinkRow> {
  const bytes = viewOf(links)
  for (let at = 0; at < bytes.length; at += LINK_BYTES) {
    yield {
      spanId: bytes.toString('hex', at, at + ID_BYTES),
      parentSpanId: bytes.toString('hex', at + ID_BYTES, at + 2 * ID_BYTES),
      service: bytes.readUInt32LE(at + SERVICE_OFFSET),
    }
  }
}

/** @throws MalformedBytesError */
export function* spanIdsOf(links: Uint8Array): Generator<string> {
  const bytes = viewOf(links)
  for (let at = 0; at < bytes.length; at += LINK_BYTES) yield bytes.toString('hex', at, at + ID_BYTES)
}

function viewOf(links: Uint8Array): Buffer {
  if (links.length % LINK_BYTES !== 0) throw new MalformedBytesError(`links of ${links.length} bytes are cut`)
  return Buffer.from(links.buffer, links.byteOffset, links.byteLength)
}
