/**
 * Configuration: one table of options, which defines defaults, checks and `--help`. Sources of a value, by descending
 * precedence: the command line (`--retention.raw 30d`), the environment (`DAYTWO_RETENTION_RAW=30d`), the file given by
 * `--config` (YAML, `retention: { raw: 30d }` or `retention.raw: 30d`), the default. An unknown key is an error that names the
 * nearest known one. One file, however long: the table is read as a whole, by `--help` and by the reference.
 */
import { join } from 'node:path'
import { FleetError } from '../base/errors.ts'
import { LOG_LEVELS } from '../base/log.ts'
import { INGEST_DEFAULTS } from '../ingest/options.ts'
import { OTLP_DEFAULTS, OTLP_STRATEGIES } from '../ingest/otlp/options.ts'
import { CLUSTER_ALIASES } from '../model/cluster-identity.ts'
import { REGEX_STEPS_MAX } from '../model/regex-limits.ts'
import { DEFAULT_PARSE_LIMITS as PARSE } from '../promql/engine-options.ts'
import { PROCESS_ROLES } from '../model/process-role.ts'
import { STORE_DEFAULTS } from '../store/options.ts'
import { POSTGRES_DEFAULTS } from '../store/postgres/options.ts'
import { readConfigFile, readEnvironment, type RawOptions } from './config-sources.ts'
import { PROJECT_ROOT } from './project-root.ts'
import {
  address,
  bytes,
  count,
  countFrom,
  countUpTo,
  duration,
  durationOrNever,
  durationOrNeverFrom,
  flag,
  groupRoles,
  list,
  namePatterns,
  networks,
  offSelfOrUrl,
  oneOf,
  optionalText,
  optionalUrl,
  postgresUrl,
  processRoles,
  ratio,
  risingDurations,
  text,
  url,
  urls,
  type OptionSpec,
} from './config-values.ts'

/** A folder that ships with the program, next to `src` or `dist`. */
function shipped(folder: string): string {
  return join(PROJECT_ROOT, folder)
}

