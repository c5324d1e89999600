/**
 * Append and commit: the store against the obvious way (one INSERT per sample, one durable transaction per batch, same
 * SQLite, same settings), in one run on one load. What a fleet sends: one metric after the other, nine series in ten
 * constant, a scrape every 30 seconds. A batch is 2,000 samples (a busy sender) or 60 (one cluster's Prometheus); eight
 * senders wait for their acknowledgements at a time.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Labels } from '../src/model/labels.ts'
import { STORE_DEFAULTS } from '../src/store/options.ts'
import { openReader } from '../src/store/reader.ts'
import { openWriter } from '../src/store/writer.ts'

const SERIES = 20_000
const BATCHES_SAMPLES = [2000, 60] as const
const SENDERS = 8
const MEASURED_MS = 2000
const START_MS = 1_787_220_000_000
const SCRAPE_MS = 30_000

export interface StoreResult {
  readonly batchSamples: number
  readonly samplesPerSecond: number
  readonly baselineSamplesPerSecond: number
  readonly ratio: number
  readonly ackMsP50: number
  readonly ackMsP99: number
}

interface Target {
  append(series: number, timeMs: number, value: number): void
  commit(): Promise<void>
  close(): Promise<void>
}

interface Measured {
  readonly samplesPerSecond: number
  readonly ackMsP50: number
  readonly ackMsP99: number
}

/** Prints one table, and answers its numbers. Takes about ten seconds. */
export async function run(): Promise<readonly StoreResult[]> {
  const results: StoreResult[] = []
  console.log(`append and commit, ${SERIES} series, ${SENDERS} senders, durable before the acknowledgement`)
  for (const batchSamples of BATCHES_SAMPLES) {
    const ours = await inTempDir((dir) => measure(openStore(dir), batchSamples))
    const baseline = await inTempDir((dir) => measure(openRows(dir), batchSamples))
    const ratio = ours.samplesPerSecond / baseline.samplesPerSecond
    const line = (name: string, measured: Measured): void => {
      const { samplesPerSecond, ackMsP50, ackMsP99 } = measured
      console.log(
        `  ${String(batchSamples).padStart(5)} a batch  ${name}  ${(samplesPerSecond / 1e6).toFixed(3)} M samples/s` +
          `  ack p50 ${ackMsP50.toFixed(2)} ms  p99 ${ackMsP99.toFixed(2)} ms`,
      )
    }
    line('head and log     ', ours)
    line('a row per sample ', baseline)
    console.log(`  ratio ${ratio.toFixed(1)}`)
    const { samplesPerSecond, ackMsP50, ackMsP99 } = ours
    const baselineSamplesPerSecond = baseline.samplesPerSecond
    results.push({ batchSamples, samplesPerSecond, baselineSamplesPerSecond, ratio, ackMsP50, ackMsP99 })
  }
  await inTempDir(reportReading)
  return results
}

