/** How long a store stores samples, by its flags: older ones it acknowledges and does not store. */
import { parseDuration } from '../model/duration.ts'
import type { RemoteEngine } from './remote-facts.ts'

const DAY_MS = 86_400_000
/** Of Prometheus without limits. */
const PROMETHEUS_DEFAULT_MS = 15 * DAY_MS
/** As VictoriaMetrics counts them. */
const MONTH_MS = 31 * DAY_MS

/** Undefined: not known. @param metrics the text of `/metrics` @param flags of `/api/v1/status/flags` */
export function retentionMsOf(
  engine: RemoteEngine,
  metrics: string | undefined,
  flags: Readonly<Record<string, string>> | undefined,
): number | undefined {
  if (engine === 'victoriametrics') {
    const text = /^flag\{name="retentionPeriod", ?value="([^"]*)"/m.exec(metrics ?? '')?.[1]
    if (text === undefined) return undefined
    return /^[0-9.]+$/.test(text) ? Number(text) * MONTH_MS : parseDuration(text)
  }
  if (engine !== 'prometheus' || flags === undefined) return undefined
  const time = flags['storage.tsdb.retention.time'] ?? '0s'
  if (!/^0s?$/.test(time)) return parseDuration(time)
  return /^0B?$/.test(flags['storage.tsdb.retention.size'] ?? '0B') ? PROMETHEUS_DEFAULT_MS : undefined
}
