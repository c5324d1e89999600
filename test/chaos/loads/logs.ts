import { encodeLogsProtobuf, logsOf, plainRecord } from '../../support/otlp-logs.ts'
import type { LogItems } from '../../../src/contract/fleet-logs.ts'
import { Ledger } from '../ledger.ts'
import { get, send, type Target } from '../target.ts'
import { inWindows, type Load } from './load.ts'

/** Log records, three of equal text a request. */

const RECORDS = 3
/** Of one page, which is of at most a thousand records. */
const STEPS_PER_PAGE = 300
const CLUSTER = 'chaos-logs'

export class LogLoad implements Load {
  readonly name = 'log records'
  readonly ledger = new Ledger()
  readonly pauseMs = 0
  readonly #baseMs: number
  #step = 1

  /** @param baseMs each step is a millisecond later */
  constructor(baseMs: number) {
    this.#baseMs = baseMs
  }

  async step(target: Target): Promise<void> {
    const step = this.#step
    const timeNs = BigInt(this.#baseMs + step) * 1_000_000n
    const records = Array.from({ length: RECORDS }, (_, i) =>
      plainRecord({ timeNs: timeNs + BigInt(i), observedNs: timeNs, body: `step ${step}` }),
    )
    this.ledger.sent(`step ${step}`, target.position())
    await sendLogs(target, encodeLogsProtobuf({ resources: [logsOf(records, { 'k8s.cluster.uid': CLUSTER })] }))
    this.ledger.acked(`step ${step}`, target.position())
    this.#step++
  }

  async stored(target: Target): Promise<Iterable<string>> {
    const logs = await inWindows(this.#step, STEPS_PER_PAGE, async (first) => {
      const [from, to] = [first, first + STEPS_PER_PAGE - 1].map((step) => new Date(this.#baseMs + step).toISOString())
      const form = new URLSearchParams({ cluster: CLUSTER, from: from!, to: to!, limit: '1000' })
      return (await get<LogItems>(target, `/api/fleet/v1/logs?${form.toString()}`)).logs
    })
    const counts = new Map<string, number>()
    for (const { body } of logs) counts.set(String(body), (counts.get(String(body)) ?? 0) + 1)
    return [...counts].map(([step, count]) => (count === RECORDS ? step : `${step}: ${count} records`))
  }
}

/** Throws unless all records were taken. */
export async function sendLogs(target: Target, body: Uint8Array): Promise<void> {
  const text = await send(target, '/v1/logs', { body, headers: { 'content-type': 'application/x-protobuf' } })
  if (text !== '{}' && text !== '') throw new Error(`logs: got ${JSON.stringify(text)}, want an empty answer`)
}
