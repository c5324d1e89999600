/**
 * Daytwo, VictoriaMetrics and Prometheus side by side: the same bodies to each in turn, over loopback, one at a time.
 * What counts is the server's processor time, so the sender's cost and the machine's other work stay out of it; ratios
 * are what may be compared from one day to the next. bench/README.md keeps the last table.
 */
import { cpus } from 'node:os'
import { contestants } from './peers/contestants.ts'
import { measurePeer } from './peers/scenarios.ts'
import type { PeerResult, Scale } from './peers/scenarios.ts'
import { renderDifferences, renderTable } from './peers/table.ts'

const FULL: Scale = {
  steadyClusters: 2000,
  smallScrapes: 10,
  newClusters: 10_000,
  sixHourClusters: 2000,
  historyClusters: 1000,
  historyStepMs: 60_000,
}

const QUICK: Scale = {
  steadyClusters: 300,
  smallScrapes: 16,
  newClusters: 1000,
  sixHourClusters: 50,
  historyClusters: 100,
  historyStepMs: 300_000,
}

export interface PeersOptions {
  /** A small fleet, one to two minutes, instead of a quarter of an hour. */
  readonly quick: boolean
  /** Another build of Daytwo's `main.js`, to compare two. */
  readonly program?: string
  /** Only servers whose name starts with this, such as `day`. */
  readonly only?: string
}

export async function run({ quick, program, only = '' }: PeersOptions): Promise<void> {
  const scale = quick ? QUICK : FULL
  // Old enough that all of it may leave the head, on a whole step of every query.
  const endMs = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 4 * 3_600_000
  const [processor] = cpus()
  console.log(`${cpus().length} x ${processor?.model ?? 'unknown processor'}, ${quick ? 'quick' : 'full'} scale`)
  const results: PeerResult[] = []
  for (const peer of contestants(program)) {
    if (!peer.name.toLowerCase().startsWith(only.toLowerCase())) continue
    console.log(`${peer.name} ${peer.version}`)
    results.push(await measurePeer(peer, scale, endMs))
  }
  console.log(`\n${renderTable(results)}`)
  for (const difference of renderDifferences(results)) console.log(difference)
}
