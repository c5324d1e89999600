import type { IngestOptions } from './options.ts'
import type { RefusedSeries } from './refusals.ts'

/**
 * Limits for new series: series per cluster, and new series per minute, per cluster and in total. A single runaway
 * cluster (a label with a request id) must not use up the room of the others, and a surge of new series must not delay
 * the samples of known ones. Known series are never refused here.
 *
 * Minutes are those of the clock. Above a limit the response is 400, not 429: most senders drop samples refused with
 * 429 too, senders that retry delay all their valid samples, and the next scrape sends the series anyway.
 */
const MINUTE_MS = 60_000

type SeriesLimitOptions = Pick<
  IngestOptions,
  'clusterSeriesMax' | 'clusterNewSeriesPerMinuteMax' | 'newSeriesPerMinuteMax'
>

/** One limit and how near it is. */
export interface LimitReport {
  /** The option that sets it. */
  readonly option: string
  readonly max: number
  readonly used: number
  /** The cluster that is nearest; absent for limits on all. */
  readonly cluster?: string
}

export class SeriesLimits {
  readonly #options: SeriesLimitOptions
  readonly #seriesOf: (cluster: string) => number
  #minute = -1
  #newInAll = 0
  readonly #newByCluster = new Map<string, number>()

  /** @param seriesOf number of series of a cluster; the empty text: series without a cluster, limited as one cluster */
  constructor(options: SeriesLimitOptions, seriesOf: (cluster: string) => number) {
    this.#options = options
    this.#seriesOf = seriesOf
  }

  /** The refusal of `count` new series of a cluster; undefined when limits allow them. */
  refusalOf(cluster: string, nowMs: number, count = 1): RefusedSeries | undefined {
    this.#startMinute(nowMs)
    const { clusterSeriesMax, clusterNewSeriesPerMinuteMax, newSeriesPerMinuteMax } = this.#options
    if (this.#seriesOf(cluster) + count > clusterSeriesMax) {
      const limit = `ingest.cluster-series-max, ${clusterSeriesMax}`
      return refusal('cluster_series_limit', cluster, `${whose(cluster)}: got ${more(count)} more than ${limit}`)
    }
    if ((this.#newByCluster.get(cluster) ?? 0) + count > clusterNewSeriesPerMinuteMax) {
      const limit = `ingest.cluster-new-series-per-minute-max, ${clusterNewSeriesPerMinuteMax}`
      const example = `${whose(cluster)}: got ${more(count)} more new series in this minute than ${limit}`
      return refusal('new_series_limit', cluster, example)
    }
    if (this.#newInAll + count > newSeriesPerMinuteMax) {
      const limit = `ingest.new-series-per-minute-max, ${newSeriesPerMinuteMax}`
      const example = `all clusters: got ${more(count)} more new series in this minute than ${limit}`
      return refusal('new_series_limit', cluster, example)
    }
    return undefined
  }

  /** A new series was made. */
  made(cluster: string): void {
    this.#newInAll++
    this.#newByCluster.set(cluster, (this.#newByCluster.get(cluster) ?? 0) + 1)
  }

  /** How near the limits are; of `clusters` the one with the most series is named. */
  report(clusters: Iterable<string>, nowMs: number): LimitReport[] {
    this.#startMinute(nowMs)
    const fullest = most([...clusters].map((cluster) => [cluster, this.#seriesOf(cluster)] as const))
    const fastest = most(this.#newByCluster)
    const { clusterSeriesMax, clusterNewSeriesPerMinuteMax, newSeriesPerMinuteMax } = this.#options
    return [
      { option: 'ingest.cluster-series-max', max: clusterSeriesMax, ...fullest },
      { option: 'ingest.cluster-new-series-per-minute-max', max: clusterNewSeriesPerMinuteMax, ...fastest },
      { option: 'ingest.new-series-per-minute-max', max: newSeriesPerMinuteMax, used: this.#newInAll },
    ]
  }

  #startMinute(nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS)
    if (minute === this.#minute) return
    this.#minute = minute
    this.#newInAll = 0
    this.#newByCluster.clear()
  }
}

function refusal(reason: RefusedSeries['reason'], cluster: string, example: string): RefusedSeries {
  return { reason, example, cluster }
}

function whose(cluster: string): string {
  return cluster === '' ? 'the series without a cluster' : `cluster ${JSON.stringify(cluster)}`
}

function more(count: number): string {
  return count === 1 ? 'one' : `up to ${count}`
}

function most(counts: Iterable<readonly [cluster: string, count: number]>): Pick<LimitReport, 'used' | 'cluster'> {
  let found: Pick<LimitReport, 'used' | 'cluster'> = { used: 0 }
  for (const [cluster, used] of counts) if (used > found.used) found = { used, cluster }
  return found
}
