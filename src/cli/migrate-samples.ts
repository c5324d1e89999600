/** The samples of `daytwo migrate`: what is flushed, window by window, and the log of a folder that no server uses. */
import type { Clock } from '../base/clock.ts'
import { FleetError } from '../base/errors.ts'
import { readHeadersFile, type MetricsStore } from '../config/metrics-store.ts'
import { HistorySender } from '../forward/history-sender.ts'
import { createRemoteHttp } from '../forward/remote-http.ts'
import { formatDuration } from '../model/duration.ts'
import type { TimeRange } from '../model/time-range.ts'
import { openStoredHistory, WINDOW_START, type StoredHistory } from '../store/history/stored-history.ts'
import { noSamples, type MigrationFile, type SampleProgress } from './migration-file.ts'

export interface SampleMigration {
  readonly dir: string
  readonly store: MetricsStore
  readonly file: MigrationFile
  readonly clock: Clock
  /** No server uses the folder, and none can start: the log is sent too. */
  readonly isStill: boolean
  /** Older samples are not sent; -Infinity: all are. */
  readonly fromMs: number
  readonly samplesPerSecondMax: number
  readonly bytesPerSecondMax: number
  readonly refusedMax: number
  /** From 0 to 1, of the present pass. */
  readonly onProgress: (fraction: number) => void
  /** The store does not answer, or was restarted. */
  readonly onRemark: (text: string) => void
}

export interface SampleResult {
  /** Samples up to then are in the store, but for late ones of a folder in use. */
  readonly untilMs: number
  readonly counts: HistorySender['counts']
  readonly refusals: HistorySender['refusals']
  readonly skippedHistograms: number
  readonly damagedRows: number
  /** What the store does not take. */
  readonly notAccepted: readonly { readonly what: string; readonly why: string }[]
}

const HOUR_MS = 3_600_000
/**
 * Of samples that are sent together. Prometheus, Mimir and Thanos refuse what is an hour older than the newest sample; to
 * VictoriaMetrics the order does not matter, and a long window reads each block once.
 */
const WINDOW_MS = { ordered: HOUR_MS, any: 24 * HOUR_MS }
/** VictoriaMetrics acknowledges samples before they are on its disk: it writes them every few seconds. */
const SETTLE_MS = 10_000

/** Throws FleetError; what was acknowledged by then is in the file. */
export async function migrateSamples(migration: SampleMigration): Promise<SampleResult> {
  const { dir, store, file, clock } = migration
  const known = file.state.samples
  const isKnown = known?.writeUrl === store.writeUrl && (known.fromMs ?? -Infinity) <= migration.fromMs
  const started = isKnown ? known : noSamples(store.writeUrl, migration.fromMs)
  const history = openStoredHistory(dir)
  const { headersFile } = store
  const sender = new HistorySender({
    options: store,
    source: history,
    http: createRemoteHttp({
      ...store,
      readHeaders: () => (headersFile === undefined ? {} : readHeadersFile(headersFile)),
    }),
    ...{ clock, random: Math.random, started, isRepeat: known !== undefined },
    samplesPerSecondMax: migration.samplesPerSecondMax,
    bytesPerSecondMax: migration.bytesPerSecondMax,
    refusedMax: migration.refusedMax,
    onFailure: (text) => {
      migration.onRemark(`the metrics store does not accept samples now, and they are sent again: ${text}`)
    },
  })
  try {
    const facts = await sender.open()
    checkRetention(migration, history, sender, started)
    const run = new SampleRun(migration, history, sender, started)
    const untilMs = await run.toEnd()
    const { notAccepted } = facts
    const { counts, refusals, skippedHistograms } = sender
    return { untilMs, counts, refusals, skippedHistograms, damagedRows: history.damagedCount, notAccepted }
  } finally {
    sender.stop()
    history.close()
  }
}

