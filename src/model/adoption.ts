/**
 * What ran where, one row a day for ever: how many clusters had one combination at the end of the day (UTC). Small, so
 * that no question about the past needs samples.
 */
export interface AdoptionRow {
  /** `2026-11-21`. */
  readonly day: string
  readonly operator: string
  readonly version: string
  readonly channel: string
  /** `openshift 4.20`, `kubernetes`, empty when not told. */
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

export interface AdoptionSink {
  /** Replaces the rows of a day. */
  putDay(day: string, rows: readonly AdoptionRow[], usage: readonly UsageRow[]): Promise<void>
}

export interface AdoptionReader {
  /** Both ends inclusive. */
  rows(operator: string, fromDay: string, toDay: string): Promise<readonly AdoptionRow[]>
  usage(fromDay: string, toDay: string): Promise<readonly UsageRow[]>
  days(): Promise<{ readonly first: string; readonly last: string } | undefined>
}
