/**
 * The wiring of the query worker: the one thread that reads. PromQL and rules run here, next to the head (through shared
 * memory) and to SQLite (through a connection of its own). What rules write goes to the ingest worker, past main. Time
 * comes with each call; only durations are measured here.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { answerOf } from '../api/prometheus/query-answers.ts'
import type { QueryAnswer } from '../api/prometheus/query-answers.ts'
import type { Leaving } from '../base/cancellation.ts'
import { invariant } from '../base/invariant.ts'
import type { AlertRunQuery, AlertRunSpan, KeptAlertRun, MatchedRuns } from '../model/alert-run.ts'
import type { AuditEntry } from '../model/audit.ts'
import type { DeliveryQuery, KeptDelivery } from '../model/delivery.ts'
import type { ExemplarSeries } from '../model/exemplar.ts'
import type { Labels } from '../model/labels.ts'
import type { Matcher } from '../model/matcher.ts'
import type { MetricFamily } from '../model/metadata.ts'
import type { TimeRange } from '../model/time-range.ts'
import { createLocalEngine } from '../promql/engine.ts'
import type { EngineOptions } from '../promql/engine-options.ts'
import type { Explanation } from '../promql/explanation.ts'
import { newestSamples, type NewestSample } from '../promql/newest.ts'
import type { InstantQuery, QueryEngine, QueryResult, RangeQuery } from '../promql/query-engine.ts'
import { openFleetLoop } from './fleet-loop-wiring.ts'
import type { FleetLoopCalls } from './fleet-loop-calls.ts'
import type { AppendDerived } from '../model/appender.ts'
import { carry, createCaller, serveCalls } from './rpc.ts'
import type { Remote } from './rpc.ts'
import { createRuleEngine } from '../rules/engine.ts'
import type { RuleEngine } from '../rules/engine.ts'
import type { ReplayPorts } from '../rules/replay.ts'
import { replayBeside } from '../rules/replay-beside.ts'
import type { ReplayAnswer } from '../rules/replay-beside.ts'
import type { ReplayAsked } from '../rules/replay-request.ts'
import { loadRuleFiles } from '../rules/rule-file.ts'
import type { RuleGroup } from '../rules/rule.ts'
import type { EvaluationReport, RuleAlert, RuleGroupStatus } from '../rules/rule-status.ts'
import { createDerivedSender } from './derived-lane.ts'
import type { DerivedCalls } from './ingest-worker.ts'
import type { Cardinality } from '../store/index/cardinality.ts'
import type { IndexStatus, KeptTimes } from '../store/index/index-status.ts'
import { traceCalls } from './span-calls.ts'
import type { TraceCalls } from './span-calls.ts'
import type { StoreOptions } from '../store/options.ts'
import { observedCalls } from './observation-calls.ts'
import type { ObservedCalls } from './observation-calls.ts'
import { AdoptionBook } from '../fleet/adoption/book.ts'
import { EXPECTED_OPERATORS } from '../fleet/adoption/cube-of-day.ts'
import { createFleetBook } from '../fleet/clusters/fleet-book.ts'
import { adoptionCalls } from './adoption-calls.ts'
import type { AdoptionCalls } from './adoption-calls.ts'
import { fillFleetBook, fleetCalls } from './fleet-calls.ts'
import type { FleetCalls } from './fleet-calls.ts'
import { openFactsForReading } from '../store/facts/facts.ts'
import { openLogsForReading } from '../store/observations/log-record-reader.ts'
import { openObservationsForReading } from '../store/observations/observation-reader.ts'
import { openReader } from '../store/reader.ts'
import { openSpansForReading } from '../store/spans/span-reader.ts'
import type { ReaderShare } from '../store/head/share.ts'
import { firstMessage } from './start-thread.ts'
import type { ThreadHello } from './start-thread.ts'

export interface QueryWorkerData {
  readonly store: StoreOptions
  readonly engine: EngineOptions
  /** Without a word for longer a cluster is gone; `Infinity`: never by that alone. */
  readonly goneAfterMs: number
  readonly rules: {
    /** Checked by main before: they load. */
    readonly files: readonly { readonly path: string; readonly text: string }[]
    readonly intervalMs: number
    readonly externalUrl: string
  }
  /** From the ingest worker: one message, the `ReaderShare`. */
  readonly sharePort: MessagePort
  /** To the ingest worker: derived series and alert states. */
  readonly writerPort: MessagePort
}

