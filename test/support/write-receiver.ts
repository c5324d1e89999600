import { createServer, type IncomingHttpHeaders } from 'node:http'
import { Labels } from '../../src/model/labels.ts'
import { isStaleAt } from '../../src/model/sample.ts'
import { readLabelFields } from '../../src/wire/label-fields.ts'
import { WriteRequestDecoder } from '../../src/wire/remote-write.ts'
import { SnappyDecoder } from '../../src/wire/snappy.ts'
import { closeServer, listen } from './exporter.ts'

/**
 * The smallest remote write server: keeps every sample it acknowledged, and answers what a test tells it to. For tests
 * of what sends; what a server has to check is tested on the real one.
 */
export interface WriteReceiver {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** Acknowledged samples by label set, in the order they came. */
  readonly series: ReadonlyMap<string, ReceivedSeries>
  readonly samples: number
  /** The next answers, before it goes back to 204. Samples are kept only with a 2xx. */
  answerNext(...answers: readonly ReceiverAnswer[]): void
  close(): Promise<void>
}

export interface ReceiverAnswer {
  readonly status: number
  readonly text?: string
  readonly retryAfter?: string
  /** Breaks the connection instead. */
  readonly isBroken?: boolean
}

export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders
  readonly path: string
  readonly samples: number
  readonly status: number
}

export interface ReceivedSeries {
  readonly labels: Labels
  readonly samples: { readonly timeMs: number; readonly value: number; readonly isStale: boolean }[]
}

export async function startWriteReceiver(): Promise<WriteReceiver> {
  const requests: ReceivedRequest[] = []
  const series = new Map<string, ReceivedSeries>()
  const answers: ReceiverAnswer[] = []
  let samples = 0
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const received = decodeRequest(Buffer.concat(parts))
      const answer = answers.shift() ?? { status: 204 }
      const count = received.reduce((sum, one) => sum + one.samples.length, 0)
      const status = answer.isBroken === true ? 0 : answer.status
      requests.push({ headers: request.headers, path: request.url ?? '', samples: count, status })
      if (answer.isBroken === true) {
        request.socket.destroy()
        return
      }
      if (status < 300) {
        samples += count
        for (const { labels, samples: more } of received) {
          const kept = series.get(labels.key)
          if (kept === undefined) series.set(labels.key, { labels, samples: [...more] })
          else kept.samples.push(...more)
        }
      }
      response.statusCode = status
      if (answer.retryAfter !== undefined) response.setHeader('Retry-After', answer.retryAfter)
      response.end(answer.text)
    })
  })
  const address = await listen(server)
  return {
    url: `http://${address}`,
    requests,
    series,
    get samples() {
      return samples
    },
    answerNext: (...next) => {
      answers.push(...next)
    },
    close: () => closeServer(server),
  }
}

const snappy = new SnappyDecoder(32 * 1024 * 1024)
const decoder = new WriteRequestDecoder({ samplesMax: 1_000_000, seriesMax: 1_000_000 })

/** A snappy-compressed WriteRequest as label sets and samples. */
export function decodeRequest(body: Uint8Array): ReceivedSeries[] {
  const bytes = snappy.decode(body)
  const batch = decoder.decode(bytes, snappy.view)
  const received: ReceivedSeries[] = []
  for (let i = 0; i < batch.seriesCount; i++) {
    const fields = readLabelFields(batch.labelView(i), batch.labelOffset(i), batch.labelBytes[i]!, {
      labelsMax: 100,
      textBytesMax: 4096,
    })
    const labels = Labels.fromPairs(fields.map(({ name = '', value = '' }) => [name, value] as const))
    const samples = []
    for (let at = batch.sampleStart(i); at < batch.sampleEnd[i]!; at++) {
      const isStale = isStaleAt(batch.valueBits, at)
      samples.push({ timeMs: batch.timesMs[at]!, value: isStale ? 0 : batch.values[at]!, isStale })
    }
    received.push({ labels, samples })
  }
  return received
}
