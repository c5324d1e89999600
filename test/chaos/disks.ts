import { randomOf, type Random } from '../../sim/random.ts'
import { reservePort } from '../../src/runtime/reserve-port.ts'
import type { RunningServer } from '../support/server.ts'
import { mountDisk, type SmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'
import { diskShim, type DiskShim } from './disk-shim.ts'
import type { ChaosOptions } from './kills.ts'
import { Life } from './life.ts'
import { Report } from './report.ts'
import { send } from './target.ts'

/**
 * A disk that becomes full, read-only or slow while everything that is acknowledged is sent: the server goes on, is
 * restarted in that state (in order or by kill -9), takes again what is sent when the disk is freed, and has all that was
 * acknowledged, once.
 */

const DISK_MEGABYTES = 400
const BAD_FOR_MS_MAX = 4000
const SLOW_MICROSECONDS = 15_000
/** On the slow disk each page takes `SLOW_MICROSECONDS` (270 kB/s), and a flush holds the only writer for all of its pages. */
const EVALUATED_WITHIN_MS = 60_000
/** Every load is taken again within this time. */
const FREED_WITHIN_MS = 60_000

type State = 'full' | 'read-only' | 'slow'
const STATES: readonly State[] = ['full', 'read-only', 'slow']

export async function runDisks({ rounds, seed, onProgress }: ChaosOptions): Promise<Report> {
  const report = new Report(onProgress)
  const random = randomOf('disks', seed)
  for (let round = 0; round < rounds; round++) {
    const state = STATES[round % STATES.length]!
    const disk = mountDisk({ skip: fail }, DISK_MEGABYTES)
    const life = new Life('disks', disk.path)
    try {
      // A read-only directory is opened again when it can be written, with the same port.
      life.listen = `127.0.0.1:${await reservePort('127.0.0.1')}`
      await life.begin()
      const shim = diskShim(life.dataPath, life.path, false)
      await live(life, new BadDisk(state, disk, shim), random, report)
      report.add(life.load)
      onProgress(`${round + 1} disks, ${state}: ${life.load.ackedCount} acknowledged, ${report.faults.length} faults`)
    } catch (thrown) {
      report.fault(`${state} disk: ${String(thrown)}`)
    } finally {
      life.remove()
      disk.remove()
    }
  }
  return report
}

function fail(note = ''): never {
  throw new Error(note)
}

class BadDisk {
  readonly state: State
  readonly shim: DiskShim
  readonly #disk: SmallDisk

  constructor(state: State, disk: SmallDisk, shim: DiskShim) {
    this.state = state
    this.#disk = disk
    this.shim = shim
  }

  /** While a server writes, a file system cannot be mounted again read-only: until it has stopped, its writes fail. */
  begin(): void {
    if (this.state === 'full') this.#disk.fill()
    else this.shim.set(this.state === 'slow' ? { delayMicroseconds: SLOW_MICROSECONDS } : { error: 'EROFS' })
  }

  /** Between two servers. */
  settle(): void {
    if (this.state !== 'read-only') return
    this.#disk.setReadOnly(true)
    this.shim.set({})
  }

  end(): void {
    if (this.state === 'full') this.#disk.free()
    else if (this.state === 'read-only') this.#disk.setReadOnly(false)
    else this.shim.set({})
  }
}

async function live(life: Life, bad: BadDisk, random: Random, report: Report): Promise<void> {
  const { state, shim } = bad
  const where = `${state} disk`
  const { load } = life
  let server = await life.start(shim.environment)
  await underLoad(life, server, shim.environment, async () => {
    await pause(500 + random.next() * 1000)
    bad.begin()
    await pause(random.next() * BAD_FOR_MS_MAX)
    await serves(life, server, where, report)
  })
  // Parts of what is not acknowledged may be seen already.
  const faults = await load.faults(life.target(server))
  const lost = [...faults].map(([name, found]) => [name, found.filter((fault) => fault.includes('lost:'))] as const)
  report.check(`${where}, before the restart`, new Map(lost))
  if (random.chance(0.5)) await server.stop()
  else await server.kill()
  bad.settle()
  server = await life.start(shim.environment)
  report.check(`${where}, restarted`, await load.faults(life.target(server)))
  await underLoad(life, server, shim.environment, async () => {
    await pause(random.next() * BAD_FOR_MS_MAX)
    await serves(life, server, where, report)
    bad.end()
    const before = new Map(load.loads.map(({ name, ledger }) => [name, ledger.ackedCount]))
    const isTaken = (): true | undefined =>
      load.loads.every(({ name, ledger }) => ledger.ackedCount > before.get(name)!) ? true : undefined
    const startedMs = performance.now()
    await until(`everything to be taken after the ${where} is freed`, isTaken, FREED_WITHIN_MS).catch(
      (thrown: unknown) => {
        const waiting = load.loads.filter(({ name, ledger }) => ledger.ackedCount === before.get(name)!)
        report.fault(`${String(thrown)}: not ${waiting.map(({ name }) => name).join(', ')}`)
      },
    )
    longest(report, `${where}, all taken again, at most ms after it was freed`, performance.now() - startedMs)
  })
  report.check(`${where}, freed`, await load.faults(life.target(server)))
  await server.kill()
  server = await life.start(shim.environment)
  report.check(`${where}, killed`, await load.faults(life.target(server)))
  const code = await server.stop()
  if (code !== 0) report.fault(`${where}: the server stopped with code ${code}`)
}

/** Sends while `work` runs. */
async function underLoad(
  life: Life,
  server: RunningServer,
  environment: DiskShim['environment'],
  work: () => Promise<void>,
): Promise<void> {
  let isOver = false
  const running = life.load.run(life.target(server, { environment }), () => isOver, false)
  await Promise.all([
    running,
    work().finally(() => {
      isOver = true
    }),
  ])
}

/** Pages, queries and rules do not wait for the disk. */
async function serves(life: Life, server: RunningServer, where: string, report: Report): Promise<void> {
  const target = life.target(server)
  const evaluated = await lastEvaluationMs(life, server)
  for (const path of ['/-/healthy', '/api/fleet/v1/now', '/api/v1/query?query=1', '/metrics', '/api/v1/alerts']) {
    const startedMs = performance.now()
    await send(target, path).catch((thrown: unknown) => {
      report.fault(`${where}: ${path}: ${String(thrown)}`)
    })
    longest(report, `${where}, longest answer in ms`, performance.now() - startedMs)
  }
  const startedMs = performance.now()
  const isEvaluated = async (): Promise<true | undefined> =>
    (await lastEvaluationMs(life, server)) > evaluated ? true : undefined
  await until(`rules to be evaluated on the ${where}`, isEvaluated, EVALUATED_WITHIN_MS).catch((thrown: unknown) => {
    report.fault(String(thrown))
  })
  longest(report, `${where}, rules evaluated again after at most ms`, performance.now() - startedMs)
}

async function lastEvaluationMs(life: Life, server: RunningServer): Promise<number> {
  const { data } = JSON.parse(await send(life.target(server), '/api/v1/rules')) as {
    readonly data: { readonly groups: readonly { readonly lastEvaluation: string }[] }
  }
  return Date.parse(data.groups[0]!.lastEvaluation)
}

function longest(report: Report, name: string, ms: number): void {
  report.figures.set(name, Math.max(Number(report.figures.get(name) ?? 0), Math.round(ms)))
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
