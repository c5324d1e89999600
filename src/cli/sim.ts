/** `daytwo sim`: sends months of a simulated fleet to a server at once, with the truth in a file. */
import { writeFileSync } from 'node:fs'
import { systemClock } from '../base/clock.ts'
import { readConfig } from '../config/config.ts'
import { parseDuration } from '../model/duration.ts'
import type { ClusterHistory } from '../../sim/history/cluster-history.ts'
import { truthOfHistory } from '../../sim/history/history-truth.ts'
import { DELIVERY_MODES, planHistory, type DeliveryMode } from '../../sim/history/plan-history.ts'
import { mergedShipments, shippingOf } from '../../sim/history/shipments.ts'
import { renderTruth } from '../../sim/history/truth-file.ts'
import { createHistoryPlayer } from '../../sim/history-player.ts'
import { inParallel } from '../../sim/simulate.ts'
import { parseArguments, unexpected } from './arguments.ts'
import type { Command } from './command.ts'
import { getData, serverOf } from './prometheus-client.ts'

const DEFAULTS = { clusters: '500', months: '12', seed: 'daytwo', mode: 'mixed', until: 'now' } as const
const DAY_MS = 86_400_000
const DAYS_A_MONTH = 365 / 12
/** A history that ends now is a fixed history, shifted in time: the same fleet has the same releases. */
const CALENDAR_ENDS_MS = Date.UTC(2026, 8, 1)

export const simCommand: Command = {
  help: () =>
    [
      'Usage: daytwo sim [options]',
      '',
      'Simulates months of a fleet with known upgrades, stalls and modifications, and sends its data to a server: objects as',
      'a Collector does, metrics as a Prometheus does, spans as an instrumented operator does; some of it twice, some of it',
      'late. Data older than the retention of the server is not sent: metrics and spans of a month and objects of a year, unless',
      'its retention is another.',
      '',
      `  --clusters N      Clusters. Default: ${DEFAULTS.clusters}.`,
      `  --months N        How long. Default: ${DEFAULTS.months}.`,
      `  --until DAY       Where it ends, UTC: a day, or now, and then releases come out as if it were. Default: ${DEFAULTS.until}.`,
      `  --seed TEXT       The same seed makes the same fleet. Default: ${DEFAULTS.seed}.`,
      `  --mode MODE       How clusters report: ${DELIVERY_MODES.join(', ')}. Default: ${DEFAULTS.mode}.`,
      '  --truth FILE      Write what really happened there, as JSON.',
      '  --to URL          Send to the server at this root. Without it nothing is sent.',
      '  --token TEXT      Show this token.',
    ].join('\n'),
  run: async (args) => {
    const valued = new Set(['clusters', 'months', 'until', 'seed', 'mode', 'truth', 'to', 'token'])
    const { options, words } = parseArguments(args, valued, new Set())
    if (words.length > 0) throw unexpected('arguments', words.join(' '), 'options only')
    const clusters = readCount('clusters', options.get('clusters') ?? DEFAULTS.clusters)
    const months = readCount('months', options.get('months') ?? DEFAULTS.months)
    const { untilMs, calendarShiftMs } = readEnd(options.get('until') ?? DEFAULTS.until, systemClock.nowMs())
    const seed = options.get('seed') ?? DEFAULTS.seed
    const mode = readMode(options.get('mode') ?? DEFAULTS.mode)
    const fromMs = untilMs - Math.round(months * DAYS_A_MONTH) * DAY_MS
    const fleet = Array.from({ length: clusters }, (_, index) =>
      planHistory({ seed, index, fromMs, untilMs, mode, calendarShiftMs }),
    )
    const truthFile = options.get('truth')
    if (truthFile !== undefined) {
      writeFileSync(truthFile, renderTruth(fleet.map(truthOfHistory), { seed, mode, months }))
      console.log(`The truth is in ${truthFile}`)
    }
    const url = options.get('to')
    return url === undefined ? 0 : sendFleet(fleet, url, options.get('token'))
  },
}