/** All options, by the section of the help text that lists them. */
export const SECTIONS = {
  Server: {
    listen: address.option('127.0.0.1:4318', 'Address to serve on. Addresses other than loopback require tokens.'),
    'external.url': url.option(
      'http://127.0.0.1:4318',
      'External address of the server, for alerts and links. By default the listen address.',
    ),
    data: text('DIR').option('daytwo-data', 'Folder of the SQLite file. Created if it does not exist.'),
    'process.name': optionalText('NAME').option(
      '',
      'Name of this process among those that share store.facts, the same after a restart and of no other. By default the host name and the port.',
    ),
    roles: processRoles.option(
      PROCESS_ROLES.join(','),
      'What this process does: collect (receive data), evaluate (facts, rules, notifications), serve (API and pages). Fewer than all need store.facts.',
    ),
    'log.level': oneOf(LOG_LEVELS).option('info', 'Minimum level of log lines.'),
    'web.cors-origins': list('ORIGIN').option(
      '',
      'Origins whose pages may read the query API, such as https://perses.example; * allows all origins, as in Prometheus.',
    ),
    'web.body-bytes-max': bytes.option('16MiB', 'The largest request body, as sent.'),
    'web.request-bytes-max': bytes.option(
      '256MiB',
      'Bodies of all requests in flight, as sent and after decompression, and 16 KiB for each. A sender (the cluster of a token, a token, or an address without one) may hold as much as is left free; further requests are rejected with 429, or with 503 where the sender would drop data after 429.',
    ),
    'web.connections-max': count.option('8192', 'Open connections; more are closed.'),
    'web.address-connections-max': count.option(
      '2048',
      'Open connections of one remote address; more are closed. Behind a proxy all have the address of the proxy.',
    ),
    'web.listeners-max': count.option(
      '1000',
      'Maximum number of pages with live updates; further pages get 503 and poll every few seconds.',
    ),
    'own-metrics': flag.option(
      'true',
      "Store Daytwo's own metrics in its own store every 30 seconds; the alerts about Daytwo itself need them.",
    ),
    'own-traces': offSelfOrUrl.option(
      'off',
      'Where Daytwo sends traces of its own work: nowhere, to itself, or to another OTLP receiver (headers for it in OTEL_EXPORTER_OTLP_HEADERS). Costs some 110 MB of memory.',
    ),
    'own-traces.ratio': ratio.option('0.05', 'Share of the traces of the server itself that is exported.'),
    'watchdog.hung-after': durationOrNeverFrom(3000).option(
      '15s',
      'How long a thread may be unresponsive. Then its stack is logged, and a worker is restarted; the process exits (SIGABRT) when a thread cannot be terminated, or the main thread is unresponsive, for ten times as long. never, or 0, disables this.',
    ),
    'watchdog.stable-after': duration.option(
      '5m',
      'A worker that fails again before it has run for this long is restarted with an increasing delay, up to a minute; three such failures are a crash loop.',
    ),
    faro: flag.option('true', 'Receive page loads, web vitals and errors of our own pages at /collect.'),
  },
  TLS: {
    'tls.cert': optionalText('FILE').option(
      '',
      'Certificate of the server (PEM), followed by those between it and its authority. Serves https; reloaded when the file changes.',
    ),
    'tls.key': optionalText('FILE').option('', 'Key of the certificate (PEM).'),
    'tls.client-ca': optionalText('FILE').option(
      '',
      'Authorities of client certificates (PEM). A certificate that one of them signed may send for the cluster that tls.client-names reads from it, as a token that is bound to the cluster.',
    ),
    'tls.client-names': namePatterns.option(
      'cn:*',
      'Mapping of client certificate names to clusters: cn, dns, uri or email, with * at the place of the cluster, or NAME=CLUSTER.',
    ),
    'tls.client-auth': oneOf(['optional', 'required']).option(
      'optional',
      'Whether tokens of the role ingest count without a client certificate.',
    ),
  },
  'Sign-in': {
    'oidc.issuer': optionalUrl.option(
      '',
      'OpenID Connect provider at which people sign in. Its redirect URI is EXTERNAL.URL/sign-in/callback, after signing out EXTERNAL.URL/sign-in.',
    ),
    'oidc.name': text('NAME').option('single sign-on', 'Display name of the provider on the sign-in page.'),
    'oidc.client-id': optionalText('ID').option('', 'Name of this server at the provider.'),
    'oidc.client-secret-file': optionalText('FILE').option(
      '',
      'File with its secret there. Without it: a public client, with PKCE alone.',
    ),
    'oidc.scopes': list('SCOPE').option(
      'openid,profile,email',
      'Scopes to request; many providers want one for groups.',
    ),
    'oidc.name-claim': text('CLAIM').option('email', 'Claim with the user name for the audit.'),
    'oidc.groups-claim': text('CLAIM').option('groups', 'Claim with the groups of a person.'),
    'auth.roles': groupRoles.option(
      '',
      'Roles of people by their groups; * matches every signed-in user, and the highest role applies. Users without a role are denied. GROUP=ROLE@region=eu&cluster=prod-* gives the role over these clusters alone; of several groups each role counts over the clusters of all of them.',
    ),
    'auth.session-lifetime': duration.option('12h', 'The longest time a person stays signed in.'),
    'auth.session-idle': duration.option('1h', 'How long a session may be unused.'),
    'auth.proxy-addresses': networks.option(
      '',
      'Addresses of a proxy that signs people in and names them in headers. From elsewhere the headers are ignored.',
    ),
    'auth.proxy-secret-file': optionalText('FILE').option(
      '',
      'File with a secret that this proxy sends in X-Daytwo-Proxy-Secret; instead of its addresses, or with them.',
    ),
    'auth.proxy-user-header': text('HEADER').option('x-forwarded-user', 'Header with the name of a person.'),
    'auth.proxy-groups-header': text('HEADER').option(
      'x-forwarded-groups',
      'Header with their groups, separated by commas.',
    ),
  },
  Content: {
    rules: text('DIR').option(shipped('alert-rules'), 'Folder of Prometheus rule files.'),
    runbooks: text('DIR').option(shipped('runbooks'), 'Folder of runbooks, one Markdown page an alert.'),
    dashboards: text('DIR').option(shipped('dashboards'), 'Folder of Perses dashboards.'),
    'content.watch': flag.option(
      'true',
      'Reload rules, runbooks, dashboards and routing when their files change. SIGHUP and POST /-/reload always do.',
    ),
  },
  Ingest: {
    'ingest.out-of-order': duration.option('1h', 'How far behind the newest sample of its series a sample may be.'),
    'ingest.too-far-ahead': duration.option('10m', 'How far ahead of the clock a sample may be.'),
    'ingest.decompressed-bytes-max': bytes.option('32MiB', 'The largest request body after decompression.'),
    'ingest.request-samples-max': count.option(
      String(INGEST_DEFAULTS.samplesPerRequestMax),
      'Samples of one request; of OTLP, data points.',
    ),
    'ingest.request-series-max': count.option(
      String(INGEST_DEFAULTS.seriesPerRequestMax),
      'Series of one remote write request, with those that hold no samples.',
    ),
    'ingest.labels-max': count.option('64', 'Labels of one series.'),
    'ingest.label-name-bytes-max': bytes.option('1KiB', 'Length of a label name.'),
    'ingest.label-value-bytes-max': bytes.option('4KiB', 'Length of a label value.'),
    'ingest.histogram-buckets-max': count.option(
      String(INGEST_DEFAULTS.histogramBucketsMax),
      'Buckets of one side of a native histogram, and its custom bounds; more are refused as histogram_too_large.',
    ),
    'ingest.request-spans-max': count.option(String(INGEST_DEFAULTS.spansPerRequestMax), 'Spans of one OTLP request.'),
    'ingest.span-name-bytes-max': bytes.option(
      '1KiB',
      'Length of the name of a span, its service, cluster, scope, an event or an attribute. A larger span is refused as span_too_large.',
    ),
    'ingest.span-value-bytes-max': bytes.option(
      '16KiB',
      'Length of an attribute, a status or a trace state of a span.',
    ),
    'ingest.span-bytes-max': bytes.option('64KiB', 'All texts of a span, with its resource and scope.'),
    'ingest.request-log-records-max': count.option(
      String(INGEST_DEFAULTS.logRecordsPerRequestMax),
      'Log records of one OTLP request, with those that hold a Kubernetes object.',
    ),
    'ingest.wait-max': duration.option(
      '10s',
      'How long a write request may wait for the ingest worker, which serves senders in turn; then the request is rejected with 503 and Retry-After.',
    ),
    'ingest.cluster-series-max': count.option(
      '1000000',
      'Series of one cluster; beyond it new ones are refused as cluster_series_limit.',
    ),
    'ingest.cluster-new-series-per-minute-max': count.option(
      '250000',
      'New series of one cluster in one minute; more are refused as new_series_limit until the next.',
    ),
    'ingest.new-series-per-minute-max': count.option(
      '1000000',
      'New series of all clusters in one minute; more are refused as new_series_limit until the next.',
    ),
    'identity.labels': list('LABEL').option(
      CLUSTER_ALIASES.join(','),
      'Labels that name the cluster when `cluster` is absent, first match wins; it is copied to `cluster`.',
    ),
    'identity.release-after': duration.option(
      '1d',
      'How long the uid or another name of a cluster has to be unreported before another cluster may have it, e.g. one that was installed again under its name.',
    ),

    'privacy.config': optionalText('FILE').option(
      '',
      'What is not stored: keep and drop lists of metrics, labels, attributes and fields of objects, in YAML; reloaded like rules and runbooks.',
    ),
    'bundle.redaction': optionalText('FILE').option(
      '',
      'Redaction of evidence bundles: profiles with pseudonyms, dropped labels and masks, in YAML; reloaded like rules and runbooks.',
    ),

    'verdict.policy': optionalText('FILE').option(
      '',
      'How rollouts are judged: signals, thresholds, minimal counts and the error rate, in YAML; reloaded like rules and runbooks. Empty: the defaults of docs/operating/verdicts.md.',
    ),

    'ha.replica-label': optionalText('LABEL').option(
      INGEST_DEFAULTS.haReplicaLabel,
      'Label in which the HA replicas of one Prometheus differ. One replica is accepted, the label is not stored; an empty text takes all replicas as they are.',
    ),
    'ha.group-label': optionalText('LABEL').option(
      INGEST_DEFAULTS.haGroupLabel,
      'Label that distinguishes several Prometheus servers of one cluster; each has its own replicas.',
    ),
    'ha.failover-after': duration.option(
      '30s',
      'Time without data from the accepted replica before another replica takes over; 30s does for scrapes every minute or more often.',
    ),

    'otlp.translation-strategy': oneOf(OTLP_STRATEGIES).option(
      OTLP_DEFAULTS.strategy,
      'How names of OTLP metrics and attributes are written; named as in Prometheus.',
    ),
    'otlp.promote-attributes': list('ATTRIBUTE').option(
      OTLP_DEFAULTS.promoteAttributes.join(','),
      'Resource attributes of OTLP metrics that become labels of every series. Those that name the cluster always do.',
    ),
    'otlp.promote-scope-metadata': flag.option(
      'false',
      'Put the instrumentation scope of OTLP metrics on their series: otel_scope_name and the like.',
    ),
    'otlp.request-attributes-max': count.option(
      String(OTLP_DEFAULTS.attributesMax),
      'Attributes of one OTLP request, of all levels together, buckets of its exponential histograms, and events and links of its spans.',
    ),
    'otlp.buckets-max': count.option(
      String(OTLP_DEFAULTS.bucketsMax),
      'Buckets of one OTLP histogram, or quantiles of one summary; a point with more is refused as bad_point.',
    ),
    'otlp.delta-streams-max': count.option(
      String(OTLP_DEFAULTS.deltaStreamsMax),
      'Streams of OTLP delta points that are summed up; one more is refused as delta_limit.',
    ),
  },
  Store: {
    'retention.raw': duration.option(
      '30d',
      'Retention of samples. With store.metrics the default is 12h: older samples are in that store.',
    ),
    'retention.5m': duration.option(
      '90d',
      'Retention of 5-minute rollups; 0s disables them. Rollups serve queries for expired samples, and others with the same result.',
    ),
    'retention.1h': duration.option('2y', 'Retention of 1-hour rollups; 0s disables them.'),
    'retention.1d': duration.option(
      '5y',
      'Retention of 1-day rollups; 0s disables them. A series exists while any of its data is stored.',
    ),
    'retention.alerts': duration.option('1y', 'Retention of alert history, acknowledgements and the audit of actions.'),
    'retention.traces': duration.option(
      '30d',
      'Retention of traces after their end; for derived upgrade traces, after the last derivation.',
    ),
    'retention.logs': duration.option('30d', 'Retention of log records, except objects.'),
    'retention.objects': duration.option(
      '400d',
      'Retention of object states, and of upgrade data from metrics. Upgrades themselves do not expire.',
    ),
    'retention.silences': duration.option('5d', 'Retention of silences after their end.'),
    'store.facts': postgresUrl.option(
      '',
      'PostgreSQL (15 or later) for the facts: alerts, silences, tokens, upgrades; several servers may share it. Without it, facts are in the data folder.',
    ),
    'store.facts-password-file': optionalText('FILE').option(
      '',
      'File with the password of store.facts. Without it, the variable PGPASSWORD.',
    ),
    'store.facts-tls': oneOf(['auto', 'on', 'off']).option(
      'auto',
      'Whether PostgreSQL is reached over TLS, with its certificate verified; auto: yes, unless it is on this host.',
    ),
    'store.facts-ca': optionalText('FILE').option(
      '',
      'Authorities (PEM) of the certificate of PostgreSQL; without it, those of the system.',
    ),
    'store.facts-connections-max': countFrom(2).option(
      String(POSTGRES_DEFAULTS.connectionsMax),
      'Connections to PostgreSQL of each of the two threads that use it.',
    ),
    'store.facts-statement-timeout': duration.option(
      '30s',
      'The longest a statement of PostgreSQL may take, and the longest a transaction may wait for this server.',
    ),
    'store.flush-every': duration.option('2h', 'Span of samples that is moved from memory into chunks at once.'),
    'store.compact-to': risingDurations.option(
      '1d,8d',
      'Spans of the blocks that flushes are made into, each a multiple of the one before. A span of more than a third of the retention is not used.',
    ),
    'store.head-bytes-max': bytes.option(
      '1GiB',
      'Memory for samples that are not flushed yet; above this size, writes are rejected with 503.',
    ),
    'store.series-max': count.option('5000000', 'Series with samples; beyond it new ones are refused as series_limit.'),
    'store.cluster-object-states-max': count.option(
      String(STORE_DEFAULTS.clusterObjectStatesMax),
      'States of the objects of one cluster. Beyond it the oldest states that ended are removed, and objects that were not seen for a day; when that is not enough, new objects are refused as cluster_object_limit.',
    ),
    'store.trace-spans-max': count.option(
      String(STORE_DEFAULTS.spansPerTraceMax),
      'Spans of one trace; more are refused as trace_span_limit, and the trace is marked as cut.',
    ),
    'store.trace-bytes-max': bytes.option(
      '16MiB',
      'Texts of one trace, repeated ones each time; more are refused as trace_byte_limit, and the trace is marked as cut.',
    ),
    'store.exemplars-max': count.option(
      '100000',
      'Exemplars of all series; beyond this limit the oldest are removed. 0 stores none.',
    ),
    'store.exemplars-per-series-max': count.option(
      '100',
      'Exemplars of one series; beyond this limit its oldest are removed.',
    ),
  },
  'Metrics store': {
    'store.metrics': optionalUrl.option(
      '',
      'Prometheus-compatible store that all samples are forwarded to, and that answers PromQL. The addresses for writes and queries are derived from it and from store.metrics-kind.',
    ),
    'store.metrics-kind': oneOf(['prometheus', 'victoriametrics-cluster', 'mimir', 'thanos']).option(
      'prometheus',
      'Which paths the store has. A single VictoriaMetrics has those of prometheus.',
    ),
    'store.metrics-write': optionalUrl.option(
      '',
      'Where the store receives remote write, instead of the derived address: http://vminsert:8480/insert/0/prometheus/api/v1/write.',
    ),
    'store.metrics-query': optionalUrl.option(
      '',
      'Where the store answers queries, without /api/v1, instead of the derived address: http://vmselect:8481/select/0/prometheus.',
    ),
    'store.metrics-tenant': optionalText('TENANT').option(
      '',
      'Tenant: sent as X-Scope-OrgID, for thanos as THANOS-TENANT; for victoriametrics-cluster a part of the paths.',
    ),
    'store.metrics-headers-file': optionalText('FILE').option(
      '',
      'File of further headers to send, one "Name: value" per line, such as Authorization. It is reloaded after a 401 or 403.',
    ),
    'store.metrics-ca': optionalText('FILE').option(
      '',
      "Authorities of the store's certificate (PEM), instead of those of Node.",
    ),
    'store.metrics-resend-window': duration.option(
      '5m',
      'Samples that the store acknowledged are sent again when it restarts within this time: VictoriaMetrics acknowledges before data is on its disk.',
    ),
    'store.metrics-buffer-bytes-max': bytes.option(
      '4GiB',
      'Samples on disk that are not forwarded yet, or may be sent again; beyond it writes are rejected with 503.',
    ),
    'store.metrics-connections': count.option(
      '4',
      'Requests to the store at the same time. The samples of one series are sent one request after the other.',
    ),
    'store.metrics-query-connections': count.option(
      '16',
      'Queries of the store at the same time, of rules and of users each; others wait.',
    ),
    'store.metrics-answer-bytes-max': bytes.option(
      '512MiB',
      'Bytes of one answer of the store, after decompression; a query with a longer one fails.',
    ),
    'store.metrics-exact': flag.option(
      'false',
      'Evaluate here, over fetched samples, every query that the store computes differently from Prometheus 3, not only those with other series or values. Answers are then equal, and queries such as rate() on VictoriaMetrics are slower.',
    ),
  },
  Fleet: {
    'fleet.gone-after': durationOrNever.option(
      '14d',
      'Time without data after which a silent cluster counts as decommissioned and is excluded from all counts and lists. never, or 0, disables this.',
    ),
  },
  Query: {
    'query.timeout': duration.option('2m', 'The longest a query may take.'),
    'query.samples-max': count.option('50000000', 'Samples one query may read.'),
    'query.memory-bytes-max': bytes.option(
      '1GiB',
      'Intermediate results of all running queries together; beyond this limit the largest query fails with 503. Rules do not count.',
    ),
    'query.response-bytes-max': bytes.option(
      '64MiB',
      'The largest response with query results, series, exemplars or traces, before compression.',
    ),
    'query.concurrency-max': count.option(
      '10',
      'Requests of a lane that are served at one time, until their responses have left. One lane is of PromQL, series and traces, another of all other pages. One owner, a token or else an address, may have half of a lane.',
    ),
    'query.waiting-max': count.option(
      '1000',
      'Requests of a lane that may wait; further requests are rejected with 503 and Retry-After.',
    ),
    'query.owner-waiting-max': count.option(
      '500',
      'Of these, requests of one owner; further requests are rejected with 429 and Retry-After.',
    ),
    'query.wait-max': duration.option(
      '15s',
      'How long a request may wait; then the request is rejected with 503 and Retry-After.',
    ),
    'query.lookback': duration.option('5m', 'Lookback of an instant selector.'),
    'promql.experimental': flag.option(
      'false',
      'Allow experimental functions and syntax of Prometheus in queries and rules: limitk, info(), fill, smoothed, duration arithmetic and more. Their behaviour may change.',
    ),
    'promql.length-max': count.option(String(PARSE.lengthMax), 'Characters of one expression.'),
    'promql.tokens-max': count.option(
      String(PARSE.tokensMax),
      'Names, values, operators and brackets of one expression. 50,000 take some 150 ms to parse.',
    ),
    'promql.nesting-max': countUpTo(PARSE.nestingMax).option(
      String(PARSE.nestingMax),
      'Open parentheses in one expression.',
    ),
    'promql.depth-max': countUpTo(PARSE.depthMax).option(
      String(PARSE.depthMax),
      'Nesting depth of operators, signs and subqueries in one expression; a + b + c has a depth of 2.',
    ),
    'promql.regex-length-max': count.option(
      String(PARSE.regex.lengthMax),
      'Characters of the different regular expressions in one expression together. Lists of texts (a|b|c) do not count.',
    ),
    'promql.regex-instructions-max': count.option(
      String(PARSE.regex.instructionsMax),
      'Instructions of these regular expressions after compilation: (a{1,30}){1,30} has some 2,000.',
    ),
    'promql.regex-steps-max': count.option(
      String(REGEX_STEPS_MAX),
      "Steps (one instruction on one character, some 15 ns) of the regular expressions in a query's selectors, and of one text in label_replace.",
    ),
  },
  Alerts: {
    'rules.interval': duration.option('1m', 'Default evaluation interval of a rule group.'),
    'alerts.external-max': count.option(
      '10000',
      'External alerts (POST /api/v2/alerts) that are stored at one time, resolved ones of the last 15 minutes included. Beyond it the sender with the most alerts makes room for a smaller one; its own new alerts are rejected with 429.',
    ),
    'alerts.external-sender-max': count.option(
      '5000',
      'Of these, alerts of one sender: a token, or an address where none is needed. Beyond it its largest cluster makes room for a smaller one.',
    ),
    'alerts.external-cluster-max': count.option('2500', 'Of these, alerts that one sender reports of one cluster.'),
    'alerts.external-ends-within': duration.option(
      '7d',
      'Maximum time between the last report and the end of an external alert; a later endsAt is reduced to this.',
    ),
    'notify.config': optionalText('FILE').option(
      '',
      "Routing and receivers, in the format of Alertmanager's configuration. Without it, only --alertmanager receives alerts.",
    ),
    alertmanager: urls.option('', 'Alertmanagers that receive firing and resolved alerts.'),
    'alertmanager.resend-delay': duration.option('1m', 'How often a firing alert is sent again.'),
  },
} satisfies Record<string, Record<string, OptionSpec<unknown>>>

