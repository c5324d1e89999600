import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'

const TOKEN_LABELS = ['id', 'token', 'role', 'cluster'] as const

export type OwnMetrics = ReturnType<typeof createOwnMetrics>

const THREADS = ['main', 'ingest-worker', 'query-worker', 'rule-tests-worker'] as const
/** `died`: by itself; `hung`: it did not answer, and was ended; `start`: it could not be started again. */
export const THREAD_FAILURES = ['died', 'hung', 'start'] as const
export type ThreadFailure = (typeof THREAD_FAILURES)[number]

/**
 * Daytwo's own metrics in one table: each stage counts its input, its output, and refusals by reason. A test compares this
 * table with the documentation. A registry per call, so that two servers in one process do not share counters.
 */
export function createOwnMetrics(version: string) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const counter = <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> =>
    new Counter<L>({ name, help, labelNames: [...labelNames], registers })
  const gauge = <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Gauge<L> =>
    new Gauge<L>({ name, help, labelNames: [...labelNames], registers })
  const seconds = <L extends string>(name: string, help: string, labelNames: readonly L[]): Histogram<L> =>
    new Histogram<L>({
      name,
      help,
      labelNames: [...labelNames],
      buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
      registers,
    })
  const own = {
    registry,
    httpRequests: counter('daytwo_http_requests_total', 'HTTP requests answered.', ['route', 'method', 'status']),
    httpSeconds: seconds('daytwo_http_request_duration_seconds', 'Time to answer an HTTP request.', ['route']),
    requestBytes: gauge(
      'daytwo_request_body_bytes',
      'Bytes that requests in flight hold for their bodies, by the declared length and after decompression.',
    ),
    requestBytesMax: gauge('daytwo_request_body_bytes_max', 'Requests are refused above it: web.request-bytes-max.'),
    requestsRefused: counter(
      'daytwo_requests_refused_total',
      'Requests refused because the limit was reached, by kind of sender (cluster, token, person, address): share (the sender holds its share), total (all is held), slow (the body did not arrive), waited (too long for the ingest worker), head (its samples fill the head).',
      ['reason', 'owner'],
    ),
    connections: gauge('daytwo_connections', 'Open connections.'),
    connectionsRefused: counter(
      'daytwo_connections_refused_total',
      'Connections that were closed because there were too many: total, or address (of one remote address).',
      ['reason'],
    ),
    logLinesSuppressed: counter(
      'daytwo_request_log_lines_suppressed_total',
      'Log lines about requests that were not written, because there were too many of one kind in a minute.',
      ['line'],
    ),
    ingestRequests: counter('daytwo_ingest_requests_total', 'Write requests, by outcome.', ['format', 'outcome']),
    ingestSamplesIn: counter(
      'daytwo_ingest_samples_in_total',
      'Samples decoded from write requests; OTLP: data points, spans, log records.',
      ['format'],
    ),
    ingestSamplesOut: counter(
      'daytwo_ingest_samples_out_total',
      'Samples written to the store; OTLP: data points, spans, log records.',
      ['format'],
    ),
    ingestRefused: counter(
      'daytwo_ingest_samples_refused_total',
      'Samples refused, by reason; OTLP: data points, spans, log records.',
      ['format', 'reason'],
    ),
    ingestObjectsLeftOut: counter(
      'daytwo_ingest_objects_left_out_total',
      'Records about Kubernetes objects that are not stored: marker (of the stream itself), object (not used).',
      ['why'],
    ),
    ingestExemplarsIgnored: counter('daytwo_ingest_exemplars_ignored_total', 'Exemplars received and not stored.'),
    ingestMetadataIgnored: counter(
      'daytwo_ingest_metadata_ignored_total',
      'Metadata entries received beyond the limit.',
    ),
    ingestUnidentifiedSeries: counter('daytwo_ingest_unidentified_series_total', 'New series without a cluster.'),
    clusterNamesRefused: counter(
      'daytwo_cluster_names_refused_total',
      'Names of clusters that were refused: other_identity (a second uid or ID), taken (of another cluster), too_many; too_many_clusters: data of a cluster whose name is not stored.',
      ['reason'],
    ),
    storeHeadSeries: gauge('daytwo_store_head_series', 'Series in memory: those with samples.'),
    storeColdSeries: gauge('daytwo_store_cold_series', 'Series on disk only: those with rollups and without samples.'),
    storeHeadSamples: gauge('daytwo_store_head_samples', 'Samples in the head.'),
    storeHeadBytes: gauge('daytwo_store_head_bytes', 'Bytes of samples in the head.'),
    storeHeadBytesMax: gauge(
      'daytwo_store_head_bytes_max',
      'Writes are refused above this size: store.head-bytes-max.',
    ),
    storeLogBytes: gauge('daytwo_store_log_bytes', 'Bytes in the log that are not flushed yet.'),
    storeDiskFreeBytes: gauge('daytwo_store_disk_free_bytes', 'Free bytes on the disk of the store.'),
    storeDiskSizeBytes: gauge('daytwo_store_disk_size_bytes', 'Size of the disk of the store.'),
    storeObjectStatesEvicted: counter(
      'daytwo_store_object_states_evicted_total',
      'Object states removed because their cluster had more than store.cluster-object-states-max.',
    ),
    storeCommits: counter('daytwo_store_commits_total', 'Group commits of the log.', ['outcome']),
    storeFlushes: counter('daytwo_store_flushes_total', 'Flushes of the head into chunks.', ['outcome']),
    storeLastFlushSeconds: gauge('daytwo_store_last_flush_timestamp_seconds', 'When the head was last flushed.'),
    storeRollupBacklog: gauge('daytwo_store_rollup_backlog_blocks', 'Blocks without rollups.'),
    storeRollupLastSeconds: gauge(
      'daytwo_store_rollup_last_progress_timestamp_seconds',
      'When rollups last progressed, or were complete.',
    ),
    storeCompactionBacklog: gauge('daytwo_store_compaction_backlog_blocks', 'Blocks pending compaction.'),
    storeCompactionLastSeconds: gauge(
      'daytwo_store_compaction_last_progress_timestamp_seconds',
      'When compaction last progressed, or had nothing to do.',
    ),
    storeDamagedItems: gauge('daytwo_store_damaged_items', 'Stored items that are damaged and left out.'),
    shippedRows: counter(
      'daytwo_shipping_rows_total',
      'Rows of observations, spans and log records shipped to PostgreSQL.',
    ),
    shippingRefused: counter(
      'daytwo_shipping_refused_rows_total',
      'Rows that were not shipped, because they are damaged or PostgreSQL refuses them.',
    ),
    shippingFailures: counter('daytwo_shipping_failures_total', 'Failed attempts to ship to PostgreSQL.'),
    shippingChanges: gauge('daytwo_shipping_pending_commits', 'Commits with rows that are not shipped yet.'),
    shippingLagSeconds: gauge(
      'daytwo_shipping_lag_seconds',
      'Time since everything that was durable in the data directory was shipped to PostgreSQL.',
    ),
    storeScrubLastSeconds: gauge(
      'daytwo_store_scrub_last_pass_timestamp_seconds',
      'When everything stored was last verified.',
    ),
    bundles: counter('daytwo_bundles_total', 'Evidence bundles, by subject and outcome.', ['kind', 'outcome']),
    runbookWork: counter(
      'daytwo_runbook_work_entries_total',
      'Recorded steps, notes and outcomes of work on alerts, by outcome: added, same (recorded already), conflict (another user recorded the opposite meanwhile), run_full (limit of an alert), full (limit of the server).',
      ['outcome'],
    ),
    queries: counter('daytwo_queries_total', 'PromQL queries, by outcome.', ['outcome']),
    querySeconds: seconds('daytwo_query_duration_seconds', 'Time to evaluate a PromQL query.', ['kind']),
    metricsStoreUp: gauge(
      'daytwo_metrics_store_up',
      'Whether the store of store.metrics answers queries; 0: it failed several times in a row; absent without store.metrics.',
    ),
    metricsStoreRequests: counter('daytwo_metrics_store_requests_total', 'Requests to the metrics store, by outcome.', [
      'outcome',
    ]),
    metricsStoreRequestSeconds: counter(
      'daytwo_metrics_store_request_seconds_total',
      'Time of all requests to the metrics store, waiting included.',
    ),
    metricsStoreRequestsRunning: gauge(
      'daytwo_metrics_store_requests_running',
      'Requests to the metrics store that run.',
    ),
    metricsStoreRequestsWaiting: gauge(
      'daytwo_metrics_store_requests_waiting',
      'Requests to the metrics store that wait for others: store.metrics-query-connections.',
    ),
    metricsStoreReadBytes: counter(
      'daytwo_metrics_store_read_bytes_total',
      'Bytes of answers of the metrics store, after decompression.',
    ),
    metricsStoreSamplesFetched: counter(
      'daytwo_metrics_store_samples_fetched_total',
      'Samples fetched from the metrics store for queries that are evaluated here.',
    ),
    metricsStoreQueries: counter(
      'daytwo_metrics_store_queries_total',
      'PromQL queries in the mode with a metrics store: pushed (sent as they are), rewritten (sent in another form with the same result), local_* (evaluated here, by reason).',
      ['way'],
    ),
    queryRequestsRunning: gauge(
      'daytwo_query_requests_running',
      'Requests with a place in a lane of the query worker.',
      ['lane'],
    ),
    queryRequestsWaiting: gauge('daytwo_query_requests_waiting', 'Requests that wait for a place in a lane.', ['lane']),
    queryRequestsRefused: counter(
      'daytwo_query_requests_refused_total',
      'Requests that were not admitted: too_many_requests (limit of the owner), overloaded (queue full, or queue time exceeded), query_canceled (client disconnected), not_ready (server stopping).',
      ['lane', 'reason'],
    ),
    queryWaitSeconds: seconds('daytwo_query_wait_seconds', 'Time that a request waited for a place in a lane.', [
      'lane',
    ]),
    slowReadersClosed: counter(
      'daytwo_slow_readers_closed_total',
      'Connections that were closed because the client read nothing of a response.',
    ),
    ruleEvaluations: counter('daytwo_rule_evaluations_total', 'Rule evaluations.', ['group', 'outcome']),
    ruleMissed: counter('daytwo_rule_group_missed_total', 'Evaluations of a group that were skipped.', ['group']),
    ruleIterations: counter('daytwo_rule_group_iterations_total', 'Evaluations of a group, missed ones included.', [
      'group',
    ]),
    ruleGroupSeconds: gauge('daytwo_rule_group_last_duration_seconds', 'Duration of the last evaluation.', ['group']),
    ruleGroupIntervalSeconds: gauge('daytwo_rule_group_interval_seconds', 'How often a group is evaluated.', ['group']),
    ruleGroupLastSeconds: gauge(
      'daytwo_rule_group_last_evaluation_timestamp_seconds',
      'The evaluation time of the last evaluation of a group.',
      ['group'],
    ),
    ruleGroupRules: gauge('daytwo_rule_group_rules', 'Rules of a group.', ['group']),
    ruleGroupSamples: gauge('daytwo_rule_group_last_evaluation_samples', 'Samples the last evaluation wrote.', [
      'group',
    ]),
    fleetDerivations: counter('daytwo_fleet_derivations_total', 'Clusters with recomputed facts.'),
    fleetValuesDropped: counter(
      'daytwo_fleet_past_values_dropped_total',
      'Changes of conditions, settings or nodes whose past is not stored because a cluster has too many; counted at each derivation.',
    ),
    fleetAttemptsDropped: counter(
      'daytwo_fleet_upgrade_attempts_dropped_total',
      'Attempts to upgrade HCO that are not derived because a cluster has too many newer ones; counted at each derivation.',
    ),
    fleetFailures: counter('daytwo_fleet_failures_total', 'Failures while deriving facts of the fleet.'),
    fleetWaiting: gauge('daytwo_fleet_waiting_clusters', 'Clusters with new input that is not derived yet.'),
    fleetCycleSeconds: gauge('daytwo_fleet_beat_seconds', 'Duration of the last cycle of the fleet loop.'),
    reloads: counter('daytwo_reloads_total', 'Reloads of rules, runbooks, dashboards and routing.', [
      'cause',
      'outcome',
    ]),
    reloadSuccessful: gauge('daytwo_config_last_reload_successful', 'Whether the last reload was successful.'),
    reloadSuccessSeconds: gauge(
      'daytwo_config_last_reload_success_timestamp_seconds',
      'Time of the last successful reload.',
    ),
    alerts: gauge('daytwo_alerts', 'Alerts by state.', ['state']),
    externalAlerts: counter(
      'daytwo_external_alerts_total',
      'Alerts received by the API, by outcome: taken, invalid, refused by cluster_limit, sender_limit or total_limit; evicted are stored ones that made room, removed those that an administrator removed.',
      ['outcome'],
    ),
    notifications: counter('daytwo_notifications_total', 'Attempts to notify a receiver, by outcome.', [
      'receiver',
      'integration',
      'outcome',
    ]),
    notificationSeconds: seconds('daytwo_notification_duration_seconds', 'Response time of a receiver.', [
      'integration',
    ]),
    eventListeners: gauge('daytwo_event_listeners', 'Pages with an open event stream.'),
    eventsSent: counter('daytwo_events_sent_total', 'Events sent to pages, by what changed.', ['topic']),
    eventListenersLost: counter(
      'daytwo_event_listeners_lost_total',
      'Event streams that were closed or refused: refused (too many), slow (not read).',
      ['reason'],
    ),
    faroItems: counter('daytwo_faro_items_total', 'Items received from browsers.', ['kind', 'outcome']),
    webPageLoads: counter(
      'daytwo_web_page_loads_total',
      'Page loads of this server’s own pages, as reported by browsers.',
      ['page'],
    ),
    webErrors: counter('daytwo_web_errors_total', 'Errors on this server’s own pages, as reported by browsers.', [
      'page',
    ]),
    webSlowPanels: counter(
      'daytwo_web_slow_panels_total',
      'Responses that were too slow for a panel of this server’s own pages.',
      ['page'],
    ),
    webVitals: counter('daytwo_web_vitals_total', 'Web vitals of this server’s own pages, by their rating.', [
      'vital',
      'rating',
      'page',
    ]),
    webVitalSum: counter(
      'daytwo_web_vitals_sum_total',
      'Sum of web vitals of this server’s own pages: seconds; of cls the score.',
      ['vital', 'page'],
    ),
    forwardUp: gauge(
      'daytwo_forward_store_known',
      'Whether the metrics store of store.metrics was reached since the start.',
    ),
    forwardComplete: gauge(
      'daytwo_forward_complete',
      'Whether the metrics store has what all running processes received. If not, rules wait, up to 30 s.',
    ),
    forwardLagSamples: gauge('daytwo_forward_lag_samples', 'Samples that the metrics store has not acknowledged.'),
    forwardLagSeconds: gauge(
      'daytwo_forward_lag_seconds',
      'Age of the oldest samples that the metrics store has not acknowledged; 0 when it has all.',
    ),
    forwardSamples: counter(
      'daytwo_forward_samples_total',
      'Samples that the metrics store acknowledged, with repeated ones.',
    ),
    forwardExemplars: counter('daytwo_forward_exemplars_total', 'Exemplars that the metrics store acknowledged.'),
    forwardRefused: counter(
      'daytwo_forward_samples_refused_total',
      'Samples that the metrics store refused, by reason: out_of_order, duplicate, out_of_bounds, too_large, limit, invalid, other.',
      ['reason'],
    ),
    forwardOmitted: counter(
      'daytwo_forward_samples_omitted_total',
      'Samples that were not forwarded: repeated (refused, and possibly sent before), native_histogram (not supported there), erased.',
      ['reason'],
    ),
    forwardRequests: counter('daytwo_forward_requests_total', 'Write requests to the metrics store.'),
    forwardRetries: counter(
      'daytwo_forward_retries_total',
      'Write requests that are sent again, by cause: connection, timeout, overloaded, server_error, denied, unexpected.',
      ['cause'],
    ),
    forwardBytes: counter('daytwo_forward_bytes_total', 'Bytes of write requests to the metrics store, compressed.'),
    forwardRestarts: counter(
      'daytwo_forward_store_restarts_total',
      'Restarts of the metrics store that were detected.',
    ),
    forwardResent: counter(
      'daytwo_forward_samples_resent_total',
      'Samples that were sent again because the metrics store restarted.',
    ),
    forwardBufferBytes: gauge(
      'daytwo_forward_buffer_bytes',
      'Bytes in the log that are not forwarded yet, or may be sent again.',
    ),
    forwardBufferBytesMax: gauge(
      'daytwo_forward_buffer_bytes_max',
      'Writes are refused above this size: store.metrics-buffer-bytes-max.',
    ),
    forwardBufferRefused: counter(
      'daytwo_forward_buffer_refused_requests_total',
      'Write requests that were refused because the buffer of samples to forward was full.',
    ),
    threadFailures: counter(
      'daytwo_thread_failures_total',
      'Threads that failed: died, hung (did not answer), start (could not be restarted). Workers are restarted.',
      ['thread', 'reason'],
    ),
    threadUp: gauge('daytwo_thread_up', 'Whether a worker thread serves.', ['thread']),
    threadCrashLoop: gauge('daytwo_thread_crash_loop', 'Whether a worker thread fails again and again.', ['thread']),
    mainBlockedSeconds: gauge(
      'daytwo_main_thread_blocked_seconds',
      'The longest time in the last minute in which the main thread answered nothing.',
    ),
    tokenExpirySeconds: gauge('daytwo_token_expiry_timestamp_seconds', 'When a token expires, of those that do.', [
      ...TOKEN_LABELS,
    ]),
    tokenLastUsedSeconds: gauge(
      'daytwo_token_last_used_timestamp_seconds',
      'When a token that expires was last used; 0: never.',
      [...TOKEN_LABELS],
    ),
    certificateStartSeconds: gauge(
      'daytwo_tls_certificate_start_timestamp_seconds',
      'Start of the validity of the server certificate.',
    ),
    certificateExpirySeconds: gauge(
      'daytwo_tls_certificate_expiry_timestamp_seconds',
      'When the certificate of the server expires.',
    ),
    certificateReloads: counter('daytwo_tls_certificate_reloads_total', 'Reads of the certificate after the start.', [
      'outcome',
    ]),
    signIns: counter('daytwo_sign_ins_total', 'Sign-ins of people at the identity provider, by outcome.', ['outcome']),
    sessions: gauge('daytwo_sessions', 'Sessions of signed-in people.'),
    processes: gauge('daytwo_processes', 'Live processes that share the facts; 0 without store.facts.'),
    postgresUp: gauge(
      'daytwo_postgres_up',
      'Whether the last heartbeat to the PostgreSQL of store.facts was successful; absent without store.facts.',
    ),
    processUp: gauge(
      'daytwo_process_up',
      'Whether a process that shares the facts runs, as this process knows; absent while PostgreSQL is unavailable.',
      ['process'],
    ),
    processSilentSeconds: gauge(
      'daytwo_process_silent_seconds',
      'Time since the last heartbeat of a process that did not end in order; 0: it runs, or ended in order.',
      ['process'],
    ),
    processForwardLagSeconds: gauge(
      'daytwo_process_forward_lag_seconds',
      'Age of the oldest samples of a process that the metrics store has not acknowledged, as of its last heartbeat.',
      ['process'],
    ),
    processForwardLagSamples: gauge(
      'daytwo_process_forward_lag_samples',
      'Samples of a process that the metrics store has not acknowledged, as of its last heartbeat.',
      ['process'],
    ),
    processForwardRefused: gauge(
      'daytwo_process_forward_refused_samples',
      'Samples of a process that the metrics store refused since its start, by reason, as of its last heartbeat.',
      ['process', 'reason'],
    ),
    processShippingLagSeconds: gauge(
      'daytwo_process_shipping_lag_seconds',
      'Time since everything in the data folder of a process was copied to PostgreSQL, as of its last heartbeat.',
      ['process'],
    ),
    leases: gauge('daytwo_leases', 'Leases of this process, by kind: cluster, rules, alerts.', ['kind']),
    buildInfo: gauge('daytwo_build_info', 'Always 1; the version is a label.', ['version']),
  }
  own.buildInfo.set({ version }, 1)
  // Without the store they are about, they are absent.
  for (const absent of [own.postgresUp, own.metricsStoreUp]) absent.remove()
  // From the start, so that the first failure is an increase.
  for (const thread of THREADS) for (const reason of THREAD_FAILURES) own.threadFailures.inc({ thread, reason }, 0)
  return own
}

const OWN_PREFIX = 'daytwo_'
const STORED_KINDS: ReadonlySet<string> = new Set(['counter', 'gauge'])

/** The names of those that are stored as series too: counters and gauges, and none of the process. */
export function ownMetricNames({ registry }: Pick<OwnMetrics, 'registry'>): readonly string[] {
  // prom-client declares `type` as a number, but its values are strings.
  const stored = registry.getMetricsAsArray().filter(({ type }) => STORED_KINDS.has(String(type)))
  return stored.flatMap(({ name }) => (name.startsWith(OWN_PREFIX) ? [name] : []))
}
