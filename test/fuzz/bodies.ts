import fc from 'fast-check'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Labels } from '../../src/model/labels.ts'
import { encodeWriteRequestV2 } from '../../src/wire/remote-write-v2-encode.ts'
import { ProtobufWriter, VARINT } from '../../src/wire/protobuf.ts'
import { encodeLabels, encodeWriteRequest } from '../../src/wire/remote-write-encode.ts'
import { SnappyDecoder, encodeSnappy } from '../../src/wire/snappy.ts'
import type { Metric, NumberPoint } from '../../src/wire/otlp/metrics.ts'
import { histogramBytes, histogramOf, messageField, sentOf } from '../support/histograms.ts'
import { encodeRequestJson, encodeRequestProtobuf, withCounts } from '../support/otlp.ts'
import {
  arbitraryLogsRequest,
  encodeLogsJson,
  encodeLogsProtobuf,
  logsOf,
  objectRecord,
  plainRecord,
} from '../support/otlp-logs.ts'
import { arbitraryTraces, encodeTracesJson, encodeTracesProtobuf, otlpSpan, tracesOf } from '../support/otlp-traces.ts'
import { spanIdOf, traceIdOf } from '../support/spans.ts'
import { OBJECTS } from '../wire/k8s/objects.ts'

/**
 * What mutations start from: bodies that stock clients sent, where they are kept beside the project, and small bodies of
 * our own with everything that the formats have.
 */
const GOLDEN = resolve(import.meta.dirname, '../../../shared/golden')

export const NOW_MS = 1_787_220_000_000

/** Files of the stored bodies, unpacked; none where they are not there. */
function golden(...patterns: readonly RegExp[]): Uint8Array[] {
  if (!existsSync(GOLDEN)) return []
  return ['rw', 'otlp', 'faro', 'captured']
    .flatMap((folder) => readdirSync(join(GOLDEN, folder)).map((name) => join(folder, name)))
    .filter((path) => patterns.some((pattern) => pattern.test(path)) && !/expected|bomb|bad-gzip/.test(path))
    .map((path) => {
      const bytes = readFileSync(join(GOLDEN, path))
      return path.endsWith('.gz') ? gunzipSync(bytes) : bytes
    })
}

/** Opens those blocks that can be opened. */
function opened(blocks: readonly Uint8Array[]): Uint8Array[] {
  return blocks.flatMap((block) => {
    try {
      return [Uint8Array.from(new SnappyDecoder(1 << 24).decode(block))]
    } catch {
      return []
    }
  })
}

const SERIES = ['a', 'b', 'c'].flatMap((cluster, i) => [
  { labels: Labels.of({ __name__: 'up', cluster }), samples: [{ timeMs: NOW_MS + i, value: i }] },
  {
    labels: Labels.of({ __name__: 'kubevirt_vmi_info', cluster_id: cluster, long: 'x'.repeat(150), 'ž.': '😀' }),
    samples: [
      { timeMs: NOW_MS - 5000, value: -0.5 },
      { timeMs: NOW_MS, value: 0, isStale: true },
    ],
  },
  {
    labels: Labels.of({ __name__: 'kubevirt_info', cluster, prometheus_replica: `r-${i}`, prometheus: 'k8s' }),
    samples: [{ timeMs: NOW_MS, value: 1 }],
  },
])

/** In the form that stock senders write, which the fast decoder knows. */
const PLAIN_SERIES = ['a', 'b'].map((cluster, i) => ({
  labels: Labels.of({ __name__: 'kubevirt_info', cluster, job: 'virt-operator' }),
  samples: [
    { timeMs: NOW_MS - 5000, value: i },
    { timeMs: NOW_MS, value: 0, isStale: true },
  ],
}))

/** A series with native histograms, right and wrong, exemplars, and metadata beside it, as fields of a request. */
function withExtras(fields: {
  readonly histogram: number
  readonly exemplar: number
  readonly labels: Uint8Array
}): Uint8Array {
  const exemplar = new ProtobufWriter()
  if (fields.histogram === 4) exemplar.bytes(1, encodeLabels(Labels.of({ trace_id: 'ab12' })).subarray(2))
  else exemplar.bytes(1, Uint8Array.of(1, 2))
  exemplar.tag(3, VARINT)
  exemplar.varint(NOW_MS)
  const histogram = histogramOf(3, 2, { schema: 2, negative: histogramOf(2).positive, count: 7 })
  const custom = { countInteger: 3, schema: -53, bounds: [0.5, 1], positiveSpans: [{ offset: 0, length: 3 }] }
  return Buffer.concat([
    fields.labels,
    messageField(fields.histogram, histogramBytes(sentOf(histogram, NOW_MS))),
    messageField(fields.histogram, histogramBytes({ ...custom, positiveDeltas: [1, 0, 0], timeMs: NOW_MS + 1 })),
    messageField(fields.histogram, histogramBytes({ countFloat: 0.5, zeroCountFloat: 0.5, timeMs: NOW_MS + 2 })),
    messageField(fields.histogram, histogramBytes({ sum: 'stale', timeMs: NOW_MS + 3 })),
    messageField(fields.exemplar, exemplar.finish()),
  ])
}

