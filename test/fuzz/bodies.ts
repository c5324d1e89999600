import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Labels } from '../../src/model/labels.ts'
import { encodeWriteRequestV2 } from '../../src/wire/remote-write-v2-encode.ts'
import { encodeWriteRequest } from '../../src/wire/remote-write-encode.ts'
import { SnappyDecoder } from '../../src/wire/snappy.ts'
import { encodeSnappy } from '../../src/wire/snappy.ts'
import type { Metric, NumberPoint } from '../../src/wire/otlp-metrics.ts'
import { encodeRequestJson, encodeRequestProtobuf, withCounts } from '../support/otlp.ts'

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

const v1Blocks = [
  ...golden(/rw.v1-.*snappy$/, /captured.*snappy$/, /rw.(bad|empty).*snappy$/),
  encodeSnappy(encodeWriteRequest(SERIES)),
]
const v2Blocks = [...golden(/rw.v2-.*snappy$/), encodeSnappy(encodeWriteRequestV2(SERIES))]

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
]

const RESOURCE = {
  'service.name': 'hco',
  'service.instance.id': 'pod',
  'k8s.cluster.name': 'prague',
  prometheus_replica: 'r-0',
}
const OTLP_REQUEST = withCounts(
  [
    {
      attributes: Object.entries(RESOURCE).map(([key, value]) => ({ key, value })),
      scopes: [{ scope: { name: 'meter', version: '1', attributes: [], schemaUrl: '' }, metrics: METRICS }],
    },
  ],
  0,
)

export const OTLP_PROTOBUF = [
  ...golden(/otlp.(metrics|empty|bad|unknown).*\.pb$/, /captured.otel.*metrics.pb.gz$/),
  encodeRequestProtobuf(OTLP_REQUEST),
]
export const OTLP_JSON = [
  ...golden(/otlp.(metrics|empty|bad).*\.json$/, /captured.otel.*metrics.json$/),
  Buffer.from(encodeRequestJson(OTLP_REQUEST)),
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
      return encodeRequestProtobuf(withCounts([{ attributes: [], scopes: [{ scope, metrics }] }], 0))
    }),
  }
}