export const OPTIONS = {
  ...SECTIONS.Server,
  ...SECTIONS.TLS,
  ...SECTIONS['Sign-in'],
  ...SECTIONS.Content,
  ...SECTIONS.Ingest,
  ...SECTIONS.Store,
  ...SECTIONS['Metrics store'],
  ...SECTIONS.Fleet,
  ...SECTIONS.Query,
  ...SECTIONS.Alerts,
}

/** The default of `retention.raw` where another store has the samples. */
const FORWARDED_RETENTION_MS = 12 * 3_600_000

type OptionKey = keyof typeof OPTIONS

/** The parsed values of all options: durations in milliseconds, sizes in bytes. Frozen. */
export type Config = { readonly [K in OptionKey]: (typeof OPTIONS)[K] extends OptionSpec<infer T> ? T : never }

/**
 * Reads all sources and checks each value. Variables of `environment` other than `DAYTWO_*` are ignored. Throws
 * FleetError `config_invalid`.
 */
export function readConfig(
  commandLine: RawOptions,
  configFile: string | undefined,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const keys = Object.keys(OPTIONS)
  const places: readonly (readonly [string, RawOptions])[] = [
    ['on the command line', commandLine],
    ['in the environment', readEnvironment(environment, keys)],
    ...(configFile === undefined ? [] : [[`in ${configFile}`, readConfigFile(configFile, keys)] as const]),
  ]
  const entries = Object.entries<OptionSpec<unknown>>(OPTIONS).map(([key, spec]) => {
    const [place, raw] = places.flatMap(([where, values]) => {
      const value = values.get(key)
      return value === undefined ? [] : [[where, value] as const]
    })[0] ?? ['by default', spec.default]
    const readout = spec.kind.read(raw)
    if ('wanted' in readout) {
      throw new FleetError(
        'config_invalid',
        `option ${key} ${place}: got ${JSON.stringify(raw)}, want ${readout.wanted}`,
      )
    }
    return [key, readout.value] as const
  })
  const config = Object.fromEntries(entries) as unknown as Config
  const isGiven = (key: OptionKey): boolean => places.some(([, values]) => values.has(key))
  const isForwarding = config['store.metrics'] !== '' || config['store.metrics-write'] !== ''
  return Object.freeze({
    ...config,
    ...(isGiven('external.url') ? {} : { 'external.url': urlOf(config.listen, schemeOf(config)) }),
    ...(isForwarding && !isGiven('retention.raw') ? { 'retention.raw': FORWARDED_RETENTION_MS } : {}),
  })
}

