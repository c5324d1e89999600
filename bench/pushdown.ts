/**
 * PromQL on other stores. First all test scripts, those beside the project too, on a real Prometheus and VictoriaMetrics: how many
 * queries are sent as they are, in another form, or evaluated here, how many answers are equal, and the reasons of the others. Then
 * the queries of rules and pages: how long each takes on the embedded store and on the others, with the same samples.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Queryable } from '../src/model/queryable.ts'
import { createLocalEngine } from '../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../src/promql/engine-options.ts'
import type { QueryEngine } from '../src/promql/query-engine.ts'
import { DIFFERENCES } from '../src/remote/difference-table.ts'
import { createRemoteEngine } from '../src/remote/remote-engine.ts'
import { ProtobufWriter } from '../src/wire/protobuf.ts'
import { encodeSnappy } from '../src/wire/snappy.ts'
import { writeSample } from '../src/wire/remote-write-encode.ts'
import { Pushdown, sectionsOf, type ComparedCase, type PushdownTarget } from '../test/remote/pushdown.ts'
import { TARGETS, type RunningTarget } from '../test/remote/pushdown-targets.ts'
import { findPeer } from '../test/support/peers.ts'
import { fill, inStore, queriedSeriesOf, START_MS } from './fleet-queries.ts'
import { SCRAPE_MS, type FleetSeries } from './peers/fleet.ts'
import { FLEET_RULES, SIX_HOUR_QUERIES } from './peers/queries.ts'

const FOLDERS = [
  resolve(import.meta.dirname, '../test/promql/scripts'),
  resolve(import.meta.dirname, '../../shared/promqltest'),
]
const RUNS = 5

export async function run({ quick = false }: { readonly quick?: boolean } = {}): Promise<void> {
  const running: { readonly name: string; readonly target: RunningTarget }[] = []
  for (const name of ['prometheus', 'victoria-metrics'] as const) {
    const path = findPeer(name)
    if (path === undefined) console.log(`${name} is not installed`)
    else running.push({ name, target: await TARGETS[name](path) })
  }
  try {
    for (const { name, target } of running) await reportScripts(name, target, quick)
    await reportLatency(running, quick ? 50 : 200)
  } finally {
    for (const { target } of running) await target.stop()
  }
}

async function reportScripts(name: string, target: PushdownTarget, quick: boolean): Promise<void> {
  const pushdown = new Pushdown(target)
  const all: ComparedCase[] = []
  console.log(`\n${name}: cases, equal answers; of them sent as they are, in another form, evaluated here`)
  for (const folder of FOLDERS.slice(0, quick ? 1 : 2).filter((path) => existsSync(path))) {
    const ofFolder: ComparedCase[] = []
    for (const file of readdirSync(folder).filter((one) => one.endsWith('.test'))) {
      for (const section of sectionsOf(readFileSync(join(folder, file), 'utf8'))) {
        ofFolder.push(...(await pushdown.compare(section)))
      }
    }
    printCounts(folder.includes('shared') ? 'upstream scripts' : 'own scripts', ofFolder)
    all.push(...ofFolder)
  }
  const differing = all.filter(({ isSame }) => !isSame)
  console.log(
    `  other answers: ${differing.length}, without a reason: ${differing.filter(({ notes }) => notes.length === 0).length}`,
  )
  const reasons = new Map<string, number>()
  for (const { notes } of differing) {
    for (const note of new Set(notes.map(reasonOf))) reasons.set(note, (reasons.get(note) ?? 0) + 1)
  }
  for (const [reason, count] of [...reasons].sort(([, a], [, b]) => b - a))
    console.log(`  ${String(count).padStart(5)}  ${reason}`)
  pushdown.close()
}

/** The identifier of a difference; native histograms are not in the table. */
function reasonOf(note: string): string {
  return DIFFERENCES.find(({ text }) => note.includes(` ${text} (`))?.id ?? 'native histograms'
}

