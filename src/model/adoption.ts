/** The number of clusters with one combination of values at the end of a day (UTC). Stored forever. */
export interface AdoptionRow {
  /** `2026-11-21`. */
  readonly day: string
  readonly operator: string
  readonly version: string
  readonly channel: string
  /** `openshift 4.20`, `kubernetes`, empty when not reported. */
  readonly platform: string
  readonly region: string
  readonly flavour: string
  readonly environment: string
  readonly clusters: number
  /** Of these clusters, virtual machines, and those whose launcher is older than the control plane. */
  readonly vms: number
  readonly outdatedVms: number
}

/** Instance types, preferences and deprecated API versions in use. */
export interface UsageRow {
  readonly day: string
  readonly subject: 'instance_type' | 'preference' | 'deprecated_api'
  readonly name: string
  readonly clusters: number
  readonly count: number
}

/** A day that was counted: the present one repeatedly, a past one again after late input. */
export interface AdoptionDay {
  readonly day: string
  readonly updatedMs: number
}

export interface AdoptionSink {
  /** Replaces the rows of a day, of all operators. */
  putDay(day: string, rows: readonly AdoptionRow[], usage: readonly UsageRow[], nowMs: number): Promise<void>
}

export interface AdoptionReader {
  /** Of one operator; both ends inclusive. */
  rows(operator: string, fromDay: string, toDay: string): Promise<readonly AdoptionRow[]>
  usage(fromDay: string, toDay: string): Promise<readonly UsageRow[]>
  /** Oldest first. */
  days(): Promise<readonly AdoptionDay[]>
  /** Sorted. */
  operators(): Promise<readonly string[]>
}