/** The text of each option, for display: passwords in addresses are masked. */
export function configTexts(config: Config): Readonly<Record<OptionKey, string>> {
  const texts = Object.entries<OptionSpec<unknown>>(OPTIONS).map(([key, { kind }]) => {
    return [key, withoutPasswords(kind.write(config[key as OptionKey]))] as const
  })
  return Object.fromEntries(texts) as Record<OptionKey, string>
}

/** `http://me:secret@host` becomes `http://me:xxxxx@host`, as Prometheus shows it. */
export function withoutPasswords(text: string): string {
  return text.replace(/(https?:\/\/[^\s/:@,]*):[^\s/@]*@/g, '$1:xxxxx@')
}

/** What the server speaks itself, whatever a proxy in front of it does. */
export function schemeOf(config: Config): 'http' | 'https' {
  return config['tls.cert'] === '' ? 'http' : 'https'
}

/** The URL that a browser on this machine uses. */
export function urlOf(listen: { readonly host: string; readonly port: number }, scheme = 'http'): string {
  const isAny = listen.host === '0.0.0.0' || listen.host === '::'
  const host = isAny ? '127.0.0.1' : listen.host.includes(':') ? `[${listen.host}]` : listen.host
  return `${scheme}://${host}:${listen.port}`
}

/** The options as help text, by section. */
export function renderOptions(): string {
  const sections = Object.entries(SECTIONS).map(([section, specs]) => {
    const lines = Object.entries<OptionSpec<unknown>>(specs).map(([key, spec]) => {
      const byDefault = spec.default === '' ? '' : ` (default ${spec.default})`
      return `${`  --${key} ${spec.kind.placeholder}`.trimEnd()}\n      ${spec.help}${byDefault}`
    })
    return `${section}:\n${lines.join('\n')}`
  })
  return sections.join('\n\n')
}
