/** Requests of many clusters, over a few connections. */
import { request as httpRequest, type Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { CONNECTIONS } from './payloads.ts'

export const PROTOBUF = { 'content-type': 'application/x-protobuf' }
export const WRITE = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
}

/** Over all connections. */
export async function inParallel(count: number, send: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await send(next++)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
}

/** Until it is accepted. */
export async function post(
  url: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  agent: Agent,
): Promise<void> {
  for (;;) {
    const status = await new Promise<number>((resolve, reject) => {
      const sent = httpRequest(url, { method: 'POST', agent, headers }, (answer) => {
        answer.resume().once('end', () => {
          resolve(answer.statusCode ?? 0)
        })
      })
      sent.once('error', reject)
      sent.end(body)
    })
    if (status >= 200 && status < 300) return
    if (status !== 429 && status !== 503) throw new Error(`${url}: got ${status}`)
    await wait(200)
  }
}