/** The store acknowledges samples that are older than its retention, and does not store them. */
function checkRetention(
  { fromMs, isStill, clock }: SampleMigration,
  history: StoredHistory,
  { retentionMs }: HistorySender,
  { copied, logRow }: SampleProgress,
): void {
  const ranges = [history.uncopied(copied, isStill)?.range, isStill ? history.logRange(logRow) : undefined]
  const oldestMs = Math.max(fromMs, Math.min(...ranges.map((range) => range?.fromMs ?? Infinity)))
  if (retentionMs === undefined || oldestMs >= clock.nowMs() - retentionMs) return
  throw new FleetError(
    'config_invalid',
    `the metrics store retains ${formatDuration(retentionMs)}, and there are samples since ${new Date(oldestMs).toISOString()}`,
    {
      hint: 'raise its retention (-retentionPeriod of VictoriaMetrics, --storage.tsdb.retention.time of Prometheus), or migrate a part with --from',
    },
  )
}

class SampleRun {
  readonly #migration: SampleMigration
  readonly #history: StoredHistory
  readonly #sender: HistorySender
  readonly #windowMs: number
  readonly #settleMs: number
  /** Acknowledged. */
  #now: SampleProgress
  /** Acknowledged and not surely on the disk of the store, oldest first. */
  #unsettled: { readonly progress: SampleProgress; readonly atMs: number }[] = []
  /** On the disk of the store. */
  #settled: SampleProgress
  /** The times up to which series are copied: by passes that are settled, and by the present one. */
  readonly #copiedUntilMs: Map<number, number>
  readonly #passUntilMs = new Map<number, number>()

  constructor(migration: SampleMigration, history: StoredHistory, sender: HistorySender, started: SampleProgress) {
    this.#migration = migration
    this.#history = history
    this.#sender = sender
    const { engine, needsResend } = sender.facts!
    this.#windowMs = engine === 'victoriametrics' ? WINDOW_MS.any : WINDOW_MS.ordered
    this.#settleMs = needsResend ? SETTLE_MS : 0
    this.#now = started
    this.#settled = started
    this.#copiedUntilMs = started.copied.any === 0 ? new Map<number, number>() : migration.file.series()
  }

