import type { Generated } from 'kysely'

/** The tables of facts, as Kysely sees them. Columns are what SQLite and PostgreSQL both have; JSON is text. */
export interface FactsSchema {
  readonly meta: MetaTable
  readonly token: TokenTable
  readonly session: SessionTable
  readonly notification_log: NotificationLogTable
  readonly delivery: DeliveryTable
  readonly alert_state: AlertStateTable
  readonly silence: SilenceTable
  readonly acknowledgement: AcknowledgementTable
  readonly audit: AuditTable
  readonly alert_run: AlertRunTable
  readonly alert_change: AlertChangeTable
  readonly external_alert: ExternalAlertTable
  readonly adoption_day: AdoptionDayTable
  readonly adoption_cube: AdoptionCubeTable
  readonly fleet_cluster: FleetClusterTable
  readonly upgrade: UpgradeTable
  readonly version_interval: VersionIntervalTable
  readonly modification: ModificationTable
  readonly cluster_values: ClusterValuesTable
  readonly decommission: DecommissionTable
  readonly accepted_risk: AcceptedRiskTable
  readonly configuration_baseline: ConfigurationBaselineTable
  readonly update_graph: UpdateGraphTable
  readonly runbook_work: RunbookWorkTable
  readonly runbook_revision: RunbookRevisionTable
}

export interface RunbookWorkTable {
  readonly fingerprint: string
  readonly active_at_ms: number
  readonly number: number
  readonly cluster: string
  readonly alertname: string
  readonly runbook: string
  readonly revision: string
  readonly at_ms: number
  readonly by: string
  readonly kind: string
  readonly step: string | null
  readonly text: string | null
}

export interface RunbookRevisionTable {
  readonly runbook: string
  readonly from_ms: number
  readonly revision: string
  /** JSON array of `RunbookStep`. */
  readonly steps: string
}

/** At most one row. */
interface ConfigurationBaselineTable {
  readonly id: number
  readonly cluster: string
  readonly by: string
  readonly chosen_at_ms: number
}

export interface UpdateGraphTable {
  readonly name: string
  readonly kind: string
  readonly operator: string
  readonly arch: string | null
  readonly source: string
  readonly imported_at_ms: number
  readonly by: string
  /** JSON. */
  readonly document: string
}

/** See `cluster-values.ts`. */
export interface ClusterValuesTable {
  readonly cluster: string
  readonly payload: Uint8Array
}

export interface DecommissionTable {
  readonly id: string
  readonly cluster: string
  readonly since_ms: number
  readonly by: string
  readonly reason: string
  readonly said_at_ms: number
  /** How it ended, when, and by whom; all three or none. */
  readonly end_kind: string | null
  readonly ended_at_ms: number | null
  readonly ended_by: string | null
  /** `opted_out`; null: decommissioned. */
  readonly kind: string | null
}

export interface AcceptedRiskTable {
  readonly id: string
  readonly cluster: string
  readonly hazard: string
  readonly reason: string
  readonly by: string
  readonly accepted_at_ms: number
  readonly expires_at_ms: number
  /** Both or none. */
  readonly withdrawn_at_ms: number | null
  readonly withdrawn_by: string | null
}

interface AdoptionDayTable {
  readonly day: string
  readonly updated_at_ms: number
  /** JSON array of usage rows: subject, name, clusters, count in turn. */
  readonly usage: string
}

interface AdoptionCubeTable {
  readonly day: string
  readonly operator: string
  /** JSON array of rows, each an array in the order of the columns of adoption.ts. */
  readonly rows: string
}

interface MetaTable {
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
  readonly expires_at_ms: number | null
  readonly last_used_ms: number | null
  /** As `formatSelectors` writes them. */
  readonly clusters: string | null
}

export interface SessionTable {
  readonly id: string
  readonly hash: string
  readonly next_hash: string | null
  readonly person: string
  readonly name: string
  /** JSON array. */
  readonly groups: string
  readonly started_at_ms: number
  readonly rotated_at_ms: number
  readonly last_seen_ms: number
}

