/** The retention of a server for the data of a simulated fleet: from its options, or the defaults. */
import { readConfig } from '../config/config.ts'
import { parseDuration } from '../model/duration.ts'
import { askGet, serverOf } from './prometheus-client.ts'

/** The oldest accepted time of each data source. */
interface OldestAccepted {
  readonly samplesMs: number
  readonly objectsMs: number
  readonly spansMs: number
}

/** Sending takes a while, in which data at the limit would become too old. */
const MARGIN_MS = 60 * 60_000

interface ServerRetention {
  readonly from: OldestAccepted
  /** Whether the options are the server's: a token with only the role `ingest` cannot read them. */
  readonly isReported: boolean
}

export async function retentionOf(url: string, token: string | undefined, nowMs: number): Promise<ServerRetention> {
  const flags = await flagsOf(url, token)
  const byDefault = readConfig(new Map(), undefined, {})
  const oldest = (key: 'retention.raw' | 'retention.objects' | 'retention.traces'): number => {
    const retentionMs = parseDuration(flags?.[key] ?? '') ?? byDefault[key]
    return nowMs - retentionMs + MARGIN_MS
  }
  return {
    from: {
      samplesMs: oldest('retention.raw'),
      objectsMs: oldest('retention.objects'),
      spansMs: oldest('retention.traces'),
    },
    isReported: flags !== undefined,
  }
}

async function flagsOf(url: string, token: string | undefined): Promise<Readonly<Record<string, string>> | undefined> {
  const server = serverOf(url, new Map(token === undefined ? [] : [['token', token]]))
  try {
    return (await askGet<Record<string, string>>(server, '/api/v1/status/flags', new URLSearchParams())).data
  } catch {
    // If the address is wrong, sending will report it.
    return undefined
  }
}
