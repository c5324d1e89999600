import { collectorRecords } from '../../sim/history/collector-records.ts'
import { planHistory } from '../../sim/history/plan-history.ts'
import { shippingOf } from '../../sim/history/shipments.ts'
import { encodeLogsRequest } from '../../src/wire/otlp/logs-encode.ts'
import { encodeWriteRequest } from '../../src/wire/remote-write-encode.ts'
import { encodeSnappy } from '../../src/wire/snappy.ts'
import { get, NotNow, send, ServerGone, type Target } from './target.ts'

/** Upgrades of a few simulated clusters, as requests in the order of their arrival, and what a server derives of them. */

const DAY_MS = 86_400_000
const FROM_MS = Date.UTC(2026, 1, 10)
const UNTIL_MS = FROM_MS + 2 * DAY_MS + 30 * 60_000
/** Clusters of which something is derived within these days. */
export const HISTORIES = [10, 6, 23] as const
const SAMPLES_PER_REQUEST = 400
const RECORDS_PER_REQUEST = 20

export interface HistoryRequest {
  readonly path: string
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

const WRITE = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
}

export function historyRequests(clusters: readonly number[]): readonly HistoryRequest[] {
  const all = clusters.flatMap((index) => {
    const history = planHistory({ seed: 'spread', index, fromMs: FROM_MS, untilMs: UNTIL_MS, mode: 'all' })
    return shippingOf(history, { hasFailovers: false })
      .until(UNTIL_MS)
      .flatMap((shipment): { readonly arrivesMs: number; readonly request: HistoryRequest }[] => {
        if (shipment.kind === 'spans') return []
        const { arrivesMs } = shipment
        if (shipment.kind === 'objects') {
          return inParts(shipment.observations, RECORDS_PER_REQUEST).map((some) => {
            const body = encodeLogsRequest(collectorRecords(history.profile, some))
            return {
              arrivesMs,
              request: { path: '/v1/logs', body, headers: { 'content-type': 'application/x-protobuf' } },
            }
          })
        }
        const samples = shipment.runs.flatMap(({ labels, samples: of }) =>
          of.map((one) => ({ labels, samples: [one] })),
        )
        return inParts(samples, SAMPLES_PER_REQUEST).map((some) => {
          const body = new Uint8Array(encodeSnappy(encodeWriteRequest(some)))
          return { arrivesMs, request: { path: '/api/v1/write', body, headers: WRITE } }
        })
      })
  })
  return all.sort((a, b) => a.arrivesMs - b.arrivesMs).map(({ request }) => request)
}

/** Sends a request until it is acknowledged. */
export async function deliver(target: Target, { path, body, headers }: HistoryRequest): Promise<void> {
  for (;;) {
    try {
      await send(target, path, { body, headers })
      return
    } catch (thrown) {
      if (!(thrown instanceof ServerGone || thrown instanceof NotNow)) throw thrown
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

/** Of all upgrades, by their id, without what is about the moment of the answer. */
export async function upgradeRecords(target: Target): Promise<ReadonlyMap<string, string>> {
  const { upgrades } = await get<{ readonly upgrades: readonly { readonly id: string }[] }>(
    target,
    '/api/fleet/v1/upgrades?limit=1000',
  )
  const records = new Map<string, string>()
  for (const { id } of upgrades) {
    const record = await get<Record<string, unknown>>(target, `/api/fleet/v1/upgrades/${encodeURIComponent(id)}`)
    records.set(
      id,
      JSON.stringify(record, (key, value: unknown) => (OF_THE_MOMENT.has(key) ? undefined : value)),
    )
  }
  return records
}

const OF_THE_MOMENT = new Set(['asOf', 'asOfMs', 'derivation', 'coverage', 'knownFrom'])

function inParts<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
}
