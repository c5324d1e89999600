/** How far back a server takes what a simulated fleet sends: as its options say, or as they are when nobody set them. */
import { readConfig } from '../config/config.ts'
import { parseDuration } from '../model/duration.ts'
import { askGet, serverOf } from './prometheus-client.ts'

/** The oldest moment of each way of telling that is taken. */
interface KeptFrom {
  readonly samplesMs: number
  readonly objectsMs: number
  readonly spansMs: number
}

/** Sending takes a while, and what is at the edge would be too old by then. */
const MARGIN_MS = 60 * 60_000

interface KeptAnswer {
  readonly from: KeptFrom
  /** Whether the server said it: whoever may only send is not told. */
  readonly isSaid: boolean
}

export async function keptFrom(url: string, token: string | undefined, nowMs: number): Promise<KeptAnswer> {
  const said = await flagsOf(url, token)
  const byDefault = readConfig(new Map(), undefined, {})
  const oldest = (key: 'retention.raw' | 'retention.objects' | 'retention.traces'): number => {
    const keptMs = parseDuration(said?.[key] ?? '') ?? byDefault[key]
    return nowMs - keptMs + MARGIN_MS
  }
  return {
    from: {
      samplesMs: oldest('retention.raw'),
      objectsMs: oldest('retention.objects'),
      spansMs: oldest('retention.traces'),
    },
    isSaid: said !== undefined,
  }
}

async function flagsOf(url: string, token: string | undefined): Promise<Readonly<Record<string, string>> | undefined> {
  const server = serverOf(url, new Map(token === undefined ? [] : [['token', token]]))
  try {
    return (await askGet<Record<string, string>>(server, '/api/v1/status/flags', new URLSearchParams())).data
  } catch {
    // Sending will say what is wrong with the address, if anything is.
    return undefined
  }
}
