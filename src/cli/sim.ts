/** `daytwo sim`: months of a simulated fleet, sent to a server at once, with the truth in a file beside it. */
import { writeFileSync } from 'node:fs'
import { systemClock } from '../base/clock.ts'
import { FleetError } from '../base/errors.ts'
import { observationsOf } from '../sim/history/cluster-observations.ts'
import { truthOfHistory } from '../sim/history/history-truth.ts'
import { DELIVERY_MODES, planHistory, type DeliveryMode } from '../sim/history/plan-history.ts'
import { renderTruth } from '../sim/history/truth-file.ts'
import { historySamples } from '../sim/history/wire-series.ts'
import { createRecordsSender } from '../sim/records-sender.ts'
import { createSender } from '../sim/sender.ts'
import { parseArguments } from './arguments.ts'
import type { Command } from './command.ts'

const DEFAULTS = { clusters: '500', months: '12', seed: 'daytwo', mode: 'mixed', until: '2026-09-01' } as const
const DAY_MS = 86_400_000
const DAYS_A_MONTH = 365 / 12

export const simCommand: Command = {
  help: () =>
    [
      'Usage: daytwo sim [options]',
      '',
      'Plays months of a fleet whose upgrades, stalls and edits are known, and sends what it tells to a server: objects as',
      'a Collector does, metrics as a Prometheus does. The server must keep and take what is that old.',
      '',
      `  --clusters N      Clusters. Default: ${DEFAULTS.clusters}.`,
      `  --months N        How long. Default: ${DEFAULTS.months}.`,
      `  --until DAY       Where it ends, UTC. Default: ${DEFAULTS.until}.`,
      `  --seed TEXT       The same seed makes the same fleet. Default: ${DEFAULTS.seed}.`,
      `  --mode MODE       How clusters tell: ${DELIVERY_MODES.join(', ')}. Default: ${DEFAULTS.mode}.`,
      '  --truth FILE      Write what really happened there, as JSON.',
      '  --url URL         Send to the server at this root. Without it nothing is sent.',
      '  --token TEXT      Show this token.',
    ].join('\n'),
  run: async (args) => {
    const valued = new Set(['clusters', 'months', 'until', 'seed', 'mode', 'truth', 'url', 'token'])
    const { options, words } = parseArguments(args, valued, new Set())
    if (words.length > 0) throw invalid('arguments', words.join(' '), 'options only')
    const clusters = readCount('clusters', options.get('clusters') ?? DEFAULTS.clusters)
    const months = readCount('months', options.get('months') ?? DEFAULTS.months)
    const untilMs = readDay(options.get('until') ?? DEFAULTS.until)
    const seed = options.get('seed') ?? DEFAULTS.seed
    const mode = readMode(options.get('mode') ?? DEFAULTS.mode)
    const fromMs = untilMs - Math.round(months * DAYS_A_MONTH) * DAY_MS
    const fleet = Array.from({ length: clusters }, (_, index) => planHistory({ seed, index, fromMs, untilMs, mode }))
    const truthFile = options.get('truth')
    if (truthFile !== undefined) {
      writeFileSync(truthFile, renderTruth(fleet.map(truthOfHistory), { seed, mode, months }))
      console.log(`The truth is in ${truthFile}`)
    }
    const url = options.get('url')
    if (url !== undefined) await sendFleet(fleet, url, options.get('token'))
    return 0
  },
}

/** One cluster after the other, each whole. */
async function sendFleet(
  fleet: readonly ReturnType<typeof planHistory>[],
  url: string,
  token: string | undefined,
): Promise<void> {
  const records = createRecordsSender({ url, token, clock: systemClock })
  const samples = createSender({ url, token, clock: systemClock })
  try {
    for (const [i, history] of fleet.entries()) {
      const { tells, profile } = history
      if (tells.objects) await records.send(profile, observationsOf(history).objects)
      if (tells.metrics) {
        for (const replica of profile.isHa ? [0, 1] : [0]) await samples.send(historySamples(history, replica))
      }
      if ((i + 1) % 50 === 0) console.log(`Sent ${i + 1} of ${fleet.length} clusters`)
    }
  } finally {
    records.close()
    samples.close()
  }
  const { acked, refused } = records.counts
  console.log(`Objects: ${acked} taken, ${refused} refused${refused > 0 ? `: ${records.counts.lastRefusal}` : ''}`)
  const { samplesAcked, samplesRefused, lastRefusal } = samples.counts
  console.log(
    `Samples: ${samplesAcked} taken, ${samplesRefused} refused${samplesRefused > 0 ? `: ${lastRefusal}` : ''}`,
  )
}

function readCount(name: string, text: string): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw invalid(`option ${name}`, text, 'a whole number above 0')
}

function readDay(text: string): number {
  const dayMs = Date.parse(`${text}T00:00:00Z`)
  if (Number.isFinite(dayMs)) return dayMs
  throw invalid('option until', text, 'a day such as 2026-09-01')
}

function readMode(text: string): DeliveryMode {
  const mode = DELIVERY_MODES.find((candidate) => candidate === text)
  if (mode !== undefined) return mode
  throw invalid('option mode', text, `one of ${DELIVERY_MODES.join(', ')}`)
}

function invalid(what: string, got: string, want: string): FleetError {
  return new FleetError('config_invalid', `${what}: got ${JSON.stringify(got)}, want ${want}`)
}
