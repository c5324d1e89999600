import { Type, type Static, type TSchema } from 'typebox'

/** What the server says about itself in Prometheus' shapes: `/api/v1/status/*`, targets, Alertmanagers, features. */

const Answer = <T extends TSchema>(data: T) => Type.Object({ status: Type.Literal('success'), data })
const Texts = Type.Record(Type.String(), Type.String())

export const BuildInfo = Answer(
  Type.Object({
    version: Type.String(),
    revision: Type.String(),
    branch: Type.String(),
    buildUser: Type.String(),
    buildDate: Type.String(),
    goVersion: Type.String(),
  }),
)

/** Names are a Go program's; what stands in them is this process'. */
export const RuntimeInfo = Answer(
  Type.Object({
    startTime: Type.String(),
    CWD: Type.String(),
    hostname: Type.String(),
    serverTime: Type.String(),
    reloadConfigSuccess: Type.Boolean(),
    /** Options are read once, at the start. */
    lastConfigTime: Type.String(),
    corruptionCount: Type.Number(),
    /** Threads that work: there are no goroutines. */
    goroutineCount: Type.Number(),
    GOMAXPROCS: Type.Number(),
    /** Bytes the heap of the main thread may grow to. */
    GOMEMLIMIT: Type.Number(),
    GOGC: Type.String(),
    GODEBUG: Type.String(),
    storageRetention: Type.String(),
  }),
)

/** Options by name, as they would be written on the command line. */
export const Flags = Answer(Texts)
/** The same as a YAML file that `--config` reads. */
export const ConfigFile = Answer(Type.Object({ yaml: Type.String() }))

const Counts = Type.Array(Type.Object({ name: Type.String(), value: Type.Number() }))
export const TsdbStatus = Answer(
  Type.Object({
    headStats: Type.Object({
      numSeries: Type.Number(),
      numLabelPairs: Type.Number(),
      /** Pages of the head: five runs of samples each. */
      chunkCount: Type.Number(),
      /** Of all that is kept, not of the head alone; both 0 when nothing is. */
      minTime: Type.Number(),
      maxTime: Type.Number(),
    }),
    seriesCountByMetricName: Counts,
    labelValueCountByLabelName: Counts,
    memoryInBytesByLabelName: Counts,
    seriesCountByLabelValuePair: Counts,
  }),
)
export type TsdbStatus = Static<typeof TsdbStatus>

/** All 0: who reads it has an answer only when the log is read. */
export const WalReplay = Answer(Type.Object({ min: Type.Number(), max: Type.Number(), current: Type.Number() }))

export const PrometheusTarget = Type.Object({
  discoveredLabels: Texts,
  labels: Texts,
  scrapePool: Type.String(),
  scrapeUrl: Type.String(),
  globalUrl: Type.String(),
  lastError: Type.String(),
  lastScrape: Type.String(),
  /** Seconds. */
  lastScrapeDuration: Type.Number(),
  health: Type.Union([Type.Literal('up'), Type.Literal('down'), Type.Literal('unknown')]),
  scrapeInterval: Type.String(),
  scrapeTimeout: Type.String(),
})
export type PrometheusTarget = Static<typeof PrometheusTarget>
export const TargetList = Answer(
  Type.Object({
    activeTargets: Type.Array(PrometheusTarget),
    droppedTargets: Type.Array(Type.Object({ discoveredLabels: Texts, scrapePool: Type.String() })),
    droppedTargetCounts: Type.Record(Type.String(), Type.Number()),
  }),
)
export const ScrapePools = Answer(Type.Object({ scrapePools: Type.Array(Type.String()) }))

const Address = Type.Object({ url: Type.String() })
export const AlertmanagerList = Answer(
  Type.Object({ activeAlertmanagers: Type.Array(Address), droppedAlertmanagers: Type.Array(Address) }),
)

/** By area, then by name: whether it can be used here. */
export const Features = Answer(Type.Record(Type.String(), Type.Record(Type.String(), Type.Boolean())))