/** Eight senders in one thread: each appends a batch, waits for its commit, and goes on. */
async function measure(target: Target, batchSamples: number): Promise<Measured> {
  let next = 0
  let samples = 0
  const ackMs: number[] = []
  const startMs = performance.now()
  const send = async (): Promise<void> => {
    while (performance.now() - startMs < MEASURED_MS) {
      const sentMs = performance.now()
      for (let i = 0; i < batchSamples; i++, next++) {
        const series = next % SERIES
        const scrape = Math.floor(next / SERIES)
        target.append(series, START_MS + scrape * SCRAPE_MS, series % 10 === 0 ? scrape * 7 + series : 1)
      }
      await target.commit()
      samples += batchSamples
      ackMs.push(performance.now() - sentMs)
      // As a request would: one round of the event loop between the answer and the next one.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, send))
  const seconds = (performance.now() - startMs) / 1000
  await target.close()
  ackMs.sort((a, b) => a - b)
  const at = (share: number): number => ackMs[Math.floor((ackMs.length - 1) * share)]!
  return { samplesPerSecond: samples / seconds, ackMsP50: at(0.5), ackMsP99: at(0.99) }
}

function openStore(dir: string): Target {
  const writer = openWriter({ ...STORE_DEFAULTS, dir }, START_MS)
  const refs = Array.from({ length: SERIES }, (_, series) => writer.appender.resolve(labelsOf(series))!)
  return {
    append: (series, timeMs, value) => {
      writer.appender.append(refs[series]!, timeMs, value)
    },
    commit: () => writer.appender.commit(),
    close: () => writer.close(),
  }
}

function openRows(dir: string): Target {
  const db = new Database(join(dir, 'rows.db'))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec(
    'CREATE TABLE sample (series INTEGER, time_ms INTEGER, value REAL, PRIMARY KEY (series, time_ms)) WITHOUT ROWID',
  )
  const insert = db.prepare<[number, number, number]>('INSERT OR IGNORE INTO sample VALUES (?, ?, ?)')
  let batch: (readonly [number, number, number])[] = []
  const write = db.transaction(() => {
    for (const row of batch) insert.run(...row)
  })
  return {
    append: (series, timeMs, value) => {
      batch.push([series, timeMs, value])
    },
    commit: () => {
      write.immediate()
      batch = []
      return Promise.resolve()
    },
    close: () => {
      db.close()
      return Promise.resolve()
    },
  }
}

/** Flush, restart and reads of six hours: what the numbers above leave behind. */
async function reportReading(dir: string): Promise<void> {
  const series = 5000
  const scrapes = 720
  const options = { ...STORE_DEFAULTS, dir }
  const writer = openWriter(options, START_MS)
  const refs = Array.from({ length: series }, (_, i) => writer.appender.resolve(labelsOf(i))!)
  for (let scrape = 0; scrape < scrapes; scrape++) {
    const timeMs = START_MS + scrape * SCRAPE_MS
    for (let i = 0; i < series; i++) writer.appender.append(refs[i]!, timeMs, i % 10 === 0 ? scrape * 7 + i : 1)
    await writer.appender.commit()
  }
  const { headBytes, headSamples, logBytes } = writer.stats()
  console.log(
    `  ${(headSamples / 1e6).toFixed(1)} M samples: head ${(headBytes / headSamples).toFixed(2)} bytes a sample,` +
      ` log ${(logBytes / headSamples).toFixed(2)}`,
  )
  await writer.close()
  const timed = async <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
    const startMs = performance.now()
    const result = await work()
    console.log(`  ${name.padEnd(46)} ${(performance.now() - startMs).toFixed(0).padStart(6)} ms`)
    return result
  }
  const nowMs = START_MS + scrapes * SCRAPE_MS
  const again = await timed('restart, reading the log', () => openWriter(options, nowMs))
  const reader = openReader(options, again.share())
  const all = { matchers: [], maxSamples: 1e9, toMs: nowMs }
  await timed('select the last 5 minutes, from the head', () => reader.select({ ...all, fromMs: nowMs - 300_000 }))
  await timed('select 6 hours, from the head', () => reader.select({ ...all, fromMs: START_MS }))
  await timed('flush 4 hours', () => again.maintain(nowMs))
  await timed('select 6 hours, from chunks and the head', () => reader.select({ ...all, fromMs: START_MS }))
  reader.close()
  await again.close()
}

/** About what a KubeVirt series carries. */
function labelsOf(series: number): Labels {
  const cluster = Math.floor(series / 60)
  return Labels.of({
    __name__: `kubevirt_metric_${series % 60}`,
    cluster: `cluster-${cluster}`,
    cluster_id: `0b2f6a1e-7d1c-4f7a-9c53-${String(cluster).padStart(12, '0')}`,
    container: 'virt-operator',
    endpoint: 'metrics',
    instance: `10.128.${cluster % 250}.17:8443`,
    job: 'kubevirt-prometheus-metrics',
    namespace: 'kubevirt-hyperconverged',
    pod: `virt-operator-${(cluster * 7919).toString(36)}-x2x4z`,
    prometheus: 'openshift-monitoring/k8s',
    region: `region-${cluster % 12}`,
    service: 'kubevirt-prometheus-metrics',
  })
}

async function inTempDir<T>(work: (dir: string) => T | Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-bench-'))
  try {
    return await work(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
