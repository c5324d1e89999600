import type Database from 'better-sqlite3'
import { FleetError } from '../base/errors.ts'
import { packSeriesRows } from './index/series-batch.ts'

/**
 * The schema, as forward-only steps; `PRAGMA user_version` counts the completed steps. A released step is never edited.
 * README.md draws the blobs.
 *
 * One file, even when long: the list is the schema's history, read from top to bottom and extended only at its end.
 * Split into parts, the order of the steps, which is what matters here, would be defined elsewhere.
 */
const STEPS: readonly (string | ((db: Database.Database) => void))[] = [
  `
  CREATE TABLE pair (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    value TEXT NOT NULL
  ) STRICT;
  -- ended: it has no samples any more, and goes at the next start. AUTOINCREMENT: a ref is never used again.
  CREATE TABLE series (
    ref INTEGER PRIMARY KEY AUTOINCREMENT,
    pairs BLOB NOT NULL,
    ended INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  -- What is flushed of each series, 1,024 refs to a row.
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
  CREATE TABLE flush (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL
  ) STRICT;
  -- By flush first: a flush appends to the end of the table, and retention removes from its beginning.
  CREATE TABLE chunk (
    flush INTEGER NOT NULL,
    ref INTEGER NOT NULL,
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL,
    payload BLOB NOT NULL,
    PRIMARY KEY (flush, ref)
  ) STRICT, WITHOUT ROWID;
  `,
  `
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
  -- value is text: SQLite keeps a NaN as NULL.
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
    PRIMARY KEY (group_key, position)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  DROP TABLE chunk;
  DROP TABLE flush;
  -- position: blocks by it have the chunks of a series oldest first. is_open: series_state does not have it yet.
  -- into_block: where it is being compacted to.
  CREATE TABLE block (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    level INTEGER NOT NULL,
    position INTEGER NOT NULL,
    cut_ms INTEGER NOT NULL,
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL,
    is_open INTEGER NOT NULL,
    into_block INTEGER
  ) STRICT;
  -- metric: the number of its pair, 0 for series without a name.
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
  `,
  `
  -- Without it, each restart would begin keep_firing_for anew.
  ALTER TABLE alert_state ADD COLUMN keep_firing_since_ms INTEGER;
  `,
  `
  -- Sets of tiers (1 samples, 2 5 m, 4 1 h, 8 1 d). tiers: what a reader may rely on. stored: what may have rows; more
  -- than that while a block is rolled up, and while rows of a tier that went are removed. is_rolled: no rollups are to
  -- be made of it any more.
  ALTER TABLE block ADD COLUMN tiers INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE block ADD COLUMN stored INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE block ADD COLUMN is_rolled INTEGER NOT NULL DEFAULT 0;
  -- Every query asks for blocks without their samples, and mostly there are none.
  CREATE INDEX block_without_samples ON block (to_ms) WHERE tiers & 1 = 0;
  -- As pack; tier is the bit of one.
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
  `,
  `
  -- The series of one commit. AUTOINCREMENT: a ref is never used again, not even when its batch is gone.
  CREATE TABLE series_batch (
    last_ref INTEGER PRIMARY KEY AUTOINCREMENT,
    series BLOB NOT NULL
  ) STRICT;
  -- They have no samples any more, and go at the next start.
  CREATE TABLE series_ended (
    ref INTEGER PRIMARY KEY
  ) STRICT;
  `,
  packSeriesRows,
  `
  DROP TABLE series;
  `,
  `
  -- What native histograms say, until they are packed. That there is one, its sample says.
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
  -- seq: the larger, the later it came. value is its eight bytes: SQLite keeps a NaN as NULL. labels: names and values in
  -- turn, as JSON.
  CREATE TABLE exemplar (
    seq INTEGER PRIMARY KEY,
    ref INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    value BLOB NOT NULL,
    labels TEXT NOT NULL
  ) STRICT;
  -- seq: the larger, the later it was said.
  CREATE TABLE metric_metadata (
    family TEXT NOT NULL,
    type TEXT NOT NULL,
    help TEXT NOT NULL,
    unit TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (family, type, help, unit)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The samples of the head as of a row of the log, in parts. Without a row in head_checkpoint they are nothing.
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
  `,
  `
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
  -- Kept as long as the run that it is of.
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
  -- Each run of an alert that fired. alertname and cluster stand in labels too.
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
  -- What a start asks: which runs had not ended. There are few.
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
  `,
  `
  -- What each receiver was last told of each group.
  CREATE TABLE notification_log (
    key TEXT PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    firing TEXT NOT NULL,
    resolved TEXT NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  -- Every attempt to tell somebody. The long ones come last, so that lists need not read them.
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
  `,
  `
  -- Which runs resolved lately, and when the oldest of them fired.
  CREATE INDEX alert_run_resolved ON alert_run (resolved_at_ms, fired_at_ms);
  `,
  `
  -- Facts about clusters, as JSON; the columns are what lists filter and sort by. A key of -1: not known.
  -- REAL: spans tell times finer than a millisecond.
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
  `,
  `
  -- What ran where at the end of each day, one row a day and operator, for ever: a year of ten thousand clusters is some
  -- thirty megabytes, and is always read by whole days.
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
  `,
  `
  -- start_ns: of its earliest span; last_start_ns: of its latest. kept_ms: its newest end, and never later than it was
  -- received; retention counts from there. Times in nanoseconds take 62 bits. tags_cut: it has more tags than are indexed.
  CREATE TABLE trace (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    trace_id BLOB NOT NULL UNIQUE,
    start_ns INTEGER NOT NULL,
    last_start_ns INTEGER NOT NULL,
    kept_ms INTEGER NOT NULL,
    tags_cut INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX trace_age ON trace (kept_ms);
  -- Spans of a trace that came together, or were merged. links: of each span its id, its
  -- parent's and the number of its service.
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
  -- Which traces have spans of a name, by the trace's start. name 0: any. The rest is of those spans.
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
  -- Traces that go on for more than an hour: they start long before the spans that are asked for.
  CREATE INDEX trace_name_long ON trace_name (name, start_ns) WHERE last_start_ns - start_ns > 3600000000000;
  -- tag: a hash of key and value.
  CREATE TABLE trace_tag (
    trace INTEGER NOT NULL,
    tag INTEGER NOT NULL,
    PRIMARY KEY (trace, tag)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX trace_tag_tag ON trace_tag (tag);
  -- Traces in which a cluster's operator tells of an upgrade; position rises with each change.
  CREATE TABLE upgrade_trace (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    cluster TEXT NOT NULL,
    trace INTEGER NOT NULL,
    UNIQUE (cluster, trace)
  ) STRICT;
  CREATE INDEX upgrade_trace_trace ON upgrade_trace (trace);
  `,
  `
  -- position: rises with each change of what is told of the cluster. heard_ms: its last sign of life, to the hour. aliases:
  -- a list, as JSON. checked_ms: up to where it was looked at what is too old; trimmed_ms: up to where some of it went.
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
  -- name: empty as long as it was in listings alone. listed_minute: of the last listing that had it, of the epoch.
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
  -- A distinct state of an object, with its first and its last sighting by resource version.
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
  -- What a signal reads of a series; labels: sorted, as JSON.
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
  `,
  `
  CREATE TABLE log_source (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    cluster TEXT NOT NULL,
    service TEXT NOT NULL,
    UNIQUE (cluster, service)
  ) STRICT;
  -- Log records of others. hash: of the payload, so that one that is sent again is the same row. Nanoseconds take 62 bits.
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
  `,
  `
  -- Clusters on which an alert fired; position rises with each run that is new.
  CREATE TABLE alert_change (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    cluster TEXT NOT NULL UNIQUE
  ) STRICT;
  INSERT INTO alert_change (cluster) SELECT DISTINCT cluster FROM alert_run WHERE cluster <> '';
  `,
  `
  -- Who wrote to objects, by their managedFields: manager, operation and subresource, apart by tabs.
  CREATE TABLE field_manager (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL UNIQUE) STRICT;
  ALTER TABLE object_state ADD COLUMN first_manager INTEGER;
  ALTER TABLE object_state ADD COLUMN last_manager INTEGER;
  `,
  `
  -- Clusters that somebody said were switched off for good. end_kind: withdrawn, returned.
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
  `,
]

