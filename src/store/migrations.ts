import type Database from 'better-sqlite3'
import { FleetError } from '../base/errors.ts'
import { DEPLOYMENT_STEP } from './postgres/deployment-tables.ts'

/**
 * The schema: the baseline, then forward-only steps. `PRAGMA user_version` is the schema version of a file. A released
 * step is never edited. README.md draws the blobs. One file, however long: what a file of any version needs is read in order.
 */

/** No release wrote an older schema. */
const BASELINE_VERSION = 21

const BASELINE = `
  CREATE TABLE pair (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    value TEXT NOT NULL
  ) STRICT;
  -- How far each series is flushed, 1,024 refs per row.
  CREATE TABLE series_state (
    page INTEGER PRIMARY KEY,
    states BLOB NOT NULL
  ) STRICT;
  -- One row per group commit.
  CREATE TABLE log (
    id INTEGER PRIMARY KEY,
    max_ms INTEGER NOT NULL,
    payload BLOB NOT NULL
  ) STRICT;
  CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE token (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    hash TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    cluster TEXT,
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  -- value is text: SQLite stores a NaN as NULL. keep_firing_since_ms: keep_firing_for continues after a restart.
  CREATE TABLE alert_state (
    group_key TEXT NOT NULL,
    position INTEGER NOT NULL,
    rule_key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    labels TEXT NOT NULL,
    annotations TEXT NOT NULL,
    state TEXT NOT NULL,
    active_at_ms INTEGER NOT NULL,
    fired_at_ms INTEGER,
    resolved_at_ms INTEGER,
    last_held_at_ms INTEGER NOT NULL,
    value TEXT NOT NULL,
    keep_firing_since_ms INTEGER,
    PRIMARY KEY (group_key, position)
  ) STRICT, WITHOUT ROWID;
  -- position: blocks by rising position have the chunks of a series oldest first. is_open: its states are not in
  -- series_state yet. into_block: the block it is being compacted into. Sets of tiers (1 samples, 2 5 m, 4 1 h, 8 1 d):
  -- tiers are complete; stored may have rows (more than tiers while rollups are made or a tier is removed). is_rolled:
  -- no rollups remain to be made.
  CREATE TABLE block (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    level INTEGER NOT NULL,
    position INTEGER NOT NULL,
    cut_ms INTEGER NOT NULL,
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL,
    is_open INTEGER NOT NULL,
    into_block INTEGER,
    tiers INTEGER NOT NULL DEFAULT 1,
    stored INTEGER NOT NULL DEFAULT 1,
    is_rolled INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  -- metric: the number of its pair; 0: series without a name.
  CREATE TABLE pack (
    id INTEGER PRIMARY KEY,
    block INTEGER NOT NULL,
    metric INTEGER NOT NULL,
    first_ref INTEGER NOT NULL,
    last_ref INTEGER NOT NULL,
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL,
    directory BLOB NOT NULL,
    payload BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX pack_place ON pack (block, metric, first_ref, last_ref);
  -- Every query looks for blocks without samples; usually there are none.
  CREATE INDEX block_without_samples ON block (to_ms) WHERE tiers & 1 = 0;
  -- As pack; tier is one bit of a set of tiers.
  CREATE TABLE rollup (
    id INTEGER PRIMARY KEY,
    block INTEGER NOT NULL,
    tier INTEGER NOT NULL,
    metric INTEGER NOT NULL,
    first_ref INTEGER NOT NULL,
    last_ref INTEGER NOT NULL,
    edges BLOB NOT NULL,
    extremes BLOB NOT NULL,
    sums BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX rollup_place ON rollup (block, tier, metric, first_ref, last_ref);
  -- The new series of one commit. AUTOINCREMENT: a ref is never reused, not even after its batch is removed.
  CREATE TABLE series_batch (
    last_ref INTEGER PRIMARY KEY AUTOINCREMENT,
    series BLOB NOT NULL
  ) STRICT;
  -- Series without samples; the next start removes them.
  CREATE TABLE series_ended (
    ref INTEGER PRIMARY KEY
  ) STRICT;
  -- Native histograms that are not packed yet. A row without its sample is never read.
  CREATE TABLE histogram (
    ref INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    payload BLOB NOT NULL,
    PRIMARY KEY (ref, time_ms)
  ) STRICT, WITHOUT ROWID;
  -- Both times inclusive.
  CREATE TABLE histogram_pack (
    ref INTEGER NOT NULL,
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL,
    count INTEGER NOT NULL,
    payload BLOB NOT NULL,
    PRIMARY KEY (ref, from_ms)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX histogram_pack_age ON histogram_pack (to_ms);
  -- Series that have, or had, some.
  CREATE TABLE histogram_series (
    ref INTEGER PRIMARY KEY
  ) STRICT;
  -- seq: the order of arrival. value: eight bytes, because SQLite stores a NaN as NULL. labels: names and values,
  -- alternating, as JSON.
  CREATE TABLE exemplar (
    seq INTEGER PRIMARY KEY,
    ref INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    value BLOB NOT NULL,
    labels TEXT NOT NULL
  ) STRICT;
  -- seq: the order of arrival.
  CREATE TABLE metric_metadata (
    family TEXT NOT NULL,
    type TEXT NOT NULL,
    help TEXT NOT NULL,
    unit TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (family, type, help, unit)
  ) STRICT, WITHOUT ROWID;
  -- The samples of the head up to a row of the log, in parts. Ignored without a row in head_checkpoint.
  CREATE TABLE head_part (
    generation INTEGER NOT NULL,
    part INTEGER NOT NULL,
    payload BLOB NOT NULL,
    PRIMARY KEY (generation, part)
  ) STRICT;
  CREATE TABLE head_checkpoint (
    generation INTEGER PRIMARY KEY,
    log_id INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE silence (
    id TEXT PRIMARY KEY,
    matchers TEXT NOT NULL,
    starts_at_ms INTEGER NOT NULL,
    ends_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    comment TEXT NOT NULL,
    until_resolved INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  -- Stored as long as its alert_run.
  CREATE TABLE acknowledgement (
    fingerprint TEXT NOT NULL,
    active_at_ms INTEGER NOT NULL,
    by TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (fingerprint, active_at_ms)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    by TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL
  ) STRICT;
  -- Occurrences of alerts that fired. labels contain alertname and cluster too.
  CREATE TABLE alert_run (
    fingerprint TEXT NOT NULL,
    active_at_ms INTEGER NOT NULL,
    alertname TEXT NOT NULL,
    cluster TEXT NOT NULL,
    labels TEXT NOT NULL,
    annotations TEXT NOT NULL,
    fired_at_ms INTEGER NOT NULL,
    resolved_at_ms INTEGER,
    PRIMARY KEY (fingerprint, active_at_ms)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX alert_run_fired ON alert_run (fired_at_ms);
  CREATE INDEX alert_run_name ON alert_run (alertname, fired_at_ms);
  CREATE INDEX alert_run_cluster ON alert_run (cluster, fired_at_ms);
  -- Read at each start: the few occurrences that have not ended.
  CREATE INDEX alert_run_open ON alert_run (fired_at_ms) WHERE resolved_at_ms IS NULL;
  CREATE TABLE external_alert (
    fingerprint TEXT PRIMARY KEY,
    labels TEXT NOT NULL,
    annotations TEXT NOT NULL,
    starts_at_ms INTEGER NOT NULL,
    ends_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    received_at_ms INTEGER NOT NULL,
    is_timeout INTEGER NOT NULL,
    generator_url TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  -- The last notification of each group to each receiver.
  CREATE TABLE notification_log (
    key TEXT PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    firing TEXT NOT NULL,
    resolved TEXT NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  -- Attempts to notify a receiver. Long columns come last, so that lists do not read them.
  CREATE TABLE delivery (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    receiver TEXT NOT NULL,
    integration TEXT NOT NULL,
    target TEXT NOT NULL,
    group_key TEXT NOT NULL,
    alertnames TEXT NOT NULL,
    fingerprints TEXT NOT NULL,
    reason TEXT NOT NULL,
    outcome TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    status INTEGER,
    latency_ms REAL NOT NULL,
    error TEXT,
    retry_at_ms INTEGER,
    payload TEXT NOT NULL,
    answer TEXT
  ) STRICT;
  -- Finds occurrences that resolved recently, and when the oldest of them fired.
  CREATE INDEX alert_run_resolved ON alert_run (resolved_at_ms, fired_at_ms);
  -- Facts about clusters, as JSON; the other columns are what lists filter and sort by. A key of -1: unknown.
  -- REAL: times of spans are finer than a millisecond.
  CREATE TABLE fleet_cluster (
    cluster TEXT PRIMARY KEY,
    record TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE upgrade (
    id TEXT PRIMARY KEY,
    cluster TEXT NOT NULL,
    operator TEXT NOT NULL,
    from_version TEXT,
    to_version TEXT NOT NULL,
    state TEXT NOT NULL,
    is_open INTEGER NOT NULL,
    started_key REAL NOT NULL,
    ended_key REAL NOT NULL,
    duration_key REAL NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX upgrade_cluster ON upgrade (cluster, id);
  CREATE INDEX upgrade_started ON upgrade (started_key, id);
  CREATE INDEX upgrade_ended ON upgrade (ended_key, id);
  CREATE INDEX upgrade_duration ON upgrade (duration_key, id);
  CREATE INDEX upgrade_open ON upgrade (cluster, id) WHERE is_open = 1;
  CREATE TABLE version_interval (
    cluster TEXT NOT NULL,
    operator TEXT NOT NULL,
    from_ms REAL NOT NULL,
    version TEXT NOT NULL,
    until_ms REAL,
    is_start_known INTEGER NOT NULL,
    resolution_seconds REAL NOT NULL,
    PRIMARY KEY (cluster, operator, from_ms, version)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX version_interval_operator ON version_interval (operator, cluster, from_ms);
  CREATE TABLE modification (
    id TEXT PRIMARY KEY,
    cluster TEXT NOT NULL,
    kind TEXT NOT NULL,
    component TEXT NOT NULL,
    is_open INTEGER NOT NULL,
    started_key REAL NOT NULL,
    ended_ms REAL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX modification_cluster ON modification (cluster, id);
  CREATE INDEX modification_started ON modification (started_key, id);
  -- The versions in use at the end of each day, per operator, without retention: a year of ten thousand clusters takes
  -- about thirty megabytes, and is always read by whole days.
  CREATE TABLE adoption_day (
    day TEXT PRIMARY KEY,
    updated_at_ms INTEGER NOT NULL,
    usage TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE adoption_cube (
    operator TEXT NOT NULL,
    day TEXT NOT NULL,
    rows TEXT NOT NULL,
    PRIMARY KEY (operator, day)
  ) STRICT;
  -- start_ns: of its earliest span; last_start_ns: of its latest. kept_ms: the start of its retention, which is its newest
  -- end and never later than its arrival. Nanoseconds take 62 bits. tags_cut: it has more tags than are indexed.
  CREATE TABLE trace (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    trace_id BLOB NOT NULL UNIQUE,
    start_ns INTEGER NOT NULL,
    last_start_ns INTEGER NOT NULL,
    kept_ms INTEGER NOT NULL,
    tags_cut INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX trace_age ON trace (kept_ms);
  -- Spans of a trace that arrived together or were merged. links: of each span its id, its parent's id and the number
  -- of its service.
  CREATE TABLE trace_part (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    trace INTEGER NOT NULL,
    span_count INTEGER NOT NULL,
    links BLOB NOT NULL,
    payload BLOB NOT NULL
  ) STRICT;
  CREATE INDEX trace_part_trace ON trace_part (trace);
  -- Services and their operations; an empty operation is the service itself. kinds: bit n for the kind of number n.
  CREATE TABLE span_name (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    service TEXT NOT NULL,
    operation TEXT NOT NULL,
    kinds INTEGER NOT NULL,
    UNIQUE (service, operation)
  ) STRICT;
  -- Traces with spans of a name, by the start of the trace. name 0: any. The durations are of those spans.
  CREATE TABLE trace_name (
    trace INTEGER NOT NULL,
    name INTEGER NOT NULL,
    start_ns INTEGER NOT NULL,
    last_start_ns INTEGER NOT NULL,
    duration_min_ns INTEGER NOT NULL,
    duration_max_ns INTEGER NOT NULL,
    PRIMARY KEY (trace, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX trace_name_start ON trace_name
    (name, start_ns, last_start_ns, duration_min_ns, duration_max_ns);
  -- Traces of more than an hour: they start long before the requested spans.
  CREATE INDEX trace_name_long ON trace_name (name, start_ns) WHERE last_start_ns - start_ns > 3600000000000;
  -- tag: a hash of key and value.
  CREATE TABLE trace_tag (
    trace INTEGER NOT NULL,
    tag INTEGER NOT NULL,
    PRIMARY KEY (trace, tag)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX trace_tag_tag ON trace_tag (tag);
  -- Traces in which a cluster's operator reports an upgrade; position rises with each change.
  CREATE TABLE upgrade_trace (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    cluster TEXT NOT NULL,
    trace INTEGER NOT NULL,
    UNIQUE (cluster, trace)
  ) STRICT;
  CREATE INDEX upgrade_trace_trace ON upgrade_trace (trace);
  -- position: rises with each change of the cluster's observations. heard_ms: its last report, to the hour. aliases: a
  -- list, as JSON. checked_ms: up to which time retention was applied; trimmed_ms: up to which time it removed rows.
  CREATE TABLE observed_cluster (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    position INTEGER NOT NULL,
    heard_ms INTEGER NOT NULL,
    aliases TEXT NOT NULL,
    checked_ms INTEGER NOT NULL DEFAULT 0,
    trimmed_ms INTEGER
  ) STRICT;
  CREATE INDEX observed_cluster_position ON observed_cluster (position);
  -- name: empty while only listings contained it. listed_minute: of the last listing that contained it, since the epoch.
  CREATE TABLE observed_object (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    cluster INTEGER NOT NULL,
    uid BLOB NOT NULL,
    kind INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    listed_minute INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX observed_object_uid ON observed_object (cluster, uid, kind);
  CREATE INDEX observed_object_scope ON observed_object (cluster, kind, namespace, listed_minute);
  -- A distinct state of an object, with its first and its last sighting by resource version, and their field_manager.
  CREATE TABLE object_state (
    object INTEGER NOT NULL,
    is_deleted INTEGER NOT NULL,
    hash INTEGER NOT NULL,
    first_version INTEGER NOT NULL,
    first_ms INTEGER NOT NULL,
    first_change INTEGER NOT NULL,
    last_version INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    last_change INTEGER NOT NULL,
    facts BLOB NOT NULL,
    first_manager INTEGER,
    last_manager INTEGER,
    PRIMARY KEY (object, is_deleted, hash)
  ) STRICT, WITHOUT ROWID;
  -- When the objects of a kind were listed.
  CREATE TABLE object_listing (
    cluster INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    minutes BLOB NOT NULL,
    PRIMARY KEY (cluster, kind, namespace)
  ) STRICT, WITHOUT ROWID;
  -- The labels of a series that a signal reads, sorted, as JSON.
  CREATE TABLE metric_run_series (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    signal TEXT NOT NULL,
    labels TEXT NOT NULL,
    UNIQUE (signal, labels)
  ) STRICT;
  -- value: a NaN is NULL.
  CREATE TABLE metric_run (
    cluster INTEGER NOT NULL,
    first_ms INTEGER NOT NULL,
    series INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    value REAL,
    before_ms INTEGER,
    after_ms INTEGER,
    PRIMARY KEY (cluster, first_ms, series)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE log_source (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    cluster TEXT NOT NULL,
    service TEXT NOT NULL,
    UNIQUE (cluster, service)
  ) STRICT;
  -- Received log records. hash: of the payload, so that a repeated record is the same row. Nanoseconds take 62 bits.
  CREATE TABLE log_record (
    time_ns INTEGER NOT NULL,
    source INTEGER NOT NULL,
    hash INTEGER NOT NULL,
    severity INTEGER NOT NULL,
    trace_id BLOB,
    payload BLOB NOT NULL,
    PRIMARY KEY (time_ns, source, hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX log_record_source ON log_record (source, time_ns);
  CREATE INDEX log_record_trace ON log_record (trace_id, time_ns) WHERE trace_id IS NOT NULL;
  -- Clusters on which an alert fired; position rises with each new occurrence.
  CREATE TABLE alert_change (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    cluster TEXT NOT NULL UNIQUE
  ) STRICT;
  -- Writers of objects by their managedFields: manager, operation and subresource, separated by tabs.
  CREATE TABLE field_manager (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL UNIQUE) STRICT;
  -- Clusters declared decommissioned by a user. end_kind: withdrawn, returned.
  CREATE TABLE decommission (
    id TEXT PRIMARY KEY,
    cluster TEXT NOT NULL,
    since_ms INTEGER NOT NULL,
    by TEXT NOT NULL,
    reason TEXT NOT NULL,
    said_at_ms INTEGER NOT NULL,
    end_kind TEXT,
    ended_at_ms INTEGER,
    ended_by TEXT
  ) STRICT;
`

