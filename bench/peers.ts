/**
 * Daytwo, VictoriaMetrics and Prometheus side by side: the same bodies to each in turn, over loopback, one at a time.
 * What counts is the server's processor time, so the sender's cost and the machine's other work stay out of it; ratios
 * are what may be compared from one day to the next. A run can be made in parts and kept in a file. bench/README.md has
 * the method and the last table.
 */
import { mkdirSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { contestants } from './peers/contestants.ts'
import { SCENARIOS, type ScenarioName } from './peers/figures.ts'
import { measureLive } from './peers/live.ts'
import { measureRules } from './peers/live-rules.ts'
import type { Course } from './peers/lives.ts'
import { measureHistory, measureSixHours } from './peers/past.ts'
import { renderProfiles } from './peers/profile.ts'
import { measureRestart } from './peers/restart.ts'
import { keep, openRun, readRun, saveRun, type ScenarioResult } from './peers/results.ts'
import { FULL, QUICK } from './peers/scale.ts'
import { measureSustained } from './peers/sustained.ts'
import { renderNotes, renderTable } from './peers/table.ts'
import { measureWild, measureWildOnOneCore } from './peers/wild.ts'
import { measureLarge, measureNew, measureSmall } from './peers/writes.ts'

export interface PeersOptions {
  /** A small fleet, one or two minutes a server, to see that all of it works. */
  readonly quick: boolean
  /** Another build of Daytwo's `main.js`, to compare two. */
  readonly program?: string
  /** Only servers whose name starts with one of these, such as `daytwo,prom`. */
  readonly only?: string
  /** Only these, by name, such as `large,small`. */
  readonly scenario?: string
  /** A JSON file that keeps the figures; what it has of other servers and scenarios stays. */
  readonly out?: string
  /** Measures nothing: prints the table of such a file. */
  readonly table?: string
  /** Where profiles of Daytwo's processor time go, a folder a scenario. They slow it down: figures are not kept. */
  readonly profile?: string
  /** How many clusters `live` has, in place of its scale's; such figures are not kept. */
  readonly clusters?: string
  /** `live` measures the pages Now and Fleet too, in a real Chromium. */
  readonly pages?: boolean
}

const MEASURE: Readonly<Record<ScenarioName, (course: Course) => Promise<ScenarioResult>>> = {
  large: measureLarge,
  small: measureSmall,
  new: measureNew,
  sustained: measureSustained,
  'six-hours': measureSixHours,
  rules: measureRules,
  history: measureHistory,
  restart: measureRestart,
  wild: measureWild,
  'wild-one-core': measureWildOnOneCore,
  live: measureLive,
}

export async function run(options: PeersOptions): Promise<void> {
  if (options.table !== undefined) {
    const kept = readRun(options.table)
    console.log(`${kept.machine}, ${kept.scale} scale`)
    print(kept)
    return
  }
  const named = options.quick ? QUICK : FULL
  const scale = options.clusters === undefined ? named : { ...named, liveClusters: Number(options.clusters) }
  const isKept = options.profile === undefined && options.clusters === undefined
  const kept = openRun(options.out, scale)
  console.log(`${kept.machine}, ${scale.name} scale`)
  const wanted = namesOf(options.only)
  const scenarios = scenariosNamed(namesOf(options.scenario))
  const peers = contestants(options.program)
  const unknown = wanted.find((name) => !peers.some((peer) => peer.name.toLowerCase().startsWith(name)))
  if (unknown !== undefined) {
    throw new Error(`got --only ${unknown}, want the beginning of one of ${peers.map(({ name }) => name).join(', ')}`)
  }
  for (const peer of peers) {
    if (wanted.length > 0 && !wanted.some((name) => peer.name.toLowerCase().startsWith(name))) continue
    for (const scenario of scenarios) {
      const course = { peer, scale, profileDir: profileDirOf(options.profile, scenario), pages: options.pages === true }
      keep(kept, { name: peer.name, version: peer.version }, scenario, await timed(course, scenario))
      if (options.out !== undefined && isKept) saveRun(kept, options.out)
      if (course.profileDir !== undefined && peer.name === 'Daytwo') {
        console.log(renderProfiles(course.profileDir).join('\n'))
      }
    }
  }
  print(kept)
}

async function timed(course: Course, scenario: ScenarioName): ReturnType<typeof measured> {
  const result = await measured(course, scenario)
  console.log(`${course.peer.name} ${course.peer.version}, ${scenario}: ${result.seconds} s`)
  return result
}

async function measured(
  course: Course,
  scenario: ScenarioName,
): Promise<ScenarioResult & { finishedAt: string; seconds: number; load: [number, number] }> {
  const startMs = performance.now()
  const loadBefore = loadNow()
  const result = await MEASURE[scenario](course)
  return {
    ...result,
    finishedAt: new Date().toISOString(),
    seconds: Math.round((performance.now() - startMs) / 1000),
    load: [loadBefore, loadNow()],
  }
}

function loadNow(): number {
  return Math.round(loadavg()[0]! * 10) / 10
}

function print(kept: Parameters<typeof renderTable>[0]): void {
  console.log(`\n${renderTable(kept)}`)
  for (const note of renderNotes(kept)) console.log(note)
}

function namesOf(list: string | undefined): string[] {
  return (list ?? '').split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim().toLowerCase()]))
}

function scenariosNamed(names: readonly string[]): readonly ScenarioName[] {
  const unknown = names.find((name) => !SCENARIOS.some((known) => known === name))
  if (unknown !== undefined) throw new Error(`got scenario ${unknown}, want one of ${SCENARIOS.join(', ')}`)
  return names.length === 0 ? SCENARIOS : SCENARIOS.filter((known) => names.includes(known))
}

function profileDirOf(dir: string | undefined, scenario: ScenarioName): string | undefined {
  if (dir === undefined) return undefined
  const own = join(dir, scenario)
  mkdirSync(own, { recursive: true })
  return own
}