/** The version that brought packs. Before it a flush wrote one row per series, and no release ever did. */
const PACKS_VERSION = 3

/** The version of a file that this program has brought up to date. */
export const SCHEMA_VERSION = STEPS.length

/** Runs the missing steps in one transaction. Throws FleetError `data_dir_too_new` when the file has a newer schema. */
export function migrate(db: Database.Database, path: string): void {
  // IMMEDIATE, and the version read inside: a token command and a server may start at the same moment.
  const run = db.transaction(() => {
    const version = versionOf(db)
    if (version > SCHEMA_VERSION) {
      throw new FleetError(
        'data_dir_too_new',
        `${path} has schema version ${version}, this program knows ${SCHEMA_VERSION}`,
        { hint: 'start the newer daytwo that wrote it, or restore a backup made by this version' },
      )
    }
    if (version === SCHEMA_VERSION) return
    refuseChunkRows(db, path, version)
    for (const step of STEPS.slice(version)) {
      if (typeof step === 'string') db.exec(step)
      else step(db)
    }
    db.pragma(`user_version = ${SCHEMA_VERSION}`)
  })
  run.immediate()
}

/** Flushed samples from before packs are not converted, and not thrown away either. */
function refuseChunkRows(db: Database.Database, path: string, version: number): void {
  if (version === 0 || version >= PACKS_VERSION) return
  if (db.prepare('SELECT 1 FROM chunk LIMIT 1').get() === undefined) return
  throw new FleetError('storage_failed', `${path} has flushed samples in the form of schema version ${version}`, {
    hint: 'it was written before the first release; start with an empty data directory',
  })
}

export function versionOf(db: Database.Database): number {
  return Number(db.pragma('user_version', { simple: true }))
}