function printCounts(title: string, cases: readonly ComparedCase[]): void {
  const count = (way: string): string => {
    const of = cases.filter((one) => one.way.startsWith(way))
    return `${of.filter(({ isSame }) => isSame).length}/${of.length}`
  }
  const same = cases.filter(({ isSame }) => isSame).length
  const ways = ['pushed', 'rewritten', 'local', 'refused'].map((way) => `${way} ${count(way)}`).join(', ')
  console.log(`  ${title}: ${same} of ${cases.length} equal; ${ways}`)
}

const NOTHING: Queryable = { select: () => [], series: () => [], labelNames: () => [], labelValues: () => [] }

async function reportLatency(
  running: readonly { readonly name: string; readonly target: RunningTarget }[],
  clusters: number,
): Promise<void> {
  const scrapes = 240
  const fleet = Array.from({ length: clusters }, (_, cluster) => queriedSeriesOf(cluster)).flat()
  await inStore(async (writer, reader) => {
    const endMs = await fill(writer, fleet, { scrapes, everyMs: SCRAPE_MS, isFlushed: false })
    const options = { ...DEFAULT_ENGINE_OPTIONS, samplesMax: 1e9 }
    const nowMs = (): number => performance.now()
    const engines: { readonly name: string; readonly engine: QueryEngine; close(): void }[] = [
      { name: 'embedded', engine: createLocalEngine({ queryable: reader, options, nowMs }), close: () => undefined },
    ]
    for (const { name, target } of running) {
      await send(target, fleet, scrapes)
      const { store } = new Pushdown(target)
      const sources = { facts: NOTHING, ownNames: [], buffer: NOTHING, hasHistograms: () => false }
      const engine = createRemoteEngine({
        ...{ store, ...sources, options, nowMs, lane: 'requests', serverMetrics: new Set<string>() },
      })
      engines.push({
        name,
        engine,
        close: () => {
          store.close()
        },
      })
    }
    console.log(`\n${clusters} clusters, ${fleet.length} series, ${scrapes} scrapes; wall ms, median of ${RUNS}`)
    console.log(`  ${engines.map(({ name }) => name.padStart(16)).join('')}`)
    const print = (title: string, ms: readonly number[]): void => {
      console.log(`  ${ms.map((one) => one.toFixed(1).padStart(16)).join('')}  ${title}`)
    }
    const totals = engines.map(() => 0)
    for (const expr of FLEET_RULES) {
      for (const [i, { engine }] of engines.entries()) {
        totals[i]! += await median((turn) => engine.instant({ expr, timeMs: endMs - turn * 1000 }))
      }
    }
    print(`all ${FLEET_RULES.length} rules`, totals)
    for (const { name, expression: expr, stepMs } of SIX_HOUR_QUERIES) {
      const ms: number[] = []
      for (const { engine } of engines) {
        ms.push(
          await median((turn) =>
            engine.range({ expr, startMs: endMs - 3_600_000 - turn, endMs: endMs - turn, stepMs }),
          ),
        )
      }
      print(`${name}, 1 h of it`, ms)
    }
    for (const one of engines) one.close()
  })
}

async function median(ask: (turn: number) => Promise<unknown>): Promise<number> {
  const all: number[] = []
  for (let turn = 0; turn < RUNS; turn++) {
    const startedMs = performance.now()
    await ask(turn)
    all.push(performance.now() - startedMs)
  }
  return all.sort((a, b) => a - b)[Math.floor(RUNS / 2)]!
}

async function send(target: PushdownTarget, fleet: readonly FleetSeries[], scrapes: number): Promise<void> {
  for (let first = 0; first < scrapes; first += 10) {
    const request = new ProtobufWriter()
    for (const { labelFields, valueAt } of fleet) {
      const series = request.open(1)
      request.raw(labelFields)
      for (let scrape = first; scrape < Math.min(scrapes, first + 10); scrape++) {
        const sample = request.open(2)
        writeSample(request, { timeMs: START_MS + scrape * SCRAPE_MS, value: valueAt(scrape) })
        request.close(sample)
      }
      request.close(series)
    }
    const response = await fetch(`${target.url}/api/v1/write`, {
      method: 'POST',
      body: new Uint8Array(encodeSnappy(request.finish())),
      headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
    })
    if (!response.ok) throw new Error(`the store refused samples: ${response.status} ${await response.text()}`)
  }
  await target.flush()
}