const metadataV1 = new ProtobufWriter()
metadataV1.tag(1, VARINT)
metadataV1.varint(3)
metadataV1.text(2, 'latency_seconds')
metadataV1.text(4, 'How long.')
const EXTRAS_V1 = Buffer.concat([
  messageField(
    1,
    withExtras({
      histogram: 4,
      exemplar: 3,
      labels: encodeLabels(Labels.of({ __name__: 'latency_seconds', cluster: 'a' })),
    }),
  ),
  messageField(3, metadataV1.finish()),
])
const EXTRAS_V2 = Buffer.concat([
  ...['', '__name__', 'latency_seconds', 'How long.'].map((text) => messageField(4, Buffer.from(text))),
  messageField(
    5,
    Buffer.concat([
      withExtras({ histogram: 3, exemplar: 4, labels: messageField(1, Uint8Array.of(1, 2)) }),
      messageField(5, Uint8Array.of(8, 3, 24, 3, 32, 0)),
    ]),
  ),
])

const v1Blocks = [
  ...golden(/rw.v1-.*snappy$/, /captured.*snappy$/, /rw.(bad|empty).*snappy$/),
  encodeSnappy(encodeWriteRequest(SERIES)),
  encodeSnappy(encodeWriteRequest(PLAIN_SERIES)),
  encodeSnappy(EXTRAS_V1),
]
const v2Blocks = [...golden(/rw.v2-.*snappy$/), encodeSnappy(encodeWriteRequestV2(SERIES)), encodeSnappy(EXTRAS_V2)]

export const SNAPPY_BLOCKS = [
  ...v1Blocks,
  ...v2Blocks,
  encodeSnappy(Buffer.alloc(3000, 'abc')),
  encodeSnappy(Buffer.alloc(0)),
]
export const V1 = { blocks: v1Blocks, messages: opened(v1Blocks) }
export const V2 = { blocks: v2Blocks, messages: opened(v2Blocks) }

function number(value: number | undefined, more: Partial<NumberPoint> = {}): NumberPoint {
  return {
    attributes: [{ key: 'a.b', value: 'x' }],
    startMs: NOW_MS - 1000,
    timeMs: NOW_MS,
    isStale: false,
    value,
    ...more,
  }
}

const METRICS: readonly Metric[] = [
  {
    name: 'temperature',
    unit: 'Cel',
    data: { kind: 'gauge', points: [number(1.5), number(undefined, { isStale: true })] },
  },
  { name: 'jobs', unit: '1', data: { kind: 'sum', points: [number(3)], temporality: 'delta', isMonotonic: true } },
  {
    name: 'size',
    unit: 'By',
    data: {
      kind: 'histogram',
      points: [{ ...number(0), count: 6, sum: 4.5, bucketCounts: [1, 2, 3], bounds: [0.5, 1] }],
      temporality: 'cumulative',
    },
  },
  {
    name: 'wait',
    unit: 's',
    data: { kind: 'summary', points: [{ ...number(0), count: 2, sum: 3, quantiles: [{ quantile: 0.9, value: 2 }] }] },
  },
  {
    name: 'rpc.latency',
    description: 'How long.',
    unit: 's',
    data: {
      kind: 'exponential_histogram',
      temporality: 'cumulative',
      points: [
        {
          ...number(0),
          ...{ count: 6, sum: 4.5, scale: 9, zeroCount: 1, zeroThreshold: 0.001 },
          positive: { offset: -1, counts: [1, 0, 2] },
          negative: { offset: 3, counts: [2] },
          exemplars: [{ attributes: [], timeMs: NOW_MS, value: 0.5, traceId: 'ab'.repeat(16), spanId: '' }],
        },
      ],
    },
  },
]

const RESOURCE = {
  'service.name': 'hco',
  'service.instance.id': 'pod',
  'k8s.cluster.name': 'prague',
  prometheus_replica: 'r-0',
}
/** One request with all metrics, and one of each: of a small body, more mutations can still be taken. */
const OTLP_REQUESTS = [METRICS, ...METRICS.map((metric) => [metric])].map((metrics) =>
  withCounts([
    {
      attributes: Object.entries(RESOURCE).map(([key, value]) => ({ key, value })),
      scopes: [{ scope: { name: 'meter', version: '1', attributes: [], schemaUrl: '' }, metrics }],
    },
  ]),
)

