/**
 * The wiring of the query worker: the one thread that reads. PromQL and rules run here, next to the head (through shared
 * memory) and to SQLite (through a connection of its own). What rules write goes to the ingest worker, past main. Time
 * comes with each call; only durations are measured here.
 */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import type { ApiAdoption } from '../api/fleet/adoption.ts'
import { answerOf, type QueryAnswers } from '../api/prometheus/query-answers.ts'
import { invariant } from '../base/invariant.ts'
import { AdoptionBook } from '../fleet/adoption/book.ts'
import { EXPECTED_OPERATORS } from '../fleet/adoption/cube-of-day.ts'
import { fillFleetBook, rereadDecommissions } from '../fleet/clusters/fill-fleet-book.ts'
import { createFleetBook } from '../fleet/clusters/fleet-book.ts'
import { createFleetViews, type FleetViews } from '../fleet/fleet-views.ts'
import type { FleetLoop } from '../fleet/loop/fleet-loop.ts'
import type { AlertRunReader } from '../model/alert-run.ts'
import type { AppendDerived } from '../model/appender.ts'
import type { DeliveryReader } from '../model/delivery.ts'
import type { ObservationReader } from '../model/fleet-facts.ts'
import type { LogReader } from '../model/log-record.ts'
import type { Matcher } from '../model/matcher.ts'
import type { TimeRange } from '../model/time-range.ts'
import type { TraceReader } from '../model/span.ts'
import { createLocalEngine, type LocalEngine } from '../promql/engine.ts'
import type { EngineOptions } from '../promql/engine-options.ts'
import { newestSamples, type NewestSample } from '../promql/newest.ts'
import type { QueryEngine, QueryExplainer } from '../promql/query-engine.ts'
import { createRuleEngine, type RuleEngine } from '../rules/engine.ts'
import type { ReplayPorts } from '../rules/replay.ts'
import { replayRules, type ReplayAnswer } from '../rules/replay-rules.ts'
import type { ReplayInput } from '../rules/replay-request.ts'
import { loadRuleFiles } from '../rules/rule-file.ts'
import { openFactsForReading, type FactsReader } from '../store/facts/facts.ts'
import type { ReaderShare } from '../store/head/share.ts'
import { openLogsForReading } from '../store/observations/log-record-reader.ts'
import { openObservationsForReading } from '../store/observations/observation-reader.ts'
import type { StoreOptions } from '../store/options.ts'
import { openReader, type StoreReader } from '../store/reader.ts'
import { openSpansForReading } from '../store/spans/span-reader.ts'
import { createDerivedSender } from './derived-lane.ts'
import { openFleetLoop } from './fleet-loop-wiring.ts'
import type { DerivedServices } from './ingest-worker.ts'
import { carry, createCaller, serve, type Remote } from './rpc.ts'
import { firstMessage, type ThreadHello } from './start-thread.ts'

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

/** What main calls. */
export type QueryServices = {
  readonly promql: QueryEngine & QueryExplainer
  readonly answers: QueryAnswers
  readonly series: SeriesServices
  readonly rules: RuleServices
  readonly alertRuns: AlertRunReader
  readonly audit: FactsReader['audit']
  readonly deliveries: DeliveryReader
  readonly traces: TraceReader
  readonly observations: Pick<ObservationReader, 'changes'>
  readonly logs: LogReader
  readonly fleet: FleetViews
  readonly decommissions: {
    /** Something was declared of clusters: it counts from when this resolves. */
    reread(nowMs: number): Promise<void>
  }
  readonly fleetLoop: Pick<FleetLoop, 'runCycle'>
  readonly adoption: ApiAdoption
  readonly thread: { close(): void }
}

interface SeriesServices extends Pick<StoreReader, 'cardinality' | 'status'> {
  newest(selectors: readonly (readonly Matcher[])[], range: TimeRange): readonly NewestSample[]
}

interface RuleServices extends Omit<RuleEngine, 'reload' | 'alerts'> {
  /** Files that were checked by main: they load. */
  reload(files: QueryWorkerData['rules']['files']): Promise<void>
  /** Ends soon after its signal was aborted. */
  replay(asked: ReplayInput, signal?: AbortSignal): Promise<ReplayAnswer>
}