/** What main asks. */
export type QueryWorkerCalls = FleetCalls & {
  /** Ends soon after its signal was aborted. */
  instant(query: InstantQuery, signal?: AbortSignal): Promise<QueryResult>
  range(query: RangeQuery, signal?: AbortSignal): Promise<QueryResult>
  /** As `QueryAnswers` says. */
  instantAnswer(query: InstantQuery, limit: number, left?: Leaving): Promise<QueryAnswer>
  rangeAnswer(query: RangeQuery, limit: number, left?: Leaving): Promise<QueryAnswer>
  explain(query: InstantQuery | RangeQuery, signal?: AbortSignal): Promise<Explanation>
  series(selectors: readonly (readonly Matcher[])[], range: TimeRange): Promise<readonly Labels[]>
  labelNames(selectors: readonly (readonly Matcher[])[], range: TimeRange): Promise<readonly string[]>
  labelValues(name: string, selectors: readonly (readonly Matcher[])[], range: TimeRange): Promise<readonly string[]>
  exemplars(selectors: readonly (readonly Matcher[])[], range: TimeRange): Promise<readonly ExemplarSeries[]>
  metadata(name?: string): Promise<readonly MetricFamily[]>
  newest(selectors: readonly (readonly Matcher[])[], range: TimeRange): readonly NewestSample[]
  restoreRules(nowMs: number): Promise<void>
  evaluateRules(nowMs: number): Promise<EvaluationReport>
  /** Files that were checked by main: they load. */
  reloadRules(files: QueryWorkerData['rules']['files']): Promise<void>
  /** Ends soon after its signal was aborted. */
  replayRule(asked: ReplayAsked, signal?: AbortSignal): Promise<ReplayAnswer>
  ruleGroups(): readonly RuleGroupStatus[]
  ruleAlerts(): readonly RuleAlert[]
  cardinality(request: { readonly nowMs: number; readonly top: number; readonly by: string }): Cardinality
  storeStatus(top: number): IndexStatus & KeptTimes
  alertRuns(query: AlertRunQuery): Promise<readonly KeptAlertRun[]>
  alertSpans(fingerprints: readonly string[], fromMs: number, toMs: number): Promise<readonly AlertRunSpan[]>
  matchingRuns(matchers: readonly Matcher[], fromMs: number, toMs: number): Promise<readonly MatchedRuns[]>
  audit(limit: number, before?: number): Promise<readonly AuditEntry[]>
  deliveries(query: DeliveryQuery): Promise<readonly KeptDelivery[]>
  delivery(id: number): Promise<KeptDelivery | undefined>
  close(): void
} & TraceCalls &
  ObservedCalls &
  FleetLoopCalls &
  AdoptionCalls

/** Milliseconds that only ever rise: for durations and time limits, never for the time of day. */
const stopwatchMs = (): number => performance.now()

/** The ingest worker, as the query worker sees it: one caller and one lane for all that writes from here. */
interface Writing {
  readonly writer: Remote<DerivedCalls>
  readonly appendDerived: AppendDerived
}

function ruleEngineOf(
  data: QueryWorkerData,
  groups: readonly RuleGroup[],
  query: QueryEngine,
  { writer, appendDerived }: Writing,
): RuleEngine {
  return createRuleEngine({
    groups,
    query: (expr, timeMs) => query.instant({ expr, timeMs }),
    appendDerived,
    states: {
      load: () => writer.loadAlertStates(),
      replaceGroup: (groupKey, records) => writer.replaceAlertStates(groupKey, records),
    },
    externalUrl: data.rules.externalUrl,
    stopwatchMs,
  })
}

function groupsOf(data: QueryWorkerData, files: QueryWorkerData['rules']['files']): readonly RuleGroup[] {
  return loadRuleFiles(files, { intervalMs: data.rules.intervalMs, language: data.engine }).groups
}

