/**
 * What a start costs before the fleet's facts can be asked: 10,000 clusters with six upgrades each, as a year leaves them,
 * read from a real store into the index, and how long a query waits meanwhile at most. CPU time.
 */
import { setImmediate } from 'node:timers/promises'
import { fillFleetIndex } from '../src/fleet/clusters/fill-fleet-index.ts'
import { createFleetIndex } from '../src/fleet/clusters/fleet-index.ts'
import { PHASES, type UpgradeRecord } from '../src/model/upgrade.ts'
import { openFacts } from '../src/store/facts/facts.ts'
import { emptyRecord } from '../test/support/cluster-record.ts'
import { putFacts } from '../test/support/put-facts.ts'
import { tempDir } from '../test/support/temp-dir.ts'
import { upgradeRecord } from '../test/support/upgrade-record.ts'

const UPGRADES_OF_CLUSTER = 6
const START_MS = Date.UTC(2026, 0, 1)
const MONTH_MS = 30 * 24 * 3_600_000
const BATCH = 200

export async function run({ quick }: { readonly quick: boolean }): Promise<void> {
  const clusters = quick ? 1000 : 10_000
  const dir = tempDir('bench-loading')
  const facts = openFacts(dir.path)
  try {
    for (let from = 0; from < clusters; from += BATCH) {
      const batch = Array.from({ length: BATCH }, (_, i) => `cluster-${from + i}`)
      await putFacts(facts.fleet, batch.map(factsOf))
    }
    const waits: number[] = []
    const state = { isFilled: false }
    const startMs = cpuMs()
    const filled = fillFleetIndex(createFleetIndex(), facts.fleet, facts.decommissions).finally(
      () => (state.isFilled = true),
    )
    let fromMs = startMs
    while (!state.isFilled) {
      await setImmediate()
      waits.push(cpuMs() - fromMs)
      fromMs = cpuMs()
    }
    const tookMs = cpuMs() - startMs
    await filled
    waits.sort((a, b) => a - b)
    const at = (p: number): string => `${waits[Math.ceil(p * waits.length) - 1]!.toFixed(1)} ms`
    console.log(`${clusters} clusters, ${clusters * UPGRADES_OF_CLUSTER} upgrades, ${PHASES.length} phases each`)
    console.log(`read into the index               ${tookMs.toFixed(0)} ms CPU`)
    console.log(`a query waits meanwhile          ${at(0.5)} p50, ${at(0.99)} p99, ${at(1)} at most`)
  } finally {
    facts.close()
    dir.remove()
  }
}

function factsOf(cluster: string) {
  const upgrades = Array.from({ length: UPGRADES_OF_CLUSTER }, (_, step) => upgradeOf(cluster, step))
  return { cluster: emptyRecord(cluster, { lastSeenMs: START_MS }), upgrades, intervals: [], modifications: [] }
}

function upgradeOf(cluster: string, step: number): UpgradeRecord {
  const startedMs = START_MS + step * MONTH_MS
  const endedMs = startedMs + PHASES.length * 60_000
  const phases = PHASES.map((name, i) => ({
    name,
    startedMs: startedMs + i * 60_000,
    endedMs: startedMs + (i + 1) * 60_000,
    state: 'succeeded' as const,
    resolutionSeconds: 1,
    isReconstructed: false,
  }))
  const evidence = phases.map(({ name, startedMs: atMs }) => {
    return {
      source: 'objects' as const,
      atMs,
      text: `${name} began`,
      ref: `clusterserviceversions/${cluster}`,
      phase: name,
    }
  })
  return upgradeRecord(
    {
      id: `${cluster} ${step}`,
      cluster,
      from: `1.${step}.0`,
      to: `1.${step + 1}.0`,
      startedMs,
      endedMs,
      phases,
      evidence,
    },
    { observedUntilMs: endedMs },
  )
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
