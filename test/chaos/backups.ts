import { join } from 'node:path'
import { randomOf } from '../../sim/random.ts'
import { startSimulation, type Simulation } from '../../sim/simulate.ts'
import { systemClock } from '../../src/base/clock.ts'
import { daytwo } from '../cli/run.ts'
import type { RunningServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { ChaosOptions } from './kills.ts'
import { Life } from './life.ts'
import { Report } from './report.ts'
import { send } from './target.ts'

/**
 * Backups of the simulated fleet while it lives and everything that is acknowledged is sent too: restored elsewhere, 200
 * queries at a past moment have equal answers, and all that was acknowledged before the backup began is there, once.
 */

const CLUSTERS = 20
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** What is sent after a backup must not be older than the moment at which answers are compared; the future may be 10 minutes away. */
const LOAD_BEGINS_IN_MS = 9 * 60_000
const FIRST_BACKUP_AFTER_MS = 20_000

export async function runBackups({ rounds, seed, onProgress }: ChaosOptions): Promise<Report> {
  const report = new Report(onProgress)
  const random = randomOf('backups', seed)
  const life = new Life('backups', undefined, LOAD_BEGINS_IN_MS)
  await life.begin()
  const { server, simulation } = await startFleet(life).catch((thrown: unknown) => {
    life.remove()
    throw thrown
  })
  let isOver = false
  let place = 0
  const target = life.target(server, { position: () => place })
  const running = life.load.run(target, () => isOver)
  try {
    await Promise.race([running, pause(FIRST_BACKUP_AFTER_MS)])
    for (let round = 0; round < rounds; round++) {
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
  } finally {
    isOver = true
    await simulation.stop()
    await server.kill()
    life.remove()
  }
  return report
}

/** A server that the simulated fleet sends to, with its past. */
async function startFleet(life: Life): Promise<{ readonly server: RunningServer; readonly simulation: Simulation }> {
  const server = await life.start()
  const { url, token } = life.target(server)
  const times = { historyMs: HOUR_MS, pastMs: 7 * DAY_MS, clock: systemClock, sendsObjects: true }
  const simulation = startSimulation({ url, token, seed: 'daytwo', clusters: CLUSTERS, ...times })
  await simulation.done
  // Labels of clusters are read every five minutes: until then the server says less than its data has.
  const hasRegions = async (): Promise<true | undefined> => {
    const clusters = await send(life.target(server), '/api/fleet/v1/clusters')
    return clusters.includes('"region":"eu-west"') ? true : undefined
  }
  await until('the regions of the fleet', hasRegions, 600_000)
  return { server, simulation }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
