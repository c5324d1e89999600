import type { MetricMetadata } from '../model/metadata.ts'

/**
 * Recent metadata by metric family, so that metadata repeated with every request is processed once. Cleared every hour,
 * so that the latest metadata is stored even when it alternates.
 */
const HOUR_MS = 3_600_000
const FAMILIES_MAX = 65_536
const METADATA_PER_FAMILY = 16

export class SeenMetadata {
  readonly #families = new Map<string, MetricMetadata[]>()
  #hour = NaN

  isNew(family: string, metadata: MetricMetadata, nowMs: number): boolean {
    const hour = Math.floor(nowMs / HOUR_MS)
    if (hour !== this.#hour || this.#families.size >= FAMILIES_MAX) this.#families.clear()
    this.#hour = hour
    const known = this.#families.get(family) ?? []
    const { type, help, unit } = metadata
    if (known.some((one) => one.type === type && one.help === help && one.unit === unit)) return false
    this.#families.set(family, [metadata, ...known.slice(0, METADATA_PER_FAMILY - 1)])
    return true
  }
}
