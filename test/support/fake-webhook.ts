import { createServer } from 'node:http'
import { closeServer, listen } from './exporter.ts'

/** A receiver of webhook notifications that keeps what it took, newest last. */
export interface FakeWebhook {
  readonly url: string
  readonly messages: readonly WebhookMessage[]
  /** How often it answered 503. */
  readonly refused: number
  /** While false it answers 503. */
  setReady(isReady: boolean): void
  close(): Promise<void>
}

/** Of a payload of version 4 what tests look at. */
export interface WebhookMessage {
  readonly atMs: number
  readonly body: {
    readonly groupKey: string
    readonly status: string
    readonly commonLabels: Readonly<Record<string, string>>
    readonly alerts: readonly {
      readonly status: string
      readonly fingerprint: string
      readonly startsAt: string
      readonly endsAt: string
    }[]
  }
}

export async function startFakeWebhook(): Promise<FakeWebhook> {
  const messages: WebhookMessage[] = []
  let refused = 0
  let isReady = true
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (!isReady) {
        refused++
        response.writeHead(503).end()
        return
      }
      const body = JSON.parse(Buffer.concat(chunks).toString()) as WebhookMessage['body']
      messages.push({ atMs: Date.now(), body })
      response.writeHead(200).end()
    })
  })
  const address = await listen(server)
  return {
    url: `http://${address}/`,
    messages,
    get refused() {
      return refused
    },
    setReady: (next) => {
      isReady = next
    },
    close: () => closeServer(server),
  }
}
