import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance, type InjectOptions, type LightMyRequestResponse } from 'fastify'
import { Value } from 'typebox/value'
import { createEventFeed } from '../../src/api/server/event-feed.ts'
import type { Operation } from '../../src/api/server/route-config.ts'
import { createServer, type ApiDeps } from '../../src/api/server/server.ts'
import type { QueueLimits } from '../../src/api/server/query-queue.ts'
import { answersOver } from '../../src/api/prometheus/query-answers.ts'
import { silentLog } from '../../src/base/log.ts'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { PROJECT_ROOT } from '../../src/config/project-root.ts'
import { buildCatalog } from '../../src/catalog/catalog.ts'
import { Intake } from '../../src/ingest/intake.ts'
import { createRemoteWriteIngest } from '../../src/ingest/remote-write.ts'
import { INGEST_DEFAULTS, type IngestOptions } from '../../src/ingest/options.ts'
import { createOtlpLogsIngest } from '../../src/ingest/otlp/logs.ts'
import { createOtlpMetricsIngest } from '../../src/ingest/otlp/metrics.ts'
import { createOtlpTracesIngest } from '../../src/ingest/otlp/traces.ts'
import { OTLP_DEFAULTS, type OtlpOptions } from '../../src/ingest/otlp/options.ts'
import type { ExemplarSeries } from '../../src/model/exemplar.ts'
import type { ObjectListing } from '../../src/model/fleet-facts.ts'
import type { Labels } from '../../src/model/labels.ts'
import type { Span } from '../../src/model/span.ts'
import type { LogRecord } from '../../src/model/log-record.ts'
import type { ObjectObservation } from '../../src/model/observation.ts'
import { DEFAULT_REDACTION } from '../../src/model/redaction.ts'
import type { MetricFamily } from '../../src/model/metadata.ts'
import type { InstantQuery, QueryEngine, QueryResult, RangeQuery } from '../../src/promql/query-engine.ts'
import type { RuleReader } from '../../src/api/prometheus/rules.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { emptyAdoption } from '../support/adoption.ts'
import { emptyFleet } from '../support/fleet-facts.ts'
import { memoryGraphImports } from '../support/graph-imports.ts'
import { memoryNotify } from '../support/notify.ts'
import { MemoryAppender } from '../support/memory-appender.ts'
import { memoryPeople } from '../support/people.ts'
import { atOnce } from '../support/at-once.ts'

/** Servers for tests: the real one, with ports that a test can look into. */

export const NOW_MS = Date.parse('2026-08-20T10:00:00Z')

/** A query engine that notes what it was asked and answers what it was told to. */
export class NotingEngine implements QueryEngine {
  readonly instants: InstantQuery[] = []
  readonly ranges: RangeQuery[] = []
  readonly reads: { readonly what: string; readonly selectors: unknown; readonly range: unknown }[] = []
  result: QueryResult = {
    value: { type: 'vector', timeMs: NOW_MS, samples: [] },
    warnings: [],
    infos: [],
    stats: { samplesRead: 0, seriesRead: 0, evalMs: 0 },
  }
  labelSets: readonly Labels[] = []
  texts: readonly string[] = []
  exemplarSeries: readonly ExemplarSeries[] = []
  families: readonly MetricFamily[] = []
  failure: Error | undefined

  instant(query: InstantQuery): Promise<QueryResult> {
    this.instants.push(query)
    return this.#answer(this.result)
  }

  range(query: RangeQuery): Promise<QueryResult> {
    this.ranges.push(query)
    return this.#answer(this.result)
  }

  series(selectors: unknown, range: unknown): Promise<readonly Labels[]> {
    this.reads.push({ what: 'series', selectors, range })
    return this.#answer(this.labelSets)
  }

  labelNames(selectors: unknown, range: unknown): Promise<readonly string[]> {
    this.reads.push({ what: 'labelNames', selectors, range })
    return this.#answer(this.texts)
  }

  labelValues(name: string, selectors: unknown, range: unknown): Promise<readonly string[]> {
    this.reads.push({ what: `labelValues ${name}`, selectors, range })
    return this.#answer(this.texts)
  }