interface AlertChangeTable {
  readonly position: Generated<number>
  readonly cluster: string
}

export interface AlertStateTable {
  readonly group_key: string
  /** Place among the group's records. */
  readonly position: number
  readonly rule_key: string
  readonly fingerprint: string
  /** JSON array of names and values, alternating. */
  readonly labels: string
  /** JSON object. */
  readonly annotations: string
  readonly state: string
  readonly active_at_ms: number
  readonly fired_at_ms: number | null
  readonly resolved_at_ms: number | null
  readonly last_held_at_ms: number
  readonly keep_firing_since_ms: number | null
  /** The number as text: no column type stores NaN, infinities and minus zero in both databases. */
  readonly value: string
}

export interface SilenceTable {
  readonly id: string
  /** JSON array of `Matcher`. */
  readonly matchers: string
  readonly starts_at_ms: number
  readonly ends_at_ms: number
  readonly updated_at_ms: number
  readonly created_by: string
  readonly comment: string
  /** 0 or 1. */
  readonly until_resolved: number
}

export interface AcknowledgementTable {
  readonly fingerprint: string
  readonly active_at_ms: number
  readonly by: string
  readonly at_ms: number
  readonly note: string
}

export interface AuditTable {
  readonly id: Generated<number>
  readonly at_ms: number
  readonly by: string
  readonly action: string
  readonly subject: string
  readonly detail: string
  /** See `model/audit-chain.ts`. */
  readonly hash: string
  readonly salt: string
}

export interface AlertRunTable {
  readonly fingerprint: string
  readonly active_at_ms: number
  readonly alertname: string
  readonly cluster: string
  /** JSON array of names and values, alternating. */
  readonly labels: string
  /** JSON object. */
  readonly annotations: string
  readonly fired_at_ms: number
  readonly resolved_at_ms: number | null
}

export interface ExternalAlertTable {
  readonly fingerprint: string
  readonly labels: string
  readonly annotations: string
  readonly starts_at_ms: number
  readonly ends_at_ms: number
  readonly updated_at_ms: number
  readonly received_at_ms: number
  /** 0 or 1. */
  readonly is_timeout: number
  readonly generator_url: string
  readonly sender: string
}

export interface NotificationLogTable {
  readonly key: string
  readonly at_ms: number
  /** JSON arrays of fingerprints. */
  readonly firing: string
  readonly resolved: string
  readonly expires_at_ms: number
}

export interface DeliveryTable {
  readonly id: Generated<number>
  readonly at_ms: number
  readonly receiver: string
  readonly integration: string
  readonly target: string
  readonly group_key: string
  /** JSON array. */
  readonly alertnames: string
  /** JSON array. */
  readonly fingerprints: string
  readonly reason: string
  readonly outcome: string
  readonly attempt: number
  readonly status: number | null
  readonly latency_ms: number
  readonly error: string | null
  readonly retry_at_ms: number | null
  readonly payload: string
  readonly answer: string | null
}

export interface FleetClusterTable {
  readonly cluster: string
  /** JSON of `ClusterRecord`. */
  readonly record: string
}

/** Keys are -1 for an unknown time. */
export interface UpgradeTable {
  readonly id: string
  readonly cluster: string
  readonly operator: string
  readonly from_version: string | null
  readonly to_version: string
  readonly state: string
  /** 0 or 1: it runs, or its workloads still follow. */
  readonly is_open: number
  readonly started_key: number
  readonly ended_key: number
  readonly duration_key: number
  /** JSON of `UpgradeRecord`. */
  readonly record: string
}

export interface VersionIntervalTable {
  readonly cluster: string
  readonly operator: string
  readonly from_ms: number
  readonly version: string
  readonly until_ms: number | null
  /** 0 or 1. */
  readonly is_start_known: number
  readonly resolution_seconds: number
}

export interface ModificationTable {
  readonly id: string
  readonly cluster: string
  readonly kind: string
  readonly component: string
  /** 1: not yet reverted. */
  readonly is_open: number
  readonly started_key: number
  readonly ended_ms: number | null
  /** JSON of `Modification`. */
  readonly record: string
}
