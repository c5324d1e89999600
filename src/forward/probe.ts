/** Requests to the remote side for what it is: see `remote-facts.ts`. */
import type { ForwardOptions } from './options.ts'
import { encodeWriteRequestV2 } from '../wire/remote-write-v2-encode.ts'
import { encodeSnappy } from '../wire/snappy.ts'
import { answerOf } from './remote-answer.ts'
import { factsOf, type RemoteFacts } from './remote-facts.ts'
import type { RemoteHttp } from './remote-http.ts'

/** A request of 2.0 without series. Of 1.0 it would have one unknown field. */
const EMPTY = encodeSnappy(encodeWriteRequestV2([]))
/** Of `/metrics`: 60 KB of Prometheus and VictoriaMetrics, more with many jobs. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024

export const WRITE_HEADERS = {
  '1.0': {
    'content-type': 'application/x-protobuf',
    'content-encoding': 'snappy',
    'x-prometheus-remote-write-version': '0.1.0',
    'user-agent': 'daytwo',
  },
  '2.0': {
    'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
    'content-encoding': 'snappy',
    'x-prometheus-remote-write-version': '2.0.0',
    'user-agent': 'daytwo',
  },
} as const

type ProbeResult = { readonly facts: RemoteFacts } | { readonly failure: string; readonly isDenied: boolean }

type Addresses = Pick<ForwardOptions, 'kind' | 'writeUrl' | 'queryUrl'>

/** A failure: the write address cannot be reached, or does not accept anything now. */
export async function probe(http: RemoteHttp, { kind, writeUrl, queryUrl }: Addresses): Promise<ProbeResult> {
  const written = await http.post(writeUrl, EMPTY, WRITE_HEADERS['2.0'])
  if ('failure' in written) return { failure: written.failure, isDenied: false }
  const answer = answerOf(written)
  if (answer.kind === 'denied') return { failure: answer.text, isDenied: true }
  if (answer.kind === 'retry') return { failure: answer.text, isDenied: false }
  const hasV2 = answer.kind === 'accepted' && written.headers['x-prometheus-remote-write-samples-written'] !== undefined
  const [buildInfo, flags, metrics] = [
    await readStatus(http, queryUrl, 'buildinfo'),
    await readStatus(http, queryUrl, 'flags'),
    await readMetrics(http, writeUrl),
  ]
  return { facts: factsOf(kind, { hasV2, buildInfo, flags, metrics }) }
}

/** Texts of `/api/v1/status/PATH`; undefined: no answer in the format of Prometheus. */
export async function readStatus(
  http: RemoteHttp,
  queryUrl: string,
  path: 'buildinfo' | 'flags',
): Promise<Readonly<Record<string, string>> | undefined> {
  const got = await http.get(`${queryUrl}/api/v1/status/${path}`, ANSWER_BYTES_MAX)
  return 'failure' in got || got.status !== 200 ? undefined : dataIn(got.text)
}

/** The metrics of the process that receives: beside its write address, or at the root of its host. Undefined: none can be read. */
export async function readMetrics(http: RemoteHttp, writeUrl: string): Promise<string | undefined> {
  for (const url of metricsUrls(writeUrl)) {
    const got = await http.get(url, ANSWER_BYTES_MAX)
    if ('failure' in got) return undefined
    if (got.status === 200 && got.text.includes('_start_time')) return got.text
  }
  return undefined
}

export function metricsUrls(writeUrl: string): readonly string[] {
  const { origin } = new URL(writeUrl)
  const base = writeUrl.replace(/(\/insert\/[^/]+\/prometheus)?\/api\/v1\/(write|push|receive)$/, '')
  return [...new Set([`${base}/metrics`, `${origin}/metrics`])]
}

function dataIn(text: string): Readonly<Record<string, string>> | undefined {
  try {
    const { data } = JSON.parse(text) as { data?: unknown }
    if (typeof data !== 'object' || data === null) return undefined
    return Object.fromEntries(Object.entries(data).filter((entry) => typeof entry[1] === 'string'))
  } catch {
    return undefined
  }
}