  exemplars(selectors: unknown, range: unknown): Promise<readonly ExemplarSeries[]> {
    this.reads.push({ what: 'exemplars', selectors, range })
    return this.#answer(this.exemplarSeries)
  }

  metadata(name?: string): Promise<readonly MetricFamily[]> {
    this.reads.push({ what: `metadata ${name ?? ''}`, selectors: undefined, range: undefined })
    return this.#answer(this.families)
  }

  #answer<T>(value: T): Promise<T> {
    return this.failure === undefined ? Promise.resolve(value) : Promise.reject(this.failure)
  }
}

const PAGE = `---
aliases: [HCOOldName]
---
# KubeVirtCRModified

## Meaning

Somebody changed an operand by hand. HCO changed it back.

## Impact

None.

## Diagnosis

The object is {{component_object}} on {{cluster}}, operator in {{namespace}}.

\`\`\`promql live
kubevirt_hco_out_of_band_modifications_total{cluster="{{cluster}}"}
\`\`\`

## Mitigation

\`\`\`bash kubectl
kubectl get hco -n {{namespace}}
\`\`\`
`

export const TEST_CATALOG = buildCatalog({
  ruleFiles: [],
  pageFiles: [{ path: 'runbooks/KubeVirtCRModified.md', text: PAGE }],
  dashboardFiles: [],
})

/** A folder like the built UI's. */
export function makeWebRoot(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'daytwo-web-'))
  mkdirSync(join(path, 'assets'))
  writeFileSync(join(path, 'index.html'), '<!doctype html><title>Daytwo</title>')
  writeFileSync(join(path, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(path, 'assets', 'main-abc123.js'), `export const x = ${JSON.stringify('x'.repeat(4000))}\n`)
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true })
    },
  }
}

/** What a test's logs ingest took. */
export interface TakenLogs {
  readonly objects: ObjectObservation[]
  readonly listings: ObjectListing[]
  readonly records: LogRecord[]
}

export interface TestServer {
  readonly app: FastifyInstance
  readonly engine: NotingEngine
  readonly appender: MemoryAppender
  readonly clock: FakeClock
  /** Taken by the test's traces ingest. */
  readonly spans: Span[]
  readonly logs: TakenLogs
  readonly deps: ApiDeps
}

const webRoot = makeWebRoot()
process.once('exit', webRoot.remove)

const ANSWER_BYTES_MAX = 64 * 1024 * 1024
export const QUEUE: QueueLimits = { concurrencyMax: 10, waitingMax: 100, ownerWaitingMax: 50, waitMsMax: 30_000 }

