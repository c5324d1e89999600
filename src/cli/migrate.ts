/** `daytwo migrate`: copies a data folder to the remote stores, while a server uses it, and compares answers. */
import { FleetError } from '../base/errors.ts'
import { systemClock } from '../base/clock.ts'
import { bytes, count } from '../config/config-values.ts'
import { OPTIONS, readConfig } from '../config/config.ts'
import { factsStoreOf } from '../config/facts-store.ts'
import { metricsStoreOf } from '../config/metrics-store.ts'
import { lockDirectory, type DirectoryLock } from '../store/database.ts'
import { inputError, parseArguments, timeGiven, unexpected } from './arguments.ts'
import type { Command } from './command.ts'
import { DATA_HELP, dataFolder } from './data-folder.ts'
import { copyFactsAgain, migrateFacts, type FactsMigration } from './migrate-facts.ts'
import { migrateSamples, type SampleResult } from './migrate-samples.ts'
import { verifyMigration } from './migrate-verify.ts'
import { MIGRATION_FILE, MigrationFile } from './migration-file.ts'
import { showProgress } from './progress-bar.ts'
import { NoAnswer, serverOf } from './prometheus-client.ts'

const STORE_OPTIONS = Object.keys(OPTIONS).filter((key) => /^store\.(facts|metrics)/.test(key))
const FLAGS = new Set([
  'verify',
  ...STORE_OPTIONS.filter((key) => OPTIONS[key as keyof typeof OPTIONS].kind.placeholder === ''),
])
const VALUED = new Set([
  ...['data', 'from', 'rate', 'samples-rate', 'refused-max', 'against', 'at', 'token', 'token-file'],
  ...STORE_OPTIONS.filter((key) => !FLAGS.has(key)),
])
const REFUSED_MAX = '10000'
/** Senders may be some scrapes late with what belongs to the last minutes. */
const SETTLED_MS = 2 * 60_000
const SHOWN_MAX = 10

export const migrateCommand: Command = {
  help: () =>
    [
      'Usage: daytwo migrate --data DIR [--store.metrics URL] [--store.facts postgres://...] [options]',
      '',
      'Copies a data folder to a metrics store, to PostgreSQL, or to both, while a server uses the folder. Run it until it ends, stop the',
      'server, run it again, which copies the rest, and start the server with the same store options. The folder only gets two small files',
      `with the position (${MIGRATION_FILE}): a migration that ended at any moment continues there, and what is sent again does no harm.`,
      '',
      'While a server uses the folder, samples of the last hours are not copied: they are in memory. At the end about 200 queries are sent',
      'to a server on the folder and to one on the remote stores, both started for that. Ends with 1 on a difference.',
      '',
      DATA_HELP,
      '  --store.metrics URL, --store.metrics-...',
      '      The metrics store, with the options of the server.',
      '  --store.facts URL, --store.facts-...',
      '      PostgreSQL, with the options of the server: an empty database, or one with an earlier copy of the same folder.',
      '  --from TIME\n      Samples since a time only: a duration before now, RFC 3339, or seconds since the epoch.',
      '  --samples-rate N\n      Samples to send per second at most; by default there is no limit.',
      '  --rate BYTES\n      Bytes of samples to send per second at most, before compression; by default there is no limit.',
      `  --refused-max N\n      Refused samples after which it ends (default ${REFUSED_MAX}).`,
      '  --no-verify\n      Compares no answers.',
      '  --against URL\n      The running server, to compare with, in place of a copy of the folder.',
      '  --at TIME\n      The time to query; by default the last moment that is copied completely.',
      '  --token TOKEN, --token-file FILE\n      Of a viewer, for the server at URL.',
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(args, VALUED, FLAGS)
    if (words.length > 0) throw unexpected('daytwo migrate', words.join(' '), 'options only')
    const storeOptions = new Map([...options].filter(([key]) => key.startsWith('store.')))
    // Of the command line alone: the server that answers are compared with gets the same.
    const config = readConfig(storeOptions, undefined, {})
    const [metrics, postgres] = [metricsStoreOf(config), factsStoreOf(config)]
    if (metrics === undefined && postgres === undefined) {
      throw inputError('daytwo migrate: got neither --store.metrics nor --store.facts, want one of them')
    }
    const rates = {
      samplesPerSecondMax: limitOf(options, 'samples-rate', count),
      bytesPerSecondMax: limitOf(options, 'rate', bytes),
      refusedMax: refusedMaxOf(options),
    }
    const from = options.get('from')
    const fromMs = from === undefined ? -Infinity : timeGiven(from, 'from', systemClock.nowMs())
    const dir = dataFolder(options)
    const lock = lockIfUnused(dir)
    try {
      console.log(
        lock === undefined
          ? `A server uses ${dir}: samples in its memory, of the last hours, are copied by a run after it has stopped.`
          : `No server uses ${dir}, and none can start meanwhile: everything is copied.`,
      )
      const file = new MigrationFile(dir)
      const facts = postgres && factsMigration(dir, postgres, file)
      let factsMs = facts === undefined ? Infinity : await migrateAllFacts(facts)
      let samplesMs = Infinity
      let hasSamples = false
      if (metrics !== undefined) {
        const show = showProgress(`Samples to ${metrics.writeUrl}`)
        const result = await migrateSamples({
          ...{ dir, store: metrics, file, clock: systemClock, isStill: lock !== undefined, fromMs, ...rates },
          onProgress: (fraction) => {
            show({ fraction })
          },
          onRemark: onceAMinute((text) => {
            console.error(`daytwo migrate: ${text}`)
          }),
        })
        printSamples(result)
        hasSamples = result.untilMs > 0
        if (hasSamples) samplesMs = result.untilMs
        else console.log('Samples: none are out of the memory of the server yet, so no answers about them are compared')
        // They changed while samples were sent.
        if (facts !== undefined) factsMs = (await copyFactsAgain(facts)).atMs
      }
      if (options.get('verify') === 'false' || Math.min(samplesMs, factsMs) === Infinity) return 0
      const at = options.get('at')
      const lastMs = Math.min(samplesMs, factsMs) - SETTLED_MS
      const atMs = at === undefined ? lastMs : timeGiven(at, 'at', systemClock.nowMs())
      const against = options.get('against')
      return await verify({
        ...{ dir, storeOptions, postgres, queryUrl: hasSamples ? metrics?.queryUrl : undefined },
        against: against === undefined ? undefined : serverOf(against, options),
        // Whole seconds: what a query's time has.
        atMs: Math.floor(atMs / 1000) * 1000,
      })
    } finally {
      lock?.release()
    }
  },
}

