/**
 * The causes of silent clusters against a simulated fleet in which silences of known causes are planted: the product itself,
 * over HTTP only. Its clock is ours: what clusters send in a few minutes is sent, the server runs a cycle, and is queried.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App, startApp } from '../../src/app.ts'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import type { ClusterItem, ClusterItems } from '../../src/contract/fleet-clusters.ts'
import { SILENCE_CAUSES, type SilenceCause } from '../../src/model/cluster-silence.ts'
import { createHistoryPlayer } from '../../sim/history-player.ts'
import {
  PLANTED_CAUSES,
  plantSilences,
  type PlantedCause,
  type PlantedCluster,
} from '../../sim/history/planted-silences.ts'
import { listableObjects, listedAt } from '../../sim/history/pulls.ts'
import type { Shipment } from '../../sim/history/shipments.ts'
import { livesOf, PULL_EVERY_MS, pullOffsetMs, watch } from '../../sim/history/watch.ts'
import { samplesOfScrapes, wireSeries } from '../../sim/history/wire-series.ts'
import { FakeClock } from '../../test/support/fake-clock.ts'

export interface SilenceTrialOptions {
  readonly seed: string
  readonly clusters: number
  readonly silences: number
  readonly fromMs: number
  /** The app from source or as it was built. */
  readonly startApp: typeof startApp
}

const MINUTE_MS = 60_000
const SCRAPE_MS = 2 * MINUTE_MS
const STEP_MS = 10 * MINUTE_MS
const SILENT_FROM_MS = 60 * MINUTE_MS
const SILENT_UNTIL_MS = 180 * MINUTE_MS
/** After the last silence each source has been away for longer than its limit. */
const AFTERWARDS_MS = 80 * MINUTE_MS

/** What a cluster is called: `none`: not silent. */
export type Verdict = SilenceCause | 'none'
export type Confusion = ReadonlyMap<PlantedCause | 'none', ReadonlyMap<Verdict, number>>

export interface SilenceTrial {
  readonly planted: number
  /** By what was planted, then by what was answered: at the end, and when a silence was first listed. */
  readonly atEnd: Confusion
  readonly atFirst: Confusion
  /** Silences that were at any moment attributed to another cause than the planted one; `unknown` is none. */
  readonly everWrong: number
  /** Of planted silences without any evidence: nobody declared them, no object shows them. */
  readonly undecidable: number
  /** Each wrong answer at the end. */
  readonly wrong: readonly string[]
}

export async function runSilenceTrial(options: SilenceTrialOptions): Promise<SilenceTrial> {
  const { seed, clusters, silences, fromMs } = options
  const untilMs = fromMs + SILENT_UNTIL_MS + AFTERWARDS_MS
  const fleet = plantSilences({
    ...{ seed, clusters, silences, fromMs, untilMs },
    ...{ silentFromMs: fromMs + SILENT_FROM_MS, silentUntilMs: fromMs + SILENT_UNTIL_MS },
  })
  const data = mkdtempSync(join(tmpdir(), 'daytwo-silences-'))
  const clock = new FakeClock(fromMs)
  const app = await options.startApp({ config: configOf(data), clock, log: silentLog, isDemo: false })
  const player = createHistoryPlayer({ url: app.url, clock: systemClock })
  const senders = fleet.map(senderOf)
  const first = new Map<string, Verdict>()
  const everWrong = new Set<string>()
  let last = new Map<string, ClusterItem>()
  try {
    for (let atMs = fromMs + STEP_MS; atMs <= untilMs; atMs += STEP_MS) {
      clock.set(atMs)
      for (const [i, { history }] of fleet.entries()) await player.send(history, senders[i]!(atMs - STEP_MS, atMs))
      await declare(app, fleet, atMs)
      await runCycles(app, clock)
      last = await readClusters(app)
      for (const { history, silence } of fleet) {
        const name = history.profile.name
        const verdict = last.get(name)?.silence?.cause
        if (verdict === undefined) continue
        if (!first.has(name)) first.set(name, verdict)
        if (verdict !== 'unknown' && verdict !== silence?.cause) everWrong.add(name)
      }
    }
  } finally {
    await player.close()
    await app.stop()
    rmSync(data, { recursive: true, force: true })
  }
  const ends = new Map([...last].map(([name, { silence }]) => [name, silence?.cause ?? 'none'] as const))
  const silent = fleet.filter(({ silence }) => silence !== undefined)
  return {
    planted: silent.length,
    atEnd: confusionOf(fleet, ends),
    atFirst: confusionOf(fleet, first),
    everWrong: everWrong.size,
    undecidable: silent.filter(({ silence }) => isUndecidable(silence!)).length,
    wrong: fleet.flatMap(({ history, silence }) => {
      const item = last.get(history.profile.name)
      const verdict = item?.silence?.cause ?? 'none'
      const wanted = silence?.cause ?? 'none'
      if (verdict === wanted || verdict === 'unknown') return []
      return [`${history.profile.name}: want ${wanted}, got ${verdict}: ${item?.silence?.evidence[0]?.text ?? ''}`]
    }),
  }
}

