/** Derives the options of each folder from the configuration. */
import { isIP } from 'node:net'
import type { Config } from './config.ts'
import { INGEST_DEFAULTS, type IngestOptions } from '../ingest/options.ts'
import { CLUSTER_LABEL } from '../model/cluster-identity.ts'
import { OTLP_DEFAULTS, type OtlpOptions } from '../ingest/otlp/options.ts'
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from '../promql/engine-options.ts'
import { metricsStoreOf } from './metrics-store.ts'
import { STORE_DEFAULTS, type StoreOptions } from '../store/options.ts'

export function storeOptionsOf(config: Config): StoreOptions {
  return {
    ...STORE_DEFAULTS,
    dir: config.data,
    retentionRawMs: config['retention.raw'],
    retention5mMs: config['retention.5m'],
    retention1hMs: config['retention.1h'],
    retention1dMs: config['retention.1d'],
    retentionTracesMs: config['retention.traces'],
    spansPerTraceMax: config['store.trace-spans-max'],
    bytesPerTraceMax: config['store.trace-bytes-max'],
    retentionLogsMs: config['retention.logs'],
    retentionObjectsMs: config['retention.objects'],
    clusterObjectStatesMax: config['store.cluster-object-states-max'],
    outOfOrderMs: config['ingest.out-of-order'],
    flushEveryMs: config['store.flush-every'],
    compactToMs: config['store.compact-to'],
    clusterLabels: [CLUSTER_LABEL, ...config['identity.labels']],
    seriesMax: config['store.series-max'],
    headBytesMax: config['store.head-bytes-max'],
    forwardBufferBytesMax: metricsStoreOf(config)?.bufferBytesMax,
    exemplarsMax: config['store.exemplars-max'],
    exemplarsPerSeriesMax: Math.max(1, config['store.exemplars-per-series-max']),
    isShipping: config['store.facts'] !== '',
  }
}

export function ingestOptionsOf(config: Config): IngestOptions {
  return {
    ...INGEST_DEFAULTS,
    decodedBytesMax: config['ingest.decompressed-bytes-max'],
    samplesPerRequestMax: config['ingest.request-samples-max'],
    seriesPerRequestMax: config['ingest.request-series-max'],
    spansPerRequestMax: config['ingest.request-spans-max'],
    spanNameBytesMax: config['ingest.span-name-bytes-max'],
    spanValueBytesMax: config['ingest.span-value-bytes-max'],
    spanBytesMax: config['ingest.span-bytes-max'],
    logRecordsPerRequestMax: config['ingest.request-log-records-max'],
    labelsPerSeriesMax: config['ingest.labels-max'],
    labelNameBytesMax: config['ingest.label-name-bytes-max'],
    labelValueBytesMax: config['ingest.label-value-bytes-max'],
    histogramBucketsMax: config['ingest.histogram-buckets-max'],
    aheadMsMax: config['ingest.too-far-ahead'],
    seriesMax: config['store.series-max'],
    clusterSeriesMax: config['ingest.cluster-series-max'],
    clusterNewSeriesPerMinuteMax: config['ingest.cluster-new-series-per-minute-max'],
    newSeriesPerMinuteMax: config['ingest.new-series-per-minute-max'],
    identityLabels: config['identity.labels'],
    identityReleaseAfterMs: config['identity.release-after'],
    haReplicaLabel: config['ha.replica-label'],
    haGroupLabel: config['ha.group-label'],
    haFailoverAfterMs: config['ha.failover-after'],
  }
}

export function otlpOptionsOf(config: Config): OtlpOptions {
  return {
    ...OTLP_DEFAULTS,
    strategy: config['otlp.translation-strategy'],
    promoteAttributes: config['otlp.promote-attributes'],
    promoteScope: config['otlp.promote-scope-metadata'],
    deltaStreamsMax: config['otlp.delta-streams-max'],
    bucketsMax: config['otlp.buckets-max'],
    attributesMax: config['otlp.request-attributes-max'],
  }
}

export function engineOptionsOf(config: Config): EngineOptions {
  return {
    ...DEFAULT_ENGINE_OPTIONS,
    samplesMax: config['query.samples-max'],
    timeoutMs: config['query.timeout'],
    lookbackMs: config['query.lookback'],
    experimental: config['promql.experimental'],
    regexStepsMax: config['promql.regex-steps-max'],
    limits: {
      lengthMax: config['promql.length-max'],
      tokensMax: config['promql.tokens-max'],
      nestingMax: config['promql.nesting-max'],
      depthMax: config['promql.depth-max'],
      regex: {
        lengthMax: config['promql.regex-length-max'],
        instructionsMax: config['promql.regex-instructions-max'],
      },
    },
  }
}

/** Whether only this machine can reach an address. Of host names, only `localhost` counts. */
export function isLoopback(host: string): boolean {
  switch (isIP(host)) {
    case 4:
      return host.startsWith('127.')
    case 6:
      return host === '::1' || host.toLowerCase().startsWith('::ffff:127.')
    default:
      return host === 'localhost'
  }
}

/** Limits and labels of external alerts, in the shape of `ExternalAlertOptions`. */
export function externalAlertOptionsOf(config: Config) {
  return {
    shares: {
      total: config['alerts.external-max'],
      perSender: config['alerts.external-sender-max'],
      perCluster: config['alerts.external-cluster-max'],
    },
    endsWithinMs: config['alerts.external-ends-within'],
    clusterAliases: config['identity.labels'],
  }
}