/** Undefined: a server uses the folder. */
function lockIfUnused(dir: string): DirectoryLock | undefined {
  try {
    return lockDirectory(dir)
  } catch (thrown) {
    if (thrown instanceof FleetError && thrown.code === 'data_dir_in_use') return undefined
    throw thrown
  }
}

function factsMigration(dir: string, postgres: FactsMigration['postgres'], file: MigrationFile): FactsMigration {
  const show = showProgress(`Facts to ${postgres.url}`)
  const showShipped = onceAMinute((text) => {
    console.log(`Observations to ${postgres.url}: ${text}`)
  })
  return {
    ...{ dir, postgres, file, onShipped: showShipped },
    onCopied: (copied, total) => {
      show({ fraction: copied / total })
    },
  }
}

async function migrateAllFacts(facts: FactsMigration): Promise<number> {
  const { rows, refused, atMs } = await migrateFacts(facts)
  const total = [...rows.values()].reduce((sum, one) => sum + one, 0)
  console.log(`Facts: ${total} rows of ${rows.size} tables, as of ${new Date(atMs).toISOString()}`)
  if (refused > 0) console.log(`Observations: ${refused} rows are damaged or refused, and left out`)
  return atMs
}

function printSamples({ counts, refusals, skippedHistograms, damagedRows, notAccepted, untilMs }: SampleResult): void {
  const { acceptedSamples, refusedSamples, repeatedSamples, sentExemplars, sentMetadata } = counts
  console.log(
    `Samples: ${acceptedSamples} sent, ${refusedSamples} refused, ${repeatedSamples} refused as repeats;` +
      ` ${sentExemplars} exemplars, ${sentMetadata} descriptions; up to ${new Date(untilMs).toISOString()}`,
  )
  for (const { reason, series, text } of refusals) console.log(`  refused (${reason}): ${series}: ${text}`)
  if (skippedHistograms > 0) console.log(`  not sent: ${skippedHistograms} native histograms`)
  if (damagedRows > 0) console.log(`  left out: ${damagedRows} damaged packs`)
  for (const { what, why } of notAccepted) console.log(`  ${what}: ${why}`)
}

async function verify(verification: Parameters<typeof verifyMigration>[0]): Promise<number> {
  try {
    const { asked, differences } = await verifyMigration(verification)
    for (const { path, texts } of differences.slice(0, SHOWN_MAX)) {
      console.log(`different: ${path}\n  before: ${texts[0]}\n  after:  ${texts[1]}`)
    }
    const when = new Date(verification.atMs).toISOString()
    console.log(`${asked} queries at ${when}: ${asked - differences.length} equal, ${differences.length} different`)
    return differences.length === 0 ? 0 : 1
  } catch (thrown) {
    if (!(thrown instanceof NoAnswer)) throw thrown
    console.error(`daytwo migrate: ${thrown.message}`)
    return 1
  }
}

function limitOf(options: ReadonlyMap<string, string>, name: string, kind: typeof bytes): number {
  const text = options.get(name)
  if (text === undefined) return Infinity
  const read = kind.read(text)
  if ('wanted' in read) throw unexpected(`option --${name}`, text, read.wanted)
  return read.value === 0 ? Infinity : read.value
}

function refusedMaxOf(options: ReadonlyMap<string, string>): number {
  const text = options.get('refused-max') ?? REFUSED_MAX
  const read = count.read(text)
  if ('wanted' in read) throw unexpected('option --refused-max', text, read.wanted)
  return read.value
}

/** Of what is repeated. */
function onceAMinute(print: (text: string) => void): (text: string) => void {
  let lastMs = -Infinity
  return (text) => {
    const nowMs = systemClock.nowMs()
    if (Math.abs(nowMs - lastMs) < 60_000) return
    lastMs = nowMs
    print(text)
  }
}
