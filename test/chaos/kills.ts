import { randomOf, type Random } from '../../sim/random.ts'
import { daytwo } from '../cli/run.ts'
import type { RunningServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { Life } from './life.ts'
import { Report } from './report.ts'

/**
 * kill -9 at random moments while everything that is acknowledged is sent: under load, while the server starts, and while
 * it stops. After each, all that was ever acknowledged in the folder is there, once.
 */

/** What is lost stays lost: a check reads all that was written in a folder, and is not made after each kill. */
const KILLS_PER_CHECK = 5
/** Left before a check takes long. */
const KILLS_PER_FOLDER = 50
const ACKS_BEFORE_KILL_MAX = 200
const STARTS_WITHIN_MS = 1500
const STOPS_WITHIN_MS = 300

export interface ChaosOptions {
  readonly rounds: number
  readonly seed: number
  /** Called now and then with a line about how far it is. */
  readonly onProgress: (text: string) => void
}

export async function runKills({ rounds, seed, onProgress }: ChaosOptions): Promise<Report> {
  const report = new Report(onProgress)
  const random = randomOf('kills', seed)
  for (let kills = 0; kills < rounds;) {
    const life = new Life('kills')
    try {
      await life.begin()
      let server = await life.start()
      for (const end = Math.min(rounds, kills + KILLS_PER_FOLDER); kills < end;) {
        await loadAndKill(life, server, random, report)
        kills++
        for (; random.chance(0.2) && kills < end; kills++) {
          await life.startAndKill(random.next() * STARTS_WITHIN_MS)
          report.count('killed while starting')
        }
        server = await life.start()
        if (kills < end && !random.chance(1 / KILLS_PER_CHECK)) continue
        report.check(`kill ${kills}`, await life.load.faults(life.target(server)))
        onProgress(`${kills} kills, ${life.load.ackedCount} in this folder, ${report.faults.length} faults`)
      }
      await server.stop()
      await checkStopped(life, report, `kill ${kills}`)
      report.add(life.load)
    } catch (thrown) {
      report.fault(`kill ${kills++}: ${String(thrown)}`)
    } finally {
      life.remove()
    }
  }
  report.figures.set('acknowledged', report.ackedCount)
  return report
}

async function loadAndKill(life: Life, server: RunningServer, random: Random, report: Report): Promise<void> {
  const { load } = life
  let isOver = false
  const running = load.run(life.target(server), () => isOver).then(() => 'ended')
  const wanted = load.ackedCount + Math.ceil(random.next() * ACKS_BEFORE_KILL_MAX)
  const first = await Promise.race([
    running,
    until('acknowledgements', () => (load.ackedCount >= wanted ? 'acknowledged' : undefined), 600_000),
  ])
  if (first === 'ended') report.fault(`the server ended by itself: ${server.output().slice(-2000)}`)
  await pause(random.next() * 50)
  if (random.chance(0.15)) {
    const stopped = server.stop()
    await pause(random.next() * STOPS_WITHIN_MS)
    await server.kill()
    await stopped
    report.count('killed while stopping')
  } else {
    await server.kill()
    report.count('killed under load')
  }
  isOver = true
  await running
}

/** The data of a server that is not running. */
async function checkStopped(life: Life, report: Report, where: string): Promise<void> {
  for (const args of [['audit', 'verify'], ['doctor']]) {
    const { code, stdout, stderr } = await daytwo(...args, '--data', life.dataPath)
    if (code !== 0) report.fault(`${where}: daytwo ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