/** A step of both databases, or a text for SQLite alone: samples and what belongs to them are in no other. */
type Step = string | { readonly sqlite: string; readonly postgres: string }

/** The steps from each version to the next, from the baseline on. PostgreSQL takes those after its own baseline. */
export const STEPS: readonly Step[] = [
  // seen_ms: when last_version was observed last: the first time in that hour. 0: last_ms is all that is known.
  'ALTER TABLE object_state ADD COLUMN seen_ms INTEGER NOT NULL DEFAULT 0',
  // Who reported an external alert first; empty: stored by an earlier version.
  "ALTER TABLE external_alert ADD COLUMN sender TEXT NOT NULL DEFAULT ''",
  // Names of clusters with who claims them. joined: the cluster that the name was joined into. Of the aliases until now
  // the claiming sender is unknown: each is an alias that joins nothing, until its sender claims it again.
  `
  CREATE TABLE cluster_claim (
    cluster TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    is_joining INTEGER NOT NULL,
    is_bound INTEGER NOT NULL,
    refusal TEXT,
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    PRIMARY KEY (cluster, name)
  ) STRICT;
  CREATE INDEX cluster_claim_name ON cluster_claim (name);
  INSERT INTO cluster_claim (cluster, name, kind, is_joining, is_bound, first_ms, last_ms)
    SELECT observed_cluster.name, alias.value, 'name', 0, 0, 0, 0
      FROM observed_cluster, json_each(observed_cluster.aliases) AS alias;
  ALTER TABLE observed_cluster DROP COLUMN aliases;
  ALTER TABLE observed_cluster ADD COLUMN joined TEXT;
  CREATE INDEX observed_cluster_joined ON observed_cluster (joined) WHERE joined IS NOT NULL;
  `,
  // objects_position: of the last change that may change what is read of objects. 0: none since this column exists.
  'ALTER TABLE observed_cluster ADD COLUMN objects_position INTEGER NOT NULL DEFAULT 0',
  // bytes: of the spans as text; of earlier parts only their stored bytes are known. is_cut: spans were refused.
  `
  ALTER TABLE trace_part ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
  UPDATE trace_part SET bytes = length(payload);
  ALTER TABLE trace ADD COLUMN is_cut INTEGER NOT NULL DEFAULT 0;
  `,
  // Clusters that are, or were, erased. names: a list, as JSON; NULL once nothing is stored of the cluster. hashes: keyed
  // ones of these names, by which its data is refused until it is allowed.
  `
  CREATE TABLE erasure (
    id TEXT PRIMARY KEY,
    names TEXT,
    hashes TEXT NOT NULL,
    by TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    done_ms INTEGER,
    allowed_ms INTEGER,
    allowed_by TEXT
  ) STRICT;
  -- Label pairs of erased series, until it is known which of them no other series has.
  CREATE TABLE erased_pair (
    id INTEGER PRIMARY KEY
  ) STRICT;
  `,
  // checksum: CRC-32 of the bytes beside it; NULL: stored by an earlier version. Deflated bytes have a checksum inside.
  // damage: what was found damaged and is left out, packs and rollups under the negative number of their block. id: of the
  // row; 0: unknown. metric: -1 for any. Times: of what it holds, inclusive.
  `
  ALTER TABLE log ADD COLUMN checksum INTEGER;
  ALTER TABLE head_part ADD COLUMN checksum INTEGER;
  ALTER TABLE series_batch ADD COLUMN checksum INTEGER;
  ALTER TABLE series_state ADD COLUMN checksum INTEGER;
  CREATE TABLE damage (
    kind TEXT NOT NULL,
    id INTEGER NOT NULL,
    metric INTEGER NOT NULL,
    first_ref INTEGER NOT NULL,
    last_ref INTEGER NOT NULL,
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (kind, id, metric, first_ref)
  ) STRICT, WITHOUT ROWID;
  `,
  // Sessions of people, expiry and use of tokens, the hash chain of the audit. The entries until now are not part of
  // the chain: they end at its anchor.
  `
  CREATE TABLE session (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    next_hash TEXT,
    person TEXT NOT NULL,
    name TEXT NOT NULL,
    groups TEXT NOT NULL,
    started_at_ms INTEGER NOT NULL,
    rotated_at_ms INTEGER NOT NULL,
    last_seen_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE token ADD COLUMN expires_at_ms INTEGER;
  ALTER TABLE token ADD COLUMN last_used_ms INTEGER;
  ALTER TABLE audit ADD COLUMN hash TEXT NOT NULL DEFAULT '';
  INSERT INTO meta (key, value)
    SELECT 'audit.anchor', json_object('id', seq, 'hash', '') FROM sqlite_sequence WHERE name = 'audit';
  `,
  // Part of the hash of an entry of the audit. The entries until now have none.
  "ALTER TABLE audit ADD COLUMN salt TEXT NOT NULL DEFAULT ''",
  // The clusters that a token may see; NULL: all.
  `ALTER TABLE token ADD COLUMN clusters TEXT;`,
  // Cold series: those without stored samples other than rollups. Times: of the newest sample of each series of a segment.
  // first_ref: the least. cold_series: where a series is, also when it is warm again; hash: keyed, of its labels; NULL:
  // it is warm. cold_metric: metrics with segments, which are no label pairs while all their series are cold.
  `
  CREATE TABLE cold_metric (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE cold_segment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    metric INTEGER NOT NULL,
    count INTEGER NOT NULL,
    first_ref INTEGER NOT NULL,
    oldest_ms INTEGER NOT NULL,
    newest_ms INTEGER NOT NULL,
    series BLOB NOT NULL
  ) STRICT;
  CREATE INDEX cold_segment_place ON cold_segment (metric, newest_ms);
  CREATE INDEX cold_segment_age ON cold_segment (oldest_ms);
  CREATE TABLE cold_series (
    ref INTEGER PRIMARY KEY,
    segment INTEGER NOT NULL,
    hash INTEGER
  ) STRICT;
  CREATE INDEX cold_series_hash ON cold_series (hash) WHERE hash IS NOT NULL;
  INSERT INTO meta (key, value) VALUES ('cold.key', hex(randomblob(16)));
  `,
  // The keys of rows that a commit changed, while observations are shipped. seq: the order of commits.
  'CREATE TABLE shipping_change (seq INTEGER PRIMARY KEY AUTOINCREMENT, keys BLOB NOT NULL) STRICT',
  // Risks of upgrades that users accept. id: of one request, which has a row for each of its clusters.
  {
    sqlite: `
  CREATE TABLE accepted_risk (
    id TEXT NOT NULL,
    cluster TEXT NOT NULL,
    hazard TEXT NOT NULL,
    reason TEXT NOT NULL,
    by TEXT NOT NULL,
    accepted_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    withdrawn_at_ms INTEGER,
    withdrawn_by TEXT,
    PRIMARY KEY (id, cluster)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX accepted_risk_cluster ON accepted_risk (cluster);
  `,
    postgres: `
  CREATE TABLE accepted_risk (
    id bytewise NOT NULL,
    cluster bytewise NOT NULL,
    hazard text NOT NULL,
    reason text NOT NULL,
    by text NOT NULL,
    accepted_at_ms bigint NOT NULL,
    expires_at_ms bigint NOT NULL,
    withdrawn_at_ms bigint,
    withdrawn_by text,
    PRIMARY KEY (id, cluster)
  );
  CREATE INDEX accepted_risk_cluster ON accepted_risk (cluster);
  CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON accepted_risk
    FOR EACH STATEMENT EXECUTE FUNCTION tell_table();
  `,
  },
  // The cluster with whose configuration all others are compared: at most one row.
  {
    sqlite: `
  CREATE TABLE configuration_baseline (
    id INTEGER PRIMARY KEY,
    cluster TEXT NOT NULL,
    by TEXT NOT NULL,
    chosen_at_ms INTEGER NOT NULL
  ) STRICT;
  `,
    postgres: `
  CREATE TABLE configuration_baseline (
    id bigint PRIMARY KEY,
    cluster bytewise NOT NULL,
    by text NOT NULL,
    chosen_at_ms bigint NOT NULL
  );
  CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON configuration_baseline
    FOR EACH STATEMENT EXECUTE FUNCTION tell_table();
  `,
  },
  // Imported catalogs and graphs. kind: catalog, graph. document: as it was read, JSON.
  {
    sqlite: `
      CREATE TABLE update_graph (
        name TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        operator TEXT NOT NULL,
        arch TEXT,
        source TEXT NOT NULL,
        imported_at_ms INTEGER NOT NULL,
        by TEXT NOT NULL,
        document TEXT NOT NULL
      ) STRICT;
    `,
    postgres: `
      CREATE TABLE update_graph (
        name bytewise PRIMARY KEY,
        kind text NOT NULL,
        operator text NOT NULL,
        arch text,
        source text NOT NULL,
        imported_at_ms bigint NOT NULL,
        by text NOT NULL,
        document text NOT NULL
      );
      CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON update_graph
        FOR EACH STATEMENT EXECUTE FUNCTION tell_table();
    `,
  },
  // metrics_store: JSON, how far the metrics store is. PostgreSQL: what processes know of each other.
  { sqlite: 'ALTER TABLE erasure ADD COLUMN metrics_store TEXT', postgres: DEPLOYMENT_STEP },
  // kind: opted_out; null: decommissioned.
  {
    sqlite: 'ALTER TABLE decommission ADD COLUMN kind TEXT',
    postgres: 'ALTER TABLE decommission ADD COLUMN kind text',
  },
  // Past conditions, settings and nodes of a cluster. payload: see src/store/facts/cluster-values.ts. A cluster gets its past, from
  // its stored evidence, when it is derived next: with its next report.
  {
    sqlite: `
      CREATE TABLE cluster_values (
        cluster TEXT PRIMARY KEY,
        payload BLOB NOT NULL
      ) STRICT;
    `,
    postgres: `
      CREATE TABLE cluster_values (
        cluster bytewise PRIMARY KEY,
        payload bytea NOT NULL
      );
    `,
  },
  // What people record while they work through runbooks, one row per entry; the revisions of runbooks. steps: JSON.
  {
    sqlite: `
      CREATE TABLE runbook_work (
        fingerprint TEXT NOT NULL,
        active_at_ms INTEGER NOT NULL,
        number INTEGER NOT NULL,
        cluster TEXT NOT NULL,
        alertname TEXT NOT NULL,
        runbook TEXT NOT NULL,
        revision TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        by TEXT NOT NULL,
        kind TEXT NOT NULL,
        step TEXT,
        text TEXT,
        PRIMARY KEY (fingerprint, active_at_ms, number)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX runbook_work_cluster ON runbook_work (cluster);
      CREATE TABLE runbook_revision (
        runbook TEXT NOT NULL,
        from_ms INTEGER NOT NULL,
        revision TEXT NOT NULL,
        steps TEXT NOT NULL,
        PRIMARY KEY (runbook, from_ms)
      ) STRICT, WITHOUT ROWID;
    `,
    postgres: `
      CREATE TABLE runbook_work (
        fingerprint bytewise NOT NULL,
        active_at_ms bigint NOT NULL,
        number bigint NOT NULL,
        cluster bytewise NOT NULL,
        alertname text NOT NULL,
        runbook text NOT NULL,
        revision text NOT NULL,
        at_ms bigint NOT NULL,
        by text NOT NULL,
        kind text NOT NULL,
        step text,
        text text,
        PRIMARY KEY (fingerprint, active_at_ms, number)
      );
      CREATE INDEX runbook_work_cluster ON runbook_work (cluster);
      CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON runbook_work
        FOR EACH STATEMENT EXECUTE FUNCTION tell_table();
      CREATE TABLE runbook_revision (
        runbook bytewise NOT NULL,
        from_ms bigint NOT NULL,
        revision text NOT NULL,
        steps text NOT NULL,
        PRIMARY KEY (runbook, from_ms)
      );
    `,
  },
]