invariant(parentPort !== null, 'the query worker runs in a thread')
const data = workerData as QueryWorkerData
try {
  const reader = openReader(data.store, await firstMessage<ReaderShare>(data.sharePort))
  const facts = openFactsForReading(data.store.dir)
  const spans = openSpansForReading(data.store.dir)
  const observations = openObservationsForReading(data.store.dir)
  const logs = openLogsForReading(data.store.dir)
  const fleetBook = fillFleetBook(createFleetBook(data.goneAfterMs), facts.fleet, facts.decommissions)
  // Whoever asks is told; nobody may be there to ask.
  fleetBook.catch(() => undefined)
  const adoptionBook = new AdoptionBook(facts.adoption)
  // In the background, after what the first beat waits for; what fails here fails again for whoever asks.
  fleetBook.then(() => adoptionBook.warm(EXPECTED_OPERATORS)).catch(() => undefined)
  const query = createLocalEngine({ queryable: reader, options: data.engine, nowMs: stopwatchMs })
  let groups = groupsOf(data, data.rules.files)
  const { remote: writer } = createCaller<DerivedCalls>(data.writerPort)
  const appendDerived = createDerivedSender((batch) => writer.appendDerived(batch))
  const rules = ruleEngineOf(data, groups, query, { writer, appendDerived })
  const fleetLoop = openFleetLoop({
    store: data.store,
    reader,
    facts,
    observations,
    spans,
    writer,
    appendDerived,
    book: fleetBook,
    query,
    stopwatchMs,
  })
  const replayPorts: ReplayPorts = {
    range: (asked, signal) => query.range(asked, signal),
    instant: (asked, signal) => query.instant(asked, signal),
    externalUrl: data.rules.externalUrl,
    language: data.engine,
  }
  serveCalls(parentPort, {
    ...traceCalls(spans),
    ...observedCalls(observations, logs),
    instant: (asked, signal) => query.instant(asked, signal),
    range: (asked, signal) => query.range(asked, signal),
    instantAnswer: async (asked, limit, left) => answerOf(await query.instant(asked, left), limit),
    rangeAnswer: async (asked, limit, left) => answerOf(await query.range(asked, left), limit),
    explain: (asked, signal) => query.explain(asked, signal),
    series: (selectors, range) => query.series(selectors, range),
    labelNames: (selectors, range) => query.labelNames(selectors, range),
    labelValues: (name, selectors, range) => query.labelValues(name, selectors, range),
    exemplars: (selectors, range) => query.exemplars(selectors, range),
    metadata: (name) => query.metadata(name),
    newest: (selectors, range) => newestSamples(reader, selectors, range, data.engine.samplesMax),
    restoreRules: (nowMs) => rules.restore(nowMs),
    deriveFleet: (nowMs) => fleetLoop.beat(nowMs),
    evaluateRules: (nowMs) => {
      reader.noteGrowth(nowMs)
      return rules.evaluate(nowMs)
    },
    reloadRules: (files) => {
      groups = groupsOf(data, files)
      return rules.reload(groups)
    },
    replayRule: (asked, signal) => replayBeside(asked, groups, replayPorts, signal),
    ruleGroups: () => rules.groups(),
    ruleAlerts: () => rules.alerts(),
    cardinality: (request) => reader.cardinality(request),
    storeStatus: (top) => reader.status(top),
    alertRuns: (query) => facts.alertRuns.page(query),
    alertSpans: (fingerprints, fromMs, toMs) => facts.alertRuns.spans(fingerprints, fromMs, toMs),
    matchingRuns: (matchers, fromMs, toMs) => facts.alertRuns.matching(matchers, fromMs, toMs),
    audit: (limit, before) => facts.audit.list(limit, before),
    deliveries: (query) => facts.deliveries.list(query),
    delivery: (id) => facts.deliveries.get(id),
    ...fleetCalls(facts.fleet, fleetBook, () => fleetLoop.progress(), {
      list: () => facts.decommissions.list(),
      changed: (fromMs, nowMs) => {
        fleetLoop.recount(fromMs, nowMs)
      },
    }),
    ...adoptionCalls(facts.adoption, adoptionBook),
    close: () => {
      facts.close()
      spans.close()
      observations.close()
      logs.close()
      reader.close()
    },
  } satisfies QueryWorkerCalls)
  parentPort.postMessage({ ready: true } satisfies ThreadHello)
} catch (thrown) {
  parentPort.postMessage({ failed: carry(thrown) } satisfies ThreadHello)
}
