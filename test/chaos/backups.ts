import { join } from 'node:path'
import { randomOf, type Random } from '../../sim/random.ts'
import { startSimulation, type Simulation } from '../../sim/simulate.ts'
import { systemClock } from '../../src/base/clock.ts'
import { daytwo } from '../cli/run.ts'
import type { ChaosOptions } from './kills.ts'
import { Life } from './life.ts'
import { Report } from './report.ts'
import type { Target } from './target.ts'

/**
 * Backups of the simulated fleet while it lives and everything that is acknowledged is sent too: restored elsewhere, 200
 * queries at a past moment have equal answers, and all that was acknowledged before the backup began is there, once.
 */

const CLUSTERS = 20
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** What is sent after a backup must not be older than the moment at which answers are compared; the future may be 10 minutes away. */
const LOAD_BEGINS_IN_MS = 9 * 60_000
/** Until the load begins; then another server with another load goes on. */
const LIFE_MS = 7 * 60_000
const FIRST_BACKUP_AFTER_MS = 20_000

export async function runBackups({ rounds, seed, onProgress }: ChaosOptions): Promise<Report> {
  const report = new Report(onProgress)
  const random = randomOf('backups', seed)
  let made = 0
  while (made < rounds) made = await backupsOfOneLife(made, rounds, random, report, onProgress)
  return report
}

/** @returns how many backups were made by then */
async function backupsOfOneLife(
  first: number,
  rounds: number,
  random: Random,
  report: Report,
  onProgress: ChaosOptions['onProgress'],
): Promise<number> {
  const endMs = Date.now() + LIFE_MS
  const life = new Life('backups', undefined, LOAD_BEGINS_IN_MS)
  await life.begin()
  const server = await life.start()
  let place = 0
  let isOver = false
  const target = life.target(server, { position: () => place })
  const simulation = startFleet(target)
  try {
    await simulation.done
    const running = life.load.run(target, () => isOver)
    await Promise.race([running, pause(FIRST_BACKUP_AFTER_MS)])
    let round = first
    for (; round < rounds && Date.now() < endMs; round++) {
      await Promise.race([running, pause(random.next() * 5000)])
      const file = join(life.path, `backup-${round}`)
      const restored = join(life.path, `restored-${round}`)
      const before = place++
      const made = await daytwo('backup', file, '--data', life.dataPath)
      const during = place++
      if (made.code !== 0) report.fault(`backup ${round} ended with ${made.code}: ${made.stderr}`)
      const put = await daytwo('restore', file, '--data', restored)
      if (put.code !== 0) report.fault(`restore ${round} ended with ${put.code}: ${put.stderr}`)
      const verified = await daytwo('backup', '--verify', file, '--against', server.url, '--token', target.token)
      const [, asked = 0, equal = 0] = /(\d+) queries at .*: (\d+) equal/.exec(verified.stdout) ?? []
      report.count('questions', Number(asked))
      report.count('equal answers', Number(equal))
      if (verified.code !== 0) report.fault(`backup ${round}: ${verified.stdout}${verified.stderr}`)
      const copy = await life.start({}, restored)
      const faults = await life.load.faults(life.target(copy, { dataPath: restored }), before, during)
      report.check(`backup ${round}`, faults)
      await copy.stop()
      onProgress(`${round + 1} backups, ${life.load.ackedCount} acknowledged, ${report.faults.length} faults`)
    }
    isOver = true
    await running
    report.add(life.load)
    return round
  } finally {
    isOver = true
    await simulation.stop()
    await server.kill()
    life.remove()
  }
}

/** The simulated fleet with its past. */
function startFleet({ url, token }: Target): Simulation {
  const times = { historyMs: HOUR_MS, pastMs: 7 * DAY_MS, clock: systemClock, sendsObjects: true }
  return startSimulation({ url, token, seed: 'daytwo', clusters: CLUSTERS, ...times })
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
