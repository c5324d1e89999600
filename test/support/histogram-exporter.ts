import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * An exporter of one native histogram, in the protobuf exposition (io.prometheus.client.MetricFamily, each with its length
 * before it): the text format cannot say it. Offers nothing else, whatever is asked for.
 */
export interface HistogramExporter {
  /** `host:port`. */
  readonly address: string
  /** Counts an observation in a bucket: bucket i covers (2^((i-1)/8), 2^(i/8)]. */
  observe(bucket: number, value: number): void
  close(): Promise<void>
}

/** Eight buckets to a power of two. */
const SCHEMA = 3
const CONTENT_TYPE = 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited'

export async function startHistogramExporter(name: string): Promise<HistogramExporter> {
  const counts = new Map<number, number>()
  let sum = 0
  const server = createServer((_, response) => {
    response.setHeader('content-type', CONTENT_TYPE)
    response.end(delimited(familyOf(name, counts, sum)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    observe(bucket, value) {
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
      sum += value
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => {
          resolve()
        })
      }),
  }
}

function familyOf(name: string, counts: ReadonlyMap<number, number>, sum: number): Buffer {
  const indexes = [...counts.keys()].sort((a, b) => a - b)
  const spans: Buffer[] = []
  const deltas: Buffer[] = []
  let next = 0
  let before = 0
  for (const index of indexes) {
    // A span for each bucket: its distance to the end of the one before, and its length.
    spans.push(message(12, Buffer.concat([varintField(1, zigzag(index - next)), varintField(2, 1)])))
    deltas.push(varintField(13, zigzag(counts.get(index)! - before)))
    next = index + 1
    before = counts.get(index)!
  }
  const total = [...counts.values()].reduce((all, one) => all + one, 0)
  const histogram = Buffer.concat([
    varintField(1, total),
    doubleField(2, sum),
    varintField(5, zigzag(SCHEMA)),
    doubleField(6, 1e-128),
    varintField(7, 0),
    ...spans,
    ...deltas,
  ])
  const type = varintField(3, 4)
  return Buffer.concat([
    message(1, Buffer.from(name)),
    message(2, Buffer.from('How long a phase of an upgrade took.')),
    type,
    message(4, message(7, histogram)),
  ])
}

function delimited(body: Buffer): Buffer {
  return Buffer.concat([varint(body.length), body])
}

function message(field: number, body: Buffer): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body])
}

function varintField(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)])
}

function doubleField(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return Buffer.concat([varint(field * 8 + 1), bytes])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return Buffer.from([...bytes, rest])
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value
}
