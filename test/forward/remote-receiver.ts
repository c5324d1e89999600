/**
 * A Prometheus-compatible store over real HTTP whose answers a test decides: it stores samples in a set, as bits, and can
 * refuse, fail, hang, restart with a loss, and report what engine it is.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { Histogram } from '../../src/model/histogram.ts'
import { SnappyDecoder } from '../../src/wire/snappy.ts'
import { WriteRequestV2Decoder } from '../../src/wire/remote-write-v2.ts'
import { WriteRequestDecoder } from '../../src/wire/remote-write.ts'
import type { WriteBatch } from '../../src/wire/write-batch.ts'
import { readLabelFields } from '../../src/wire/label-fields.ts'
import { listen } from '../support/exporter.ts'

export interface ReceivedSample {
  /** Labels as `name=value,...`. */
  readonly series: string
  readonly timeMs: number
  /** The bits of the value in hexadecimal, or `histogram`. */
  readonly bits: string
}

export interface Answer {
  readonly status: number
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the samples are stored; absent: with an answer of success. */
  readonly stores?: boolean
  /** The connection is broken in place of an answer. */
  readonly isBroken?: boolean
  /** No answer at all. */
  readonly hangs?: boolean
}

export class RemoteReceiver {
  /** All that was stored, in the order of arrival, with repeats. */
  stored: ReceivedSample[] = []
  readonly histograms: Histogram[] = []
  readonly exemplars: string[] = []
  readonly metadata: string[] = []
  /** Samples of each request, the empty ones of probes left out. */
  readonly requests: { readonly samples: readonly ReceivedSample[]; readonly headers: Record<string, unknown> }[] = []
  /** Decides about each request with samples. */
  decide: (samples: readonly ReceivedSample[], request: number) => Answer = () => ({ status: 204 })
  /** In seconds; undefined: `/metrics` is not served. */
  startSeconds: number | undefined
  /** Further lines of `/metrics`. */
  metrics = ''
  /** Data of `/api/v1/status/NAME`. */
  statuses: Record<string, unknown> = {}
  /** Answers of 2.0 have its headers. */
  hasV2 = false
  url = ''
  readonly #server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      if (request.method === 'POST') this.#write(Buffer.concat(parts), request.headers, response)
      else this.#read(request.url ?? '', response)
    })
  })
  readonly #snappy = new SnappyDecoder(64 * 1024 * 1024)
  readonly #v1 = new WriteRequestDecoder({ samplesMax: 1_000_000, seriesMax: 1_000_000 })
  readonly #v2 = new WriteRequestV2Decoder({
    samplesMax: 1_000_000,
    seriesMax: 1_000_000,
    labelBytesMax: 64 * 1024 * 1024,
  })

  async start(): Promise<void> {
    this.url = `http://${await listen(this.#server)}`
  }

  /** The port stays; connections are refused until `resume`. */
  async pause(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  async resume(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(Number(new URL(this.url).port), '127.0.0.1', resolve))
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.pause()
  }

  get distinct(): ReadonlySet<string> {
    return new Set(this.stored.map(keyOf))
  }

  #read(url: string, response: ServerResponse): void {
    const name = url.split('/').at(-1)!
    if (url.endsWith('/metrics') && this.startSeconds !== undefined) {
      response.end(`process_start_time_seconds ${this.startSeconds}\n${this.metrics}`)
    } else if (url.includes('/api/v1/status/') && name in this.statuses) {
      response.end(JSON.stringify({ status: 'success', data: this.statuses[name] }))
    } else {
      response.statusCode = 404
      response.end('not found')
    }
  }

  #write(body: Buffer, headers: Record<string, unknown>, response: ServerResponse): void {
    const isV2 = String(headers['content-type']).includes('v2.Request')
    const bytes = this.#snappy.decode(body)
    if (isV2 && !this.hasV2) {
      // As receivers of 1.0 do: they find no series in it, and ignore the content type.
      response.statusCode = 204
      response.end()
      return
    }
    const batch = (isV2 ? this.#v2 : this.#v1).decode(bytes, this.#snappy.view)
    const samples = this.#samplesOf(batch)
    for (let i = 0; i < batch.histogramCount; i++) {
      const decoded = batch.histogramAt(i, 1000)
      if (decoded.kind === 'histogram') this.histograms.push(decoded.histogram)
    }
    const isProbe = isV2 && batch.seriesCount === 0
    if (!isProbe) this.requests.push({ samples, headers })
    const answer: Answer = isProbe ? { status: 204 } : this.decide(samples, this.requests.length)
    const isLost = answer.isBroken === true || answer.hangs === true
    if (answer.stores ?? (answer.status < 300 && !isLost)) {
      this.stored.push(...samples)
      for (const { exemplar } of batch.exemplars) this.exemplars.push(`${exemplar.labels.toString()} ${exemplar.value}`)
      for (const { family, metadata } of batch.metadata)
        this.metadata.push(`${family} ${metadata.type} ${metadata.help}`)
    }
    if (answer.hangs === true) return
    if (answer.isBroken === true) {
      response.socket?.destroy()
      return
    }
    response.statusCode = answer.status
    if (isV2 && this.hasV2 && answer.status < 300) {
      response.setHeader('X-Prometheus-Remote-Write-Samples-Written', samples.length)
    }
    for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value)
    response.end(answer.text)
  }

  #samplesOf(batch: WriteBatch): ReceivedSample[] {
    const samples: ReceivedSample[] = []
    const limits = { labelsMax: 100, textBytesMax: 65_536 }
    for (let i = 0; i < batch.seriesCount; i++) {
      const fields = readLabelFields(batch.labelView(i), batch.labelOffset(i), batch.labelBytes[i]!, limits)
      const series = fields.map(({ name = '', value = '' }) => `${name}=${value}`).join(',')
      for (let at = batch.sampleStart(i); at < batch.sampleEnd[i]!; at++) {
        const high = batch.valueBits[at * 2 + 1]!.toString(16).padStart(8, '0')
        samples.push({
          series,
          timeMs: batch.timesMs[at]!,
          bits: high + batch.valueBits[at * 2]!.toString(16).padStart(8, '0'),
        })
      }
    }
    return samples
  }
}

export function keyOf({ series, timeMs, bits }: ReceivedSample): string {
  return `${series} ${timeMs} ${bits}`
}