/** The version of a file that this program has brought up to date. */
export const SCHEMA_VERSION = BASELINE_VERSION + STEPS.length

/** The version that a step leads to. */
export function versionOfStep(index: number): number {
  return BASELINE_VERSION + index + 1
}

/**
 * Creates the schema in an empty file, and runs the missing steps, in one transaction. Throws FleetError
 * as `checkVersion` does.
 */
export function migrate(db: Database.Database, path: string): void {
  // IMMEDIATE, and the version read inside: a token command and a server may start at the same moment.
  const run = db.transaction(() => {
    const version = versionOf(db)
    if (version !== 0) checkVersion(version, path)
    if (version === SCHEMA_VERSION) return
    if (version === 0) db.exec(BASELINE)
    for (const step of STEPS.slice(Math.max(0, version - BASELINE_VERSION))) {
      db.exec(typeof step === 'string' ? step : step.sqlite)
    }
    db.pragma(`user_version = ${SCHEMA_VERSION}`)
  })
  run.immediate()
}

/** Throws FleetError `data_dir_too_new` or `storage_failed` for a schema that this program cannot read. */
export function checkVersion(version: number, path: string): void {
  if (version > SCHEMA_VERSION) {
    throw new FleetError(
      'data_dir_too_new',
      `${path} has schema version ${version}, this program knows ${SCHEMA_VERSION}`,
      { hint: 'start the newer daytwo that wrote it, or restore a backup made by this version' },
    )
  }
  if (version < BASELINE_VERSION) {
    throw new FleetError(
      'storage_failed',
      `${path} has schema version ${version}, this program reads ${BASELINE_VERSION} and later`,
      { hint: 'it was written before the first release; start with an empty data directory' },
    )
  }
}

export function versionOf(db: Database.Database): number {
  return Number(db.pragma('user_version', { simple: true }))
}