function isUndecidable({ cause, declaredMs, isShown }: NonNullable<PlantedCluster['silence']>): boolean {
  return (cause === 'decommissioned' || cause === 'opted_out') && declaredMs === undefined && isShown === undefined
}

function configOf(data: string): ReturnType<typeof readConfig> {
  const options = {
    listen: '127.0.0.1:0',
    data,
    rules: mkdtempSync(join(data, 'rules-')),
    'own-metrics': 'false',
    'content.watch': 'false',
  }
  return readConfig(new Map(Object.entries(options)), undefined, {})
}

/** What a cluster sends in [fromMs, untilMs). */
function senderOf({ history, stopsMs }: PlantedCluster): (fromMs: number, untilMs: number) => readonly Shipment[] {
  const { profile, tells } = history
  const lives = livesOf(history)
  const watched = tells.objects ? watch(history, lives).observations.filter(({ change }) => change !== 'listed') : []
  const listable = listableObjects(history, lives)
  const series = tells.metrics ? wireSeries(history) : []
  return (fromMs, untilMs) => {
    const shipments: Shipment[] = []
    const scrapes = timesBetween(fromMs, Math.min(untilMs, stopsMs.metrics), SCRAPE_MS, profile.scrapeOffsetMs)
    if (scrapes.length > 0 && series.length > 0)
      shipments.push({
        kind: 'samples',
        arrivesMs: untilMs,
        runs: samplesOfScrapes(series, scrapes, scrapes[0]! - SCRAPE_MS),
      })
    if (!tells.objects) return shipments
    const objectsUntilMs = Math.min(untilMs, stopsMs.objects)
    const seen = watched.filter(({ observedMs }) => observedMs >= fromMs && observedMs < objectsUntilMs)
    const pulls = timesBetween(fromMs, objectsUntilMs, PULL_EVERY_MS, pullOffsetMs(profile))
    const observations = [...seen, ...pulls.flatMap((pullMs) => listedAt(profile.name, listable, pullMs))]
    if (observations.length > 0) shipments.push({ kind: 'objects', arrivesMs: untilMs, observations })
    return shipments
  }
}

function timesBetween(fromMs: number, untilMs: number, everyMs: number, offsetMs: number): readonly number[] {
  const times: number[] = []
  for (let atMs = Math.ceil((fromMs - offsetMs) / everyMs) * everyMs + offsetMs; atMs < untilMs; atMs += everyMs)
    times.push(atMs)
  return times
}

