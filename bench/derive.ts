/**
 * A cluster's upgrades from a year of observations: what one beat of the derivation costs for each cluster that changed.
 * Simulated clusters by objects and by metrics; CPU time, the median of rounds, the first of which warms up.
 */
import { deriveUpgrades } from '../src/fleet/derive/derive-cluster.ts'
import { observationsOf } from '../sim/history/cluster-observations.ts'
import { planHistory } from '../sim/history/plan-history.ts'

const YEAR = { fromMs: Date.UTC(2025, 8, 1), untilMs: Date.UTC(2026, 8, 1), seed: 'derive' }
const CLUSTERS = 40
const ROUNDS = 9

export function run({ quick }: { readonly quick?: boolean }): void {
  console.log(
    '| observed by | states and runs a cluster | upgrades a cluster | CPU ms a cluster | CPU us a state or run |',
  )
  console.log('| --- | --- | --- | --- | --- |')
  for (const mode of ['objects', 'metrics', 'all'] as const) {
    const clusters = quick === true ? CLUSTERS / 4 : CLUSTERS
    const all = Array.from({ length: clusters }, (_, index) => observationsOf(planHistory({ ...YEAR, index, mode })))
    const seen = all.reduce((sum, { objects, metrics }) => sum + objects.length + metrics.length, 0)
    let upgrades = 0
    const rounds = Array.from({ length: quick === true ? 3 : ROUNDS }, () => {
      const before = process.cpuUsage()
      upgrades = all.reduce((sum, observations) => sum + deriveUpgrades(observations).length, 0)
      const { user, system } = process.cpuUsage(before)
      return user + system
    })
    const cpuUs = rounds.slice(1).sort((a, b) => a - b)[Math.floor((rounds.length - 1) / 2)]!
    const cells = [mode, seen / clusters, upgrades / clusters, cpuUs / 1000 / clusters, cpuUs / seen]
    console.log(`| ${cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(1) : cell)).join(' | ')} |`)
  }
}
