import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { randomOf, type Random } from '../../sim/random.ts'
import { until } from '../support/until.ts'
import { DiskModel, type PowerCut } from './disk-model.ts'
import { diskShim } from './disk-shim.ts'
import type { ChaosOptions } from './kills.ts'
import { Life } from './life.ts'
import { Report } from './report.ts'
import { readTrace } from './write-trace.ts'

/**
 * Power cuts at random moments while everything that is acknowledged is sent. The server and the commands beside it run
 * with a recorder of their writes and fsyncs; for each cut the folder is made from the record, with what was not synced
 * dropped, reordered or torn, and a server that starts on it must have all that was acknowledged by then, once. Each life
 * goes on from the last cut of the one before.
 */

const CUTS_PER_LIFE = 12
/** A folder is left before the checks take long. */
const LIVES_PER_FOLDER = 4
const ACKS_PER_LIFE_MAX = 800

export interface PowerCutOptions extends ChaosOptions {
  /** A disk that ignores fsync, to see that the checks find what is lost. */
  readonly ignoresSync?: boolean
}

export async function runPowerCuts(options: PowerCutOptions): Promise<Report> {
  const { rounds, seed, onProgress } = options
  const report = new Report(onProgress)
  const random = randomOf('power-cuts', seed)
  for (let cuts = 0; cuts < rounds;) {
    const life = new Life('power-cuts')
    try {
      await life.begin()
      for (let number = 0; number < LIVES_PER_FOLDER && cuts < rounds; number++) {
        const places = Math.min(CUTS_PER_LIFE, rounds - cuts)
        await liveAndCut(life, places, random, report, options)
        cuts += places
        onProgress(
          `${cuts} cuts, ${life.load.ackedCount} acknowledged before the last one, ${report.faults.length} faults`,
        )
      }
      report.add(life.load)
    } catch (thrown) {
      report.fault(`cut ${cuts++}: ${String(thrown)}`)
    } finally {
      life.remove()
    }
  }
  report.figures.set('acknowledged before the last cut of a folder', report.ackedCount)
  return report
}

async function liveAndCut(
  life: Life,
  count: number,
  random: Random,
  report: Report,
  options: PowerCutOptions,
): Promise<void> {
  const disk = new DiskModel(life.dataPath)
  const trace = join(life.path, 'trace')
  rmSync(trace, { force: true })
  const shim = diskShim(life.dataPath, life.path, true)
  await loadTraced(life, shim, random)
  const bytes = readFileSync(trace)
  report.count('bytes recorded', bytes.length)
  const places = Array.from({ length: count }, () => Math.floor(random.next() * bytes.length)).sort((a, b) => a - b)
  const cut = join(life.path, 'cut')
  const records = readTrace(bytes)
  let record = records.next()
  for (const [i, place] of places.entries()) {
    for (; record.done !== true && record.value.end <= place; record = records.next()) {
      if (options.ignoresSync !== true || !record.value.kind.startsWith('sync')) disk.apply(record.value)
    }
    const power = powerCutOf(random)
    report.count(`cut, unsynced ${power.kind}`)
    disk.cut(cut, power)
    // The checks write too; the last cut is what the next life begins with.
    if (i === places.length - 1) cpSync(cut, `${cut}-last`, { recursive: true })
    await check(life, cut, place, `cut at ${place} (${power.kind}, ${power.sectorBytes})`, report)
    rmSync(cut, { recursive: true, force: true })
  }
  life.load.rollBack(places.at(-1)!)
  rmSync(life.dataPath, { recursive: true })
  renameSync(`${cut}-last`, life.dataPath)
}

async function loadTraced(life: Life, shim: ReturnType<typeof diskShim>, random: Random): Promise<void> {
  const { environment } = shim
  const server = await life.start(environment)
  const target = life.target(server, { environment, position: () => shim.position() })
  let isOver = false
  const running = life.load.run(target, () => isOver)
  const wanted = life.load.ackedCount + random.int(1, ACKS_PER_LIFE_MAX)
  const isAcked = (): true | undefined => (life.load.ackedCount >= wanted ? true : undefined)
  await Promise.race([running, until('acknowledgements', isAcked, 600_000)])
  isOver = true
  // In order or not: what the server writes when it stops is cut as well.
  if (random.chance(0.5)) await server.stop()
  else await server.kill()
  await running
}

/** Starts a server on what a cut left. */
async function check(life: Life, dataPath: string, place: number, where: string, report: Report): Promise<void> {
  const server = await life.start({}, dataPath).catch((thrown: unknown) => {
    report.fault(`${where}: ${String(thrown)}`)
    return undefined
  })
  if (server === undefined) return
  try {
    report.check(where, await life.load.faults(life.target(server, { dataPath }), place))
    const log = server.output()
    if (/damaged|malformed|SQLITE_CORRUPT/.test(log)) report.fault(`${where}: ${log.slice(-2000)}`)
  } catch (thrown) {
    report.fault(`${where}: ${String(thrown)}`)
  } finally {
    await server.kill()
  }
}

function powerCutOf(random: Random): PowerCut {
  const kind = random.pick(['dropped', 'written', 'mixed', 'mixed', 'mixed'] as const)
  return { kind, sectorBytes: random.pick([512, 4096]), random }
}