export const OTLP_PROTOBUF = [
  ...golden(/otlp.(metrics|empty|bad|unknown).*\.pb$/, /captured.otel.*metrics.pb.gz$/),
  ...OTLP_REQUESTS.map((request) => encodeRequestProtobuf(request)),
]
export const OTLP_JSON = [
  ...golden(/otlp.(metrics|empty|bad).*\.json$/, /captured.otel.*metrics.json$/),
  ...OTLP_REQUESTS.map((request) => Buffer.from(encodeRequestJson(request))),
]

const NOW_NS = BigInt(NOW_MS) * 1_000_000n
/** Requests of all shapes beside those that the store takes. */
const SAMPLES = { seed: 1, numRuns: 20 }

const TRACE = tracesOf(
  RESOURCE,
  ...[1, 2, 3].map((number) =>
    otlpSpan({
      ...{ traceId: traceIdOf(7), spanId: spanIdOf(number), parentSpanId: number === 1 ? '' : spanIdOf(1) },
      ...{ startNs: NOW_NS - 5_000_000_000n, endNs: NOW_NS, kind: 'server', traceState: 'a=b' },
      attributes: [
        { key: 'http.route', value: '/x' },
        { key: 'list', value: ['a', 1, true, { entries: [{ key: 'k', value: 'v' }] }] },
      ],
      events: [{ timeNs: NOW_NS, name: 'exception', attributes: [{ key: 'a', value: 1 }], droppedAttributes: 1 }],
      links: [
        {
          traceId: traceIdOf(8),
          spanId: spanIdOf(1),
          traceState: '',
          attributes: [],
          droppedAttributes: 0,
          flags: 1,
        },
      ],
      status: { code: 'error', message: 'no' },
    }),
  ),
)
// Most of the others are too old or have bad ids.
const TRACES = [...Array.from({ length: 10 }, () => TRACE), ...fc.sample(arbitraryTraces, SAMPLES)]
const LOGS = [
  {
    resources: [
      logsOf(
        OBJECTS.map(({ resource, object }, i) =>
          objectRecord(resource, object, NOW_MS - i, i % 3 === 0 ? undefined : i % 3 === 1 ? 'ADDED' : 'DELETED'),
        ),
        RESOURCE,
      ),
      logsOf(
        [
          objectRecord('namespaces', { metadata: { name: 'kube-system', uid: 'u-1' } }, NOW_MS),
          plainRecord({ timeNs: NOW_NS, body: 'text', severity: 9, traceId: traceIdOf(7), eventName: 'e' }),
        ],
        RESOURCE,
      ),
    ],
  },
  ...OBJECTS.map(({ resource, object }) => ({
    resources: [logsOf([objectRecord(resource, object, NOW_MS, 'MODIFIED')], RESOURCE)],
  })),
  ...fc.sample(arbitraryLogsRequest, SAMPLES),
]

export const TRACES_PROTOBUF = [
  ...golden(/otlp.(traces|unknown|bad-(ids|trunc)).*\.pb$/, /captured.otel.*traces.pb.gz$/),
  ...TRACES.map(encodeTracesProtobuf),
]
export const TRACES_JSON = [
  ...golden(/otlp.(traces|bad-(ids|json)).*\.json$/, /captured.otel.*traces.json$/),
  ...TRACES.map((request) => Buffer.from(encodeTracesJson(request))),
]
export const LOGS_PROTOBUF = [
  ...golden(/otlp.logs.*\.pb$/, /captured.otel.*logs.pb.gz$/),
  ...LOGS.map(encodeLogsProtobuf),
]
export const LOGS_JSON = [
  ...golden(/otlp.logs.*\.json$/, /captured.otel.*logs.json$/),
  ...LOGS.map((request) => Buffer.from(encodeLogsJson(request))),
]
export const FARO = [
  ...golden(/faro.*json$/, /captured.faro.*json$/),
  Buffer.from(
    JSON.stringify({ meta: { page: { url: 'u' } }, logs: [{ message: 'm', level: 'warn' }], events: [{ name: 'é' }] }),
  ),
]

/** One series a time whose value is its number plus 1000, as separate messages of a request of each format. */
export function numbered(count: number): { readonly v1: readonly Uint8Array[]; readonly otlp: readonly Uint8Array[] } {
  const of = Array.from({ length: count }, (_, i) => i)
  const scope = { name: '', version: '', attributes: [], schemaUrl: '' }
  return {
    v1: of.map((i) => {
      const labels = Labels.of({ __name__: 'numbered', cluster: 'a', pod: `virt-launcher-${i}` })
      return encodeWriteRequest([{ labels, samples: [{ timeMs: NOW_MS, value: 1000 + i }] }])
    }),
    otlp: of.map((i) => {
      const point = number(1000 + i, { attributes: [{ key: 'pod', value: `virt-launcher-${i}` }] })
      const metrics: Metric[] = [{ name: 'numbered', unit: '', data: { kind: 'gauge', points: [point] } }]
      return encodeRequestProtobuf(withCounts([{ attributes: [], scopes: [{ scope, metrics }] }]))
    }),
  }
}
