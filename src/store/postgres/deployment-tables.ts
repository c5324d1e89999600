/**
 * Processes that share the database, and what each of them does alone. A lease lives as long as its owner's row: a
 * heartbeat is one row per process, however many leases it has.
 */
export const DEPLOYMENT_TABLES = `
  -- instance: random, of one start of a process. lives_until: by the clock of this database.
  CREATE TABLE process (
    name bytewise PRIMARY KEY,
    instance bytewise NOT NULL UNIQUE,
    version text NOT NULL,
    roles text NOT NULL,
    started_at_ms bigint NOT NULL,
    seen timestamptz NOT NULL,
    lives_until timestamptz NOT NULL
  );
  -- owner: the instance of a process; NULL: the lease is free. fence rises with each new owner.
  CREATE TABLE lease (
    kind bytewise NOT NULL,
    name bytewise NOT NULL,
    owner bytewise,
    fence bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, name)
  );
  CREATE INDEX lease_owner ON lease (kind, owner);
  -- Of each HA pair the replica that is accepted. seen: when samples of it were accepted last, to a second or so.
  CREATE TABLE ha_election (
    cluster bytewise NOT NULL,
    pair_group bytewise NOT NULL,
    replica text NOT NULL,
    seen timestamptz NOT NULL,
    PRIMARY KEY (cluster, pair_group)
  );
  -- Who is sending a notification, under the key of its entry in notification_log, which takes the place of the claim.
  CREATE TABLE notification_claim (
    key bytewise PRIMARY KEY,
    instance bytewise NOT NULL,
    claimed timestamptz NOT NULL
  );
`

/** The step to schema version 34. A released step is never edited. */
export const DEPLOYMENT_STEP = `
  -- report: JSON, of the last heartbeat; see model/process-report.ts. ended: it ended in order.
  ALTER TABLE process ADD COLUMN report text NOT NULL DEFAULT '{}', ADD COLUMN ended boolean NOT NULL DEFAULT false;
  -- The last evaluation of each group of rules, by its evaluator: JSON. fence: of its lease then.
  CREATE TABLE rule_group_status (
    group_key bytewise PRIMARY KEY,
    fence bigint NOT NULL,
    status text NOT NULL
  );
  -- Erasures of clusters for all processes. names: JSON, NULL once everything is removed. metrics_store: JSON, how far the
  -- metrics store is.
  CREATE TABLE shared_erasure (
    id bytewise PRIMARY KEY,
    names text,
    by text NOT NULL,
    started_at_ms bigint NOT NULL,
    metrics_store text,
    done_at_ms bigint,
    allowed_at_ms bigint,
    allowed_by text
  );
  -- How far each process is in its own data folder.
  CREATE TABLE shared_erasure_process (
    erasure bytewise NOT NULL REFERENCES shared_erasure ON DELETE CASCADE,
    process bytewise NOT NULL,
    removed bigint NOT NULL,
    done_at_ms bigint,
    PRIMARY KEY (erasure, process)
  );
`
