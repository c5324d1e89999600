import { createServer } from 'node:http'
import { closeServer, listen } from './exporter.ts'

/** An Alertmanager that takes everything and keeps what it was sent, newest last. */
export interface FakeAlertmanager {
  /** `127.0.0.1:port`. */
  readonly address: string
  readonly received: readonly ReceivedAlert[]
  /** While false it answers 503, as one that is starting. */
  setReady(isReady: boolean): void
  close(): Promise<void>
}

export interface ReceivedAlert {
  readonly atMs: number
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly startsAt: string
  readonly endsAt: string
  readonly generatorURL: string
}

export async function startFakeAlertmanager(): Promise<FakeAlertmanager> {
  const received: ReceivedAlert[] = []
  let isReady = true
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (!isReady || request.method !== 'POST' || request.url !== '/api/v2/alerts') {
        response.writeHead(isReady ? 404 : 503).end()
        return
      }
      const alerts = JSON.parse(Buffer.concat(chunks).toString()) as Omit<ReceivedAlert, 'atMs'>[]
      for (const alert of alerts) received.push({ atMs: Date.now(), ...alert })
      response.writeHead(200).end()
    })
  })
  const address = await listen(server)
  return {
    address,
    received,
    setReady: (next) => {
      isReady = next
    },
    close: () => closeServer(server),
  }
}
