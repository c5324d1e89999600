/** `daytwo backup`: copies a data directory that a server may be using, or checks a copy against a server's answers. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { bytes } from '../config/config-values.ts'
import { VERSION } from '../config/version.ts'
import { checkIntegrity, readBackup, writeBackup, type StoredBackup } from '../store/backup.ts'
import { compareAnswers } from './answer-comparison.ts'
import { parseArguments, timeGiven, unexpected } from './arguments.ts'
import type { Command } from './command.ts'
import { checkData, DATA_HELP, dataFolder } from './data-folder.ts'
import { NoAnswer, serverOf } from './prometheus-client.ts'
import { showProgress } from './progress-bar.ts'
import { copyOf, serveCopy, type ServedCopy } from './served-copy.ts'

const VALUED = new Set(['data', 'rate', 'against', 'at', 'token', 'token-file'])
const RATE = '64MiB'
/** Senders may be some scrapes late with what belongs to the moment of the backup. */
const SETTLED_MS = 2 * 60_000
const SHOWN_MAX = 10

export const backupCommand: Command = {
  help: () =>
    [
      'Usage: daytwo backup FILE [--data DIR] [--rate BYTES]',
      '       daytwo backup --verify FILE [--against URL|DIR] [--at TIME]',
      '',
      'Copies a data directory into one file, while a server uses it. The copy is a snapshot: it has everything that was',
      'acknowledged before the start, and nothing later. FILE appears when it is complete and on the disk; an earlier',
      'backup of that name is replaced. Until it is complete, the database log grows by the received data.',
      'Do not copy daytwo.db yourself: what is in its log would be missing, without an error.',
      '',
      'A backup has all that the data directory has, tokens (as hashes) included. It does not have the configuration file,',
      'rules, runbooks, dashboards, the routing of notifications, and certificates: back these files up separately.',
      '',
      'With --verify it reads every page of a backup, and with --against it restores the backup into a temporary folder and',
      'runs about 200 queries on both at one past time: PromQL, fleet, alerts, silences. Ends with 1 on a difference.',
      '',
      DATA_HELP,
      `  --rate BYTES\n      How much to read per second at most, so that the server has the disk too (default ${RATE}); 0 means no limit.`,
      '  --verify\n      Checks FILE instead of writing it.',
      '  --against URL|DIR\n      The running server, or the data directory, to compare with.',
      '  --at TIME\n      The time to query: a duration before now, RFC 3339, or seconds since the epoch. By default two minutes before the backup.',
      '  --token TOKEN, --token-file FILE\n      Of a viewer, for the server at URL.',
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(args, VALUED, new Set(['verify']))
    const [file, ...others] = words
    if (file === undefined || others.length > 0) {
      throw unexpected('daytwo backup', words.join(' '), 'one file')
    }
    const isVerified = options.get('verify') === 'true'
    const foreign = (isVerified ? ['data', 'rate'] : ['against', 'at', 'token', 'token-file']).find((name) =>
      options.has(name),
    )
    if (foreign !== undefined) {
      throw unexpected(`daytwo backup${isVerified ? ' --verify' : ''}`, `--${foreign}`, 'no such option')
    }
    return isVerified ? verify(file, options) : write(file, options)
  },
}

async function write(file: string, options: ReadonlyMap<string, string>): Promise<number> {
  const rate = options.get('rate') ?? RATE
  const perSecond = bytes.read(rate)
  if ('wanted' in perSecond) throw unexpected('option --rate', rate, perSecond.wanted)
  const dir = dataFolder(options)
  const show = showProgress(`Copying into ${file}`)
  const backup = await writeBackup({
    dir,
    file,
    mark: { atMs: systemClock.nowMs(), version: VERSION },
    bytesPerSecondMax: perSecond.value === 0 ? Infinity : perSecond.value,
    onProgress: (copied, total) => {
      show({ fraction: copied / total })
    },
  })
  console.log(`${file}: ${describe(backup)}`)
  return 0
}

function describe({ bytes: size, atMs, version, schemaVersion }: StoredBackup): string {
  return `${size} bytes, of ${new Date(atMs).toISOString()}, by daytwo ${version}, schema ${schemaVersion}`
}

async function verify(file: string, options: ReadonlyMap<string, string>): Promise<number> {
  const backup = readBackup(file)
  checkIntegrity(file)
  console.log(`${file}: no damage, ${describe(backup)}`)
  const against = options.get('against')
  if (against === undefined) return 0
  const at = options.get('at')
  const atMs = at === undefined ? backup.atMs - SETTLED_MS : timeGiven(at, 'at', systemClock.nowMs())
  // Whole seconds: what a query's time has.
  return compare(file, against, options, Math.floor(atMs / 1000) * 1000)
}

async function compare(
  file: string,
  against: string,
  options: ReadonlyMap<string, string>,
  atMs: number,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'daytwo-verify-'))
  const running: ServedCopy[] = []
  try {
    const copy = await serveCopy(file, join(folder, 'backup'))
    running.push(copy)
    const isUrl = /^https?:\/\//.test(against)
    const other = isUrl
      ? undefined
      : await serveCopy(await copyOf(checkData(against), join(folder, 'against.backup')), join(folder, 'against'))
    if (other !== undefined) running.push(other)
    const server = serverOf(other?.url ?? against, other === undefined ? options : new Map())
    for (const one of running) await one.derive()
    const { asked, differences } = await compareAnswers(serverOf(copy.url, new Map()), server, atMs)
    for (const { path, texts } of differences.slice(0, SHOWN_MAX)) {
      console.log(`different: ${path}\n  backup: ${texts[0]}\n  other:  ${texts[1]}`)
    }
    const when = new Date(atMs).toISOString()
    console.log(`${asked} queries at ${when}: ${asked - differences.length} equal, ${differences.length} different`)
    return differences.length === 0 ? 0 : 1
  } catch (thrown) {
    if (!(thrown instanceof NoAnswer)) throw thrown
    console.error(`daytwo backup: ${thrown.message}`)
    return 1
  } finally {
    for (const one of running) await one.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