/** The whole server on ports of the test; `overrides` replaces some. Close `app` when done. */
export async function makeServer(
  overrides: Partial<Omit<ApiDeps, 'settings' | 'query'>> & {
    readonly query?: QueryEngine
    readonly settings?: Partial<ApiDeps['settings']>
    readonly ingest?: Partial<IngestOptions>
    readonly otlp?: Partial<OtlpOptions>
  } = {},
): Promise<TestServer> {
  const engine = new NotingEngine()
  const appender = new MemoryAppender()
  const clock = new FakeClock(NOW_MS)
  const rules: RuleReader = overrides.rules ?? {
    groups: () => Promise.resolve([]),
    alerts: () => [],
  }
  const people = overrides.people ?? (await memoryPeople({ clock, ruleAlerts: () => rules.alerts() })).people
  const intake = new Intake(appender, { ...INGEST_DEFAULTS, ...overrides.ingest })
  const ingest = createRemoteWriteIngest({ intake })
  const otlp = createOtlpMetricsIngest({ intake, otlp: { ...OTLP_DEFAULTS, ...overrides.otlp } })
  const spans: Span[] = []
  const traces = createOtlpTracesIngest({
    intake,
    otlp: { ...OTLP_DEFAULTS, ...overrides.otlp },
    spans: {
      putSpans: (taken) => {
        spans.push(...taken)
        return []
      },
    },
    limits: { retentionMs: 30 * 24 * 3_600_000, spansPerTraceMax: 20_000, bytesPerTraceMax: 16 * 1024 * 1024 },
  })
  const logs: TakenLogs = { objects: [], listings: [], records: [] }
  const logsIngest = createOtlpLogsIngest({
    intake,
    otlp: { ...OTLP_DEFAULTS, ...overrides.otlp },
    observations: {
      admits: () => true,
      putObjects: (objects) => logs.objects.push(...objects),
      putListings: (listings) => logs.listings.push(...listings),
    },
    logs: { putLogs: (records) => logs.records.push(...records) },
    limits: { objectRetentionMs: 400 * 24 * 3_600_000, logRetentionMs: 30 * 24 * 3_600_000 },
  })
  const metrics = overrides.metrics ?? createOwnMetrics('0.0.0-test')
  const deps: ApiDeps = {
    query: engine,
    answers: answersOver(overrides.query ?? engine, ANSWER_BYTES_MAX),
    write: async (body, cluster, protocol) => {
      const bound = cluster === undefined ? {} : { cluster }
      const outcome = ingest.write(Buffer.concat(body), { nowMs: clock.nowMs(), protocol, ...bound })
      await appender.commit()
      return outcome
    },
    recordRefusal: (refusal, cluster) => {
      intake.note([refusal], cluster, clock.nowMs())
    },
    forwardState: () => Promise.resolve(undefined),
    deployment: () => ({ processes: [], unheardMs: 0 }),
    forgetProcess: () => Promise.resolve(false),
    ingestReport: (nowMs, top) => Promise.resolve(intake.report(nowMs, top)),
    writeOtlp: {
      metrics: async (body, encoding, cluster) => {
        const bound = cluster === undefined ? {} : { cluster }
        const outcome = atOnce(otlp.write(body, encoding, { nowMs: clock.nowMs(), ...bound }))
        await appender.commit()
        return outcome
      },
      traces: (body, encoding, cluster) => {
        const bound = cluster === undefined ? {} : { cluster }
        return Promise.resolve(atOnce(traces.write(body, encoding, { nowMs: clock.nowMs(), ...bound })))
      },
      logs: (body, encoding, cluster) => {
        const bound = cluster === undefined ? {} : { cluster }
        return Promise.resolve(atOnce(logsIngest.write(body, encoding, { nowMs: clock.nowMs(), ...bound })))
      },
    },
    traces: {
      services: () => Promise.resolve([]),
      operations: () => Promise.resolve([]),
      answer: () => Promise.resolve(undefined),
      dependencies: () => Promise.resolve([]),
    },
    objectChanges: () => Promise.resolve([]),
    storeLogs: (records) => {
      logs.records.push(...records)
      return Promise.resolve()
    },
    logRecords: { logs: () => Promise.resolve([]) },
    federate: () => Promise.resolve([new Uint8Array()]),
    bundles: () => Promise.reject(new Error('this test makes no bundles')),
    redaction: () => DEFAULT_REDACTION,
    explain: () => Promise.reject(new Error('this test explains nothing')),
    replay: () => Promise.reject(new Error('this test replays nothing')),
    cardinality: () => Promise.reject(new Error('this test has no store')),
    storeStatus: () => Promise.reject(new Error('this test has no store')),
    process: () => ({ folder: '/srv/daytwo', hostname: 'test', threads: 3, processors: 2, heapBytesMax: 2 ** 31 }),
    rules,
    people,
    resolveTimeoutMs: () => 300_000,
    context: {
      changes: () => Promise.resolve({ changes: [], unknown: [] }),
      shared: () => Promise.resolve({ clusters: 0, shared: [] }),
      deliveries: () => Promise.resolve([]),
    },
    notify: overrides.notify ?? (await memoryNotify({ clock })).api,
    catalog: TEST_CATALOG,
    ruleTests: () => Promise.reject(new Error('this test has no unit tests')),
    reload: () => Promise.resolve(),
    reloadStatus: () => ({ isSuccessful: true, lastSuccessMs: NOW_MS - 3_600_000 }),
    inventory: () => Promise.resolve(undefined),
    fleet: emptyFleet(),
    adoption: emptyAdoption(),
    usage: {
      machineTypes: () => Promise.resolve({ vms: new Map(), deprecated: new Map() }),
      requestedApis: () => Promise.resolve([]),
    },
    erasures: {
      list: () => Promise.resolve([]),
      begin: () => Promise.resolve(undefined),
      allow: () => Promise.resolve(undefined),
      refused: () => Promise.resolve([]),
      cycle: () => Promise.resolve(),
    },
    graphImports: memoryGraphImports(),
    clusterReport: () => Promise.resolve(undefined),
    authenticate: () => Promise.resolve(undefined),
    requiresToken: false,
    events: createEventFeed({ clock, metrics, listenersMax: 10 }),
    faults: () => ({ storage: undefined, damage: undefined, failingRules: 0, threads: [] }),
    metrics,
    log: silentLog,
    clock,
    webRoot: webRoot.path,
    docsDir: join(PROJECT_ROOT, 'docs'),
    readiness: () => 'ready',
    ...overrides,
    settings: {
      version: '0.0.0-test',
      startedAtMs: NOW_MS - 3_600_000,
      options: {},
      lookbackMs: 300_000,
      alertmanagers: [],
      isDemo: false,
      externalUrl: 'http://127.0.0.1:4318',
      listenHost: '127.0.0.1',
      corsOrigins: [],
      connectionsMax: 1000,
      addressConnectionsMax: 1000,
      requestBytesMax: 64 * 1024 * 1024,
      bodyBytesMax: 1024 * 1024,
      decodedBytesMax: 4 * 1024 * 1024,
      queue: QUEUE,
      ...overrides.settings,
    },
  }
  return { app: checkingAnswers(await createServer(deps)), engine, appender, clock, spans, logs, deps }
}

