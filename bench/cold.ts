/**
 * What series cost whose samples are past their retention: a fleet of which most clusters were replaced long ago. Memory of
 * writer and reader in one process before and after those series are cold, the time of a start, of queries of then and of now,
 * and of new series. `--clusters N` of 60 series each (default 16,667: a million series), nine in ten replaced.
 * A run with another revision compares: the file needs only what both have.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Labels } from '../src/model/labels.ts'
import type { Matcher } from '../src/model/matcher.ts'
import { STORE_DEFAULTS, type StoreOptions } from '../src/store/options.ts'
import { openReader } from '../src/store/reader.ts'
import { openWriter } from '../src/store/writer.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const START_MS = 20_376 * DAY_MS
const METRICS = 60
const CLUSTERS_PER_COMMIT = 100
const QUERY_RUNS = 20

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

export async function run({ clusters }: { readonly clusters?: string }): Promise<void> {
  const count = Number(clusters ?? 16_667)
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-bench-'))
  try {
    await measure({ ...STORE_DEFAULTS, dir, retentionRawMs: 2 * DAY_MS, seriesMax: 5_000_000 }, count)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function measure(options: StoreOptions, clusters: number): Promise<void> {
  const gone = Math.floor(clusters * 0.9)
  const emptyMb = usedMb()
  let writer = openWriter(options, START_MS)
  let reader = openReader(options, writer.share())
  const line = (what: string, value: number, unit: string): void => {
    console.log(`  ${what.padEnd(52)} ${value.toFixed(value < 10 ? 2 : 0).padStart(7)} ${unit}`)
  }
  const append = async (from: number, to: number, timeMs: number): Promise<void> => {
    for (let cluster = from; cluster < to; cluster++) {
      for (let metric = 0; metric < METRICS; metric++) {
        const ref = writer.appender.resolve(labelsOf(cluster, metric))
        if (ref === undefined) throw new Error('the limit of series is reached')
        writer.appender.append(ref, timeMs, metric)
      }
      if (cluster % CLUSTERS_PER_COMMIT === 0) await writer.commit()
    }
    await writer.commit()
  }
  console.log(`${clusters * METRICS} series of ${clusters} clusters, ${gone} of them silent for days`)
  await append(0, clusters, START_MS)
  for (let hours = 1; hours <= 6; hours++) await writer.maintain(START_MS + hours * HOUR_MS)
  reader.recordGrowth(0)
  line('memory with all series', usedMb() - emptyMb, 'MB')
  const longAgo = [queryOf('metric_7_total'), [...queryOf('metric_7_total'), pair('cluster', 'cluster-00042')]]
  for (let day = 1; day <= 4; day++) {
    await append(gone, clusters, START_MS + day * DAY_MS)
    const [ms] = await timed(() => writer.maintain(START_MS + day * DAY_MS + HOUR_MS))
    if (day === 4) line('last maintenance', ms, 'ms')
    await writer.maintain(START_MS + day * DAY_MS + 2 * HOUR_MS)
    await writer.maintain(START_MS + day * DAY_MS + 4 * HOUR_MS)
  }
  reader.recordGrowth(0)
  const nowMs = START_MS + 4 * DAY_MS + 4 * HOUR_MS
  const stats = writer.stats() as { readonly seriesCount: number; readonly coldSeries?: number }
  line('series in memory', stats.seriesCount, '')
  line('series on the disk only', stats.coldSeries ?? 0, '')
  line('memory days later', usedMb() - emptyMb, 'MB')
  for (const [i, matchers] of longAgo.entries()) {
    const request = { matchers, fromMs: START_MS - HOUR_MS, toMs: START_MS + HOUR_MS, maxSamples: 1e9 }
    let rows = 0
    const ms = await best(5, () => {
      rows = reader.select(request).length
    })
    line(`query of then, ${i === 0 ? 'a metric' : 'one series'} (${rows} series)`, ms, 'ms')
  }
  const now = { matchers: queryOf('metric_7_total'), fromMs: nowMs - 5 * HOUR_MS, toMs: nowMs, maxSamples: 1e9 }
  line(
    `query of now, a metric (${reader.select(now).length} series)`,
    await best(QUERY_RUNS, () => {
      reader.select(now)
    }),
    'ms',
  )
  const range = { fromMs: START_MS - HOUR_MS, toMs: START_MS + HOUR_MS }
  const [valuesMs, values] = await timed(() =>
    [...reader.labelValues('cluster', queryOf('metric_7_total'), range)].flat(),
  )
  line(`values of a label then (${values.length})`, valuesMs, 'ms')
  const [newMs] = await timed(() => append(clusters, clusters + 200, nowMs))
  line('a new series', (newMs * 1000) / (200 * METRICS), 'us')
  const [againMs] = await timed(() => append(0, 200, nowMs))
  line('a series that was silent, again', (againMs * 1000) / (200 * METRICS), 'us')
  reader.close()
  await writer.close()
  line('file', statSync(join(options.dir, 'daytwo.db')).size / 2 ** 20, 'MB')
  const [startMs] = await timed(() => {
    writer = openWriter(options, nowMs)
  })
  line('start of the writer', startMs, 'ms')
  const [readerMs] = await timed(() => {
    reader = openReader(options, writer.share())
  })
  line('start of a reader', readerMs, 'ms')
  line('memory after a start', usedMb() - emptyMb, 'MB')
  reader.close()
  await writer.close()
}

/** As those of a fleet: many labels, few of which differ between clusters. */
function labelsOf(cluster: number, metric: number): Labels {
  const name = `cluster-${String(cluster).padStart(5, '0')}`
  return Labels.fromFlat([
    ...['__name__', `metric_${metric}_total`, 'cluster', name, 'cluster_id', `id-of-${name}-and-more`],
    ...[
      'container',
      `container-${metric % 7}`,
      'endpoint',
      'metrics',
      'instance',
      `10.0.${cluster % 256}.${metric}:8443`,
    ],
    ...['job', `job-${metric % 5}`, 'namespace', 'kubevirt-hyperconverged', 'pod', `pod-${metric % 9}-${name}`],
    ...['region', `region-${cluster % 5}`, 'service', `service-${metric % 5}`, 'version', `1.${cluster % 20}.0`],
  ])
}

const pair = (name: string, value: string): Matcher => ({ name, op: '=', value })
const queryOf = (metric: string): Matcher[] => [pair('__name__', metric)]

function usedMb(): number {
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 2 ** 20
}

async function timed<T>(work: () => T | Promise<T>): Promise<[ms: number, result: T]> {
  const begin = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(begin)
  return [(user + system) / 1000, result]
}

async function best(runs: number, work: () => void): Promise<number> {
  let least = Infinity
  for (let i = 0; i < runs; i++) least = Math.min(least, (await timed(work))[0])
  return least
}