  /** Returns the time up to which samples are sent. */
  async toEnd(): Promise<number> {
    const { isStill, clock } = this.#migration
    for (;;) {
      while (await this.#nextWindow()) await this.#settle()
      await this.#sender.sendExtras()
      this.#acknowledged({ ...this.#now, ...this.#sender.progress })
      const isOnDisk = await this.#settleAll()
      if (isOnDisk && this.#history.uncopied(this.#now.copied, isStill) === undefined) break
    }
    return isStill ? clock.nowMs() : this.#now.copied.cutMs
  }

  /** Sends one window of the present pass. False: all blocks are copied. */
  async #nextWindow(): Promise<boolean> {
    const { isStill, onProgress, fromMs: oldestMs } = this.#migration
    const { copied, pass = this.#begin() } = this.#now
    if (pass === undefined) return false
    const { fromMs, toMs, windowMs, log } = pass
    const startMs = Math.min(
      this.#history.oldestMs(windowMs, copied, isStill) ?? Infinity,
      log === undefined || log.toMs < windowMs ? Infinity : Math.max(windowMs, log.fromMs),
    )
    if (startMs > toMs) {
      if (await this.#settleAll()) this.#endPass(pass)
      onProgress(1)
      return true
    }
    const endMs = Math.floor(startMs / this.#windowMs) * this.#windowMs + this.#windowMs
    const window = { fromMs: Math.max(windowMs, oldestMs), toMs: endMs - 1 }
    this.#history.open(window, copied, isStill)
    for (
      let place = WINDOW_START, next;
      (next = this.#history.read(place, this.#addOfBlock)) !== undefined;
      place = next
    ) {
      await this.#sender.room()
    }
    if (log !== undefined && log.fromMs < endMs && log.toMs >= windowMs) await this.#sendLog(window, log.lastRow)
    await this.#sender.flush()
    this.#acknowledged({ ...this.#now, pass: { ...pass, windowMs: endMs } })
    onProgress(Math.min(1, (endMs - fromMs) / Math.max(1, toMs + 1 - fromMs)))
    return true
  }

  #begin(): SampleProgress['pass'] {
    const { isStill, fromMs: oldestMs } = this.#migration
    const { copied, logRow } = this.#now
    const uncopied = this.#history.uncopied(copied, isStill)
    const log = isStill ? this.#history.logRange(logRow) : undefined
    if (uncopied === undefined && log === undefined) return undefined
    const ranges = [uncopied?.range, log].filter((range) => range !== undefined)
    const fromMs = Math.max(
      oldestMs,
      ranges.reduce((least, range) => Math.min(least, range.fromMs), Infinity),
    )
    const toMs = ranges.reduce((most, range) => Math.max(most, range.toMs), -Infinity)
    return { after: uncopied?.after ?? copied, fromMs, toMs, windowMs: fromMs, ...(log && { log }) }
  }

  /** What of the log is in a window. */
  async #sendLog(window: TimeRange, lastRow: number): Promise<void> {
    const add = (ref: number, timeMs: number, low: number, high: number): void => {
      if (timeMs >= window.fromMs && timeMs <= window.toMs) this.#add(ref, timeMs, low, high)
    }
    for (let row = this.#now.logRow; row < lastRow;) {
      const read = this.#history.readLog(row, add)
      if (read === undefined) return
      row = read.id
      await this.#sender.room()
    }
  }

  /** All its windows are on the disk of the store. */
  #endPass({ after, log }: NonNullable<SampleProgress['pass']>): void {
    for (const [ref, ms] of this.#passUntilMs) this.#copiedUntilMs.set(ref, ms)
    this.#passUntilMs.clear()
    this.#migration.file.putSeries(this.#copiedUntilMs)
    const { logRow } = this.#now
    this.#acknowledged({ ...this.#now, copied: after, pass: undefined, logRow: log?.lastRow ?? logRow })
  }

  /** HOT: once per sample. A flush has only samples that are newer than those of earlier ones. */
  readonly #addOfBlock = (ref: number, timeMs: number, low: number, high: number): void => {
    if (timeMs <= (this.#copiedUntilMs.get(ref) ?? -Infinity)) return
    this.#passUntilMs.set(ref, timeMs)
    this.#add(ref, timeMs, low, high)
  }

  readonly #add = (ref: number, timeMs: number, low: number, high: number): void => {
    if (timeMs >= this.#migration.fromMs) this.#sender.add(ref, timeMs, low, high)
  }

  #acknowledged(progress: SampleProgress): void {
    this.#now = progress
    this.#unsettled.push({ progress, atMs: this.#migration.clock.nowMs() })
  }

  /** False: something is sent again. */
  async #settleAll(): Promise<boolean> {
    while (this.#unsettled.length > 0) {
      if (await this.#settle()) return false
      if (this.#unsettled.length > 0) {
        await new Promise<void>((resolve) => void this.#migration.clock.after(this.#settleMs / 10, resolve))
      }
    }
    return true
  }

  /** Stores how far the store has it on its disk. True: the store was restarted, and what it may have lost is sent again. */
  async #settle(): Promise<boolean> {
    const { clock, file, onRemark } = this.#migration
    const atMs = clock.nowMs()
    const hasRestarted = await this.#sender.hasRestarted()
    if (hasRestarted === undefined) return false
    if (hasRestarted) {
      onRemark('the metrics store was restarted: what it acknowledged last is sent again')
      this.#now = this.#settled
      this.#unsettled = []
      return true
    }
    const isSettled = (one: { readonly atMs: number }): boolean => one.atMs <= atMs - this.#settleMs
    const count = this.#unsettled.findLastIndex(isSettled) + 1
    const last = this.#unsettled.splice(0, count).at(-1)
    if (last === undefined) return false
    this.#settled = last.progress
    file.put({ ...file.state, samples: { ...last.progress, remoteStarts: this.#sender.progress.remoteStarts } })
    return false
  }
}