/** The number of clusters that send in parallel. */
const PARALLEL_MAX = 4

/** Each cluster completely, in the order of arrival. Returns the exit code. */
async function sendFleet(fleet: readonly ClusterHistory[], url: string, token: string | undefined): Promise<number> {
  const { from, isReported } = await retentionOf(url, token, systemClock.nowMs())
  const since = (oldestMs: number): string => new Date(oldestMs).toISOString().slice(0, 10)
  console.log(
    `Sending objects since ${since(from.objectsMs)}, metrics since ${since(from.samplesMs)}, spans since` +
      ` ${since(from.spansMs)}${isReported ? '' : ' (the server does not report its retention: the defaults are assumed)'}`,
  )
  const player = createHistoryPlayer({ url, token, clock: systemClock })
  let sent = 0
  try {
    await inParallel(fleet, PARALLEL_MAX, async (history) => {
      const shipping = shippingOf(history, { hasFailovers: false, from, togetherMs: DAY_MS })
      await player.send(history, mergedShipments(shipping.until(Infinity)))
      if (++sent % 50 === 0 || sent === fleet.length) console.log(`Sent ${sent} of ${fleet.length} clusters`)
    })
  } finally {
    await player.close()
  }
  const counts = Object.entries(player.counts())
  for (const [what, { taken, refused, lastRefusal }] of counts) {
    console.log(`${what}: ${taken} taken, ${refused} refused${refused > 0 ? `: ${lastRefusal}` : ''}`)
  }
  return counts.some(([, { refused }]) => refused > 0) ? 1 : 0
}

function readCount(name: string, text: string): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw unexpected(`option ${name}`, text, 'a whole number above 0')
}

function readEnd(text: string, nowMs: number): { readonly untilMs: number; readonly calendarShiftMs: number } {
  if (text === 'now') {
    const untilMs = Math.floor(nowMs / 1000) * 1000
    return { untilMs, calendarShiftMs: untilMs - CALENDAR_ENDS_MS }
  }
  const untilMs = Date.parse(`${text}T00:00:00Z`)
  if (Number.isFinite(untilMs)) return { untilMs, calendarShiftMs: 0 }
  throw unexpected('option until', text, 'now, or a day such as 2026-09-01')
}

function readMode(text: string): DeliveryMode {
  const mode = DELIVERY_MODES.find((candidate) => candidate === text)
  if (mode !== undefined) return mode
  throw unexpected('option mode', text, `one of ${DELIVERY_MODES.join(', ')}`)
}

/** The oldest accepted time of each data source. */
interface OldestAccepted {
  readonly samplesMs: number
  readonly objectsMs: number
  readonly spansMs: number
}

/** Sending takes a while, in which data at the limit would become too old. */
const MARGIN_MS = 60 * 60_000

interface ServerRetention {
  readonly from: OldestAccepted
  /** Whether the options are the server's: a token with only the role `ingest` cannot read them. */
  readonly isReported: boolean
}

/** The retention of a server, from its options, or the defaults. */
async function retentionOf(url: string, token: string | undefined, nowMs: number): Promise<ServerRetention> {
  const flags = await flagsOf(url, token)
  const byDefault = readConfig(new Map(), undefined, {})
  const oldest = (key: 'retention.raw' | 'retention.objects' | 'retention.traces'): number => {
    const retentionMs = parseDuration(flags?.[key] ?? '') ?? byDefault[key]
    return nowMs - retentionMs + MARGIN_MS
  }
  return {
    from: {
      samplesMs: oldest('retention.raw'),
      objectsMs: oldest('retention.objects'),
      spansMs: oldest('retention.traces'),
    },
    isReported: flags !== undefined,
  }
}

async function flagsOf(url: string, token: string | undefined): Promise<Readonly<Record<string, string>> | undefined> {
  const server = serverOf(url, new Map(token === undefined ? [] : [['token', token]]))
  try {
    return (await getData<Record<string, string>>(server, '/api/v1/status/flags', new URLSearchParams())).data
  } catch {
    // If the address is wrong, sending will report it.
    return undefined
  }
}
