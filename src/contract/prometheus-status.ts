import { Type, type TSchema } from 'typebox'
import type { Shape } from './common.ts'

/** The status of the server in Prometheus' formats: `/api/v1/status/*`, targets, Alertmanagers, features. */

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

/** The names are those of a Go program; the values are those of this process. */
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
    /** Working threads, in place of goroutines. */
    goroutineCount: Type.Number(),
    GOMAXPROCS: Type.Number(),
    /** The heap limit of the main thread, in bytes. */
    GOMEMLIMIT: Type.Number(),
    GOGC: Type.String(),
    GODEBUG: Type.String(),
    storageRetention: Type.String(),
  }),
)

/** Options by name, in their notation on the command line. */
export const Flags = Answer(Texts)
/** The same as a YAML file for `--config`. */
export const ConfigFile = Answer(Type.Object({ yaml: Type.String() }))

const Counts = Type.Array(Type.Object({ name: Type.String(), value: Type.Number() }))
export const TsdbStatus = Answer(
  Type.Object({
    headStats: Type.Object({
      numSeries: Type.Number(),
      numLabelPairs: Type.Number(),
      /** Pages of the head: five runs of samples each. */
      chunkCount: Type.Number(),
      /** Of all stored samples, not of the head alone; both 0 without samples. */
      minTime: Type.Number(),
      maxTime: Type.Number(),
    }),
    seriesCountByMetricName: Counts,
    labelValueCountByLabelName: Counts,
    memoryInBytesByLabelName: Counts,
    seriesCountByLabelValuePair: Counts,
  }),
)
export type TsdbStatus = Shape<typeof TsdbStatus>

/** Always 0: the server answers only after the log is read. */
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
export type PrometheusTarget = Shape<typeof PrometheusTarget>
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

/** By area, then by name: whether the feature is supported. */
export const Features = Answer(Type.Record(Type.String(), Type.Record(Type.String(), Type.Boolean())))
