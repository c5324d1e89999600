import type { Generated } from 'kysely'

/** The tables of facts, as Kysely sees them. Columns are what SQLite and PostgreSQL both have; JSON is text. */
export interface FactsSchema {
  readonly meta: MetaTable
  readonly token: TokenTable
  readonly alert_state: AlertStateTable
}

export interface MetaTable {
  readonly key: string
  readonly value: string
}

export interface TokenTable {
  readonly id: Generated<number>
  readonly hash: string
  readonly role: string
  readonly name: string
  readonly cluster: string | null
  readonly created_at_ms: number
}

export interface AlertStateTable {
  readonly group_key: string
  /** Place among the group's records. */
  readonly position: number
  readonly rule_key: string
  readonly fingerprint: string
  /** JSON array of names and values in turn. */
  readonly labels: string
  /** JSON object. */
  readonly annotations: string
  readonly state: string
  readonly active_at_ms: number
  readonly fired_at_ms: number | null
  readonly resolved_at_ms: number | null
  readonly last_held_at_ms: number
  readonly keep_firing_since_ms: number | null
  /** The number as text: no column type keeps NaN, infinities and minus zero in both databases. */
  readonly value: string
}