/** What owners declare until a moment, once. */
async function declare(app: App, fleet: readonly PlantedCluster[], atMs: number): Promise<void> {
  for (const { history, silence } of fleet) {
    if (silence?.declaredMs === undefined) continue
    const dueMs = silence.atMs + silence.declaredMs
    if (dueMs > atMs || dueMs <= atMs - STEP_MS) continue
    const body = { clusters: [history.profile.name], reason: 'planted', by: 'owner', kind: silence.cause }
    const answer = await fetch(`${app.url}/api/fleet/v1/decommissions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (answer.status !== 201)
      throw new Error(`declaring ${history.profile.name}: got ${answer.status} ${await answer.text()}`)
  }
}

const WAITING = /^daytwo_fleet_waiting_clusters (\d+)/m
/** A cycle does as much as fits into it; heartbeats are marked every ten seconds. */
const CYCLE_MS = 10_000

async function runCycles(app: App, clock: FakeClock): Promise<void> {
  for (let isDone = false; !isDone;) {
    await app.runCycle()
    // In the stores that processes share, if there are any, before the next one.
    await app.share()
    const text = await (await fetch(`${app.url}/metrics`)).text()
    isDone = Number(WAITING.exec(text)?.[1] ?? 0) === 0
    clock.advance(CYCLE_MS)
  }
  await app.runCycle()
}

/** All of them, also decommissioned ones. */
async function readClusters(app: App): Promise<Map<string, ClusterItem>> {
  const found = new Map<string, ClusterItem>()
  for (const filter of ['', '&state=gone']) {
    for (let cursor: string | null = ''; cursor !== null;) {
      const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const answer: Response = await fetch(`${app.url}/api/fleet/v1/clusters?limit=500${filter}${next}`)
      if (!answer.ok) throw new Error(`clusters: got ${answer.status} ${await answer.text()}`)
      const page = (await answer.json()) as ClusterItems
      for (const item of page.clusters) found.set(item.cluster, item)
      cursor = page.nextCursor
    }
  }
  return found
}

function confusionOf(fleet: readonly PlantedCluster[], verdicts: ReadonlyMap<string, Verdict>): Confusion {
  const rows = new Map<PlantedCause | 'none', Map<Verdict, number>>()
  for (const { history, silence } of fleet) {
    const wanted = silence?.cause ?? 'none'
    const row = rows.get(wanted) ?? new Map<Verdict, number>()
    rows.set(wanted, row)
    const verdict = verdicts.get(history.profile.name) ?? 'none'
    row.set(verdict, (row.get(verdict) ?? 0) + 1)
  }
  return rows
}

/** One row for each planted cause, one column for each answer. */
export function renderConfusion(confusion: Confusion): string {
  const columns: readonly Verdict[] = [...SILENCE_CAUSES, 'none']
  const rows = [...PLANTED_CAUSES, 'none' as const].map((wanted) => {
    const counts = columns.map((verdict) => confusion.get(wanted)?.get(verdict) ?? 0)
    const of = counts.reduce((sum, count) => sum + count, 0)
    return `| ${wanted} | ${of} | ${counts.map((count) => (count === 0 ? '' : String(count))).join(' | ')} |`
  })
  return [`| planted | of | ${columns.join(' | ')} |`, `|---|---|${columns.map(() => '---|').join('')}`, ...rows].join(
    '\n',
  )
}

export function renderSilences({ planted, atEnd, atFirst, everWrong, undecidable, wrong }: SilenceTrial): string {
  return [
    `${planted} silences planted, ${undecidable} of them without any evidence; wrong at the end: ${wrong.length}, at any moment: ${everWrong}`,
    '',
    'At the end:',
    '',
    renderConfusion(atEnd),
    '',
    'When a silence was first listed:',
    '',
    renderConfusion(atFirst),
    ...wrong.map((text) => `WRONG ${text}`),
  ].join('\n')
}

/** What is promised of the causes at the end, and is not so. */
export function brokenSilences({ wrong, atEnd, undecidable, planted }: SilenceTrial): readonly string[] {
  const unknown = PLANTED_CAUSES.reduce((sum, cause) => sum + (atEnd.get(cause)?.get('unknown') ?? 0), 0)
  const missed = PLANTED_CAUSES.reduce((sum, cause) => sum + (atEnd.get(cause)?.get('none') ?? 0), 0)
  return [
    ...(wrong.length <= 0.02 * planted
      ? []
      : [`${wrong.length} of ${planted} silences have a wrong cause, want at most 2 %`]),
    ...(missed === 0 ? [] : [`${missed} silences are not listed`]),
    ...(unknown - undecidable <= 0.1 * planted
      ? []
      : [`${unknown - undecidable} of ${planted} silences with evidence are unknown, want at most 10 %`]),
  ]
}