/** Milliseconds that only ever rise: for durations and time limits, never for the time of day. */
const stopwatchMs = (): number => performance.now()

/** The ingest worker, as the query worker sees it: one caller and one lane for all that writes from here. */
interface Writing {
  readonly writer: Remote<DerivedServices>
  readonly appendDerived: AppendDerived
}

function ruleServicesOf(
  { engine: language, rules: { files, intervalMs, externalUrl } }: QueryWorkerData,
  reader: StoreReader,
  query: LocalEngine,
  { writer, appendDerived }: Writing,
): RuleServices {
  const groupsOf = (ruleFiles: typeof files) => loadRuleFiles(ruleFiles, { intervalMs, language }).groups
  let groups = groupsOf(files)
  const rules = createRuleEngine({
    groups,
    query: (expr, timeMs) => query.instant({ expr, timeMs }),
    appendDerived,
    states: writer.alertStates,
    externalUrl,
    stopwatchMs,
  })
  const replayPorts: ReplayPorts = {
    range: (asked, signal) => query.range(asked, signal),
    instant: (asked, signal) => query.instant(asked, signal),
    externalUrl,
    language,
  }
  return {
    restore: (nowMs) => rules.restore(nowMs),
    evaluate: (nowMs) => {
      reader.recordGrowth(nowMs)
      return rules.evaluate(nowMs)
    },
    reload: (changed) => {
      groups = groupsOf(changed)
      return rules.reload(groups)
    },
    replay: (asked, signal) => replayRules(asked, groups, replayPorts, signal),
    groups: () => rules.groups(),
    alertUpdate: () => rules.alertUpdate(),
  }
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
  // Each caller gets the failure; there may be no caller.
  fleetBook.catch(() => undefined)
  const adoptionBook = new AdoptionBook(facts.adoption)
  // In the background, after what the first cycle waits for; a failure here is a failure of each caller again.
  fleetBook.then(() => adoptionBook.warm(EXPECTED_OPERATORS)).catch(() => undefined)
  const query = createLocalEngine({ queryable: reader, options: data.engine, nowMs: stopwatchMs })
  const { remote: writer } = createCaller<DerivedServices>(data.writerPort)
  const writing: Writing = { writer, appendDerived: createDerivedSender((batch) => writer.derived.samples(batch)) }
  const fleetLoop = openFleetLoop({
    store: data.store,
    reader,
    facts,
    observations,
    spans,
    ...writing,
    book: fleetBook,
    query,
    stopwatchMs,
  })
  serve(parentPort, {
    promql: query,
    answers: {
      instant: async (asked, limit, left) => answerOf(await query.instant(asked, left), limit),
      range: async (asked, limit, left) => answerOf(await query.range(asked, left), limit),
    },
    series: {
      cardinality: (asked) => reader.cardinality(asked),
      status: (top) => reader.status(top),
      newest: (selectors, range) => newestSamples(reader, selectors, range, data.engine.samplesMax),
    },
    rules: ruleServicesOf(data, reader, query, writing),
    alertRuns: facts.alertRuns,
    audit: facts.audit,
    deliveries: facts.deliveries,
    traces: spans,
    observations,
    logs,
    fleet: createFleetViews(facts.fleet, fleetBook, () => fleetLoop.progress()),
    decommissions: {
      reread: async (nowMs) => {
        const fromMs = await rereadDecommissions(await fleetBook, facts.decommissions)
        if (fromMs !== undefined) fleetLoop.recountDays(fromMs, nowMs)
      },
    },
    fleetLoop,
    adoption: adoptionBook,
    thread: {
      close: () => {
        facts.close()
        spans.close()
        observations.close()
        logs.close()
        reader.close()
      },
    },
  } satisfies QueryServices)
  parentPort.postMessage({ ready: true } satisfies ThreadHello)
} catch (thrown) {
  parentPort.postMessage({ failed: carry(thrown) } satisfies ThreadHello)
}