/** The ports of OTLP requests of which every one fails. */
export function failingOtlp(failure: Error): ApiDeps['writeOtlp'] {
  const fail = () => Promise.reject(failure)
  return { metrics: fail, traces: fail, logs: fail }
}

type Inject = (asked: string | InjectOptions) => Promise<LightMyRequestResponse>

/** As `inject`, but in front of the short ways as a connection is, and not behind them. */
function throughServer(app: FastifyInstance): Inject {
  const front = Fastify()
  front.removeAllContentTypeParsers()
  front.addContentTypeParser('*', (_request, _body, done) => {
    done(null)
  })
  front.all('/*', { config: { access: 'public', dialect: 'text' } }, (request, reply) => {
    reply.hijack()
    app.server.emit('request', request.raw, reply.raw)
  })
  return front.inject.bind(front)
}

/** Every good answer of an own route that a test gets must be as it is described. */
function checkingAnswers(app: FastifyInstance): FastifyInstance {
  const inject = app.inject.bind(app) as Inject
  let front: Inject | undefined
  const checked = async (asked: string | InjectOptions): Promise<LightMyRequestResponse> => {
    const { method = 'GET', url = asked } = typeof asked === 'string' ? {} : asked
    const path = (typeof url === 'string' ? url : '').split('?')[0]!
    const answer = await (/^\/api\/v1\/query(?:_range)?$/.test(path) ? (front ??= throughServer(app)) : inject)(asked)
    const operation = operationOf(app, `${method} ${path}`)
    if (operation !== undefined && answer.statusCode === (operation.status ?? 200) && isJson(answer.headers)) {
      const faults = [...Value.Errors(operation.answer, answer.json())]
      if (faults.length > 0) throw new Error(`${method} ${path}: ${faults[0]!.instancePath} ${faults[0]!.message}`)
    }
    return answer
  }
  return Object.assign(app, { inject: checked })
}

/** The most particular route comes first: `alerts/history` is not an alert called history. */
function operationOf({ routeTable }: FastifyInstance, asked: string): Operation | undefined {
  const routes = routeTable.map(({ method, url, operation }) => ({ route: `${method} ${url}`, operation }))
  const named = routes.find(({ route }) => route === asked)
  if (named !== undefined) return named.operation
  const pattern = (route: string): string => route.replace(/[.]/g, '\\.').replaceAll(/:\w+/g, '[^/]+')
  return routes.find(({ route, operation }) => operation !== undefined && new RegExp(`^${pattern(route)}$`).test(asked))
    ?.operation
}

export const form = (fields: readonly (readonly [string, string])[]) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  payload: new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString(),
})

/** CSV, where it was asked for, is not what a schema describes. */
function isJson(headers: Readonly<Record<string, unknown>>): boolean {
  return String(headers['content-type']).startsWith('application/json')
}
