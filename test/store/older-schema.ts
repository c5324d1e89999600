/** The steps of the schema backwards, so that a test can make a file of an earlier version from a new one. */
import type Database from 'better-sqlite3'
import { SCHEMA_VERSION } from '../../src/store/migrations.ts'

/** What undoes the step to a version. */
const UNDO: Readonly<Record<number, string>> = {
  22: 'ALTER TABLE object_state DROP COLUMN seen_ms',
  23: 'ALTER TABLE external_alert DROP COLUMN sender',
  24: `DROP TABLE cluster_claim; DROP INDEX observed_cluster_joined; ALTER TABLE observed_cluster DROP COLUMN joined;
    ALTER TABLE observed_cluster ADD COLUMN aliases TEXT NOT NULL DEFAULT '[]'`,
  25: 'ALTER TABLE observed_cluster DROP COLUMN objects_position',
  26: 'ALTER TABLE trace_part DROP COLUMN bytes; ALTER TABLE trace DROP COLUMN is_cut',
  27: 'DROP TABLE erasure; DROP TABLE erased_pair',
  28: `ALTER TABLE log DROP COLUMN checksum; ALTER TABLE head_part DROP COLUMN checksum;
    ALTER TABLE series_batch DROP COLUMN checksum; ALTER TABLE series_state DROP COLUMN checksum; DROP TABLE damage`,
  29: `DROP TABLE session; ALTER TABLE token DROP COLUMN expires_at_ms; ALTER TABLE token DROP COLUMN last_used_ms;
    ALTER TABLE audit DROP COLUMN hash; DELETE FROM meta WHERE key = 'audit.anchor'`,
  30: 'ALTER TABLE audit DROP COLUMN salt',
  31: 'ALTER TABLE token DROP COLUMN clusters',
  32: `DROP TABLE cold_metric; DROP TABLE cold_segment; DROP TABLE cold_series;
    DELETE FROM meta WHERE key = 'cold.key'`,
  33: 'DROP TABLE shipping_change',
  34: 'DROP TABLE accepted_risk',
  35: 'DROP TABLE configuration_baseline',
  36: 'DROP TABLE update_graph',
  37: 'ALTER TABLE erasure DROP COLUMN metrics_store',
  38: 'ALTER TABLE decommission DROP COLUMN kind',
  39: 'DROP TABLE cluster_values',
  40: 'DROP TABLE runbook_work; DROP TABLE runbook_revision',
}

export function makeOlder(db: Database.Database, version: number): void {
  for (let step = SCHEMA_VERSION; step > version; step--) {
    const undo = UNDO[step]
    if (undo === undefined) throw new Error(`how to undo the step to schema ${step} is not written down`)
    db.exec(undo)
  }
  db.pragma(`user_version = ${version}`)
}
