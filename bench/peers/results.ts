/** What was measured, kept as JSON: a run can be made in parts, and its table printed without measuring again. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { ScenarioName } from './figures.ts'
import type { AnswerShape } from './asking.ts'
import type { Scale } from './scale.ts'

/** One scenario on one server. */
export interface ScenarioResult {
  /** By the part of a figure's id after the slash. */
  readonly figures: Readonly<Record<string, number>>
  /** What was answered, by the name of the question. */
  readonly answers?: Readonly<Record<string, AnswerShape>>
  /** What a reader of the figures must know, such as a question that was refused. */
  readonly notes?: readonly string[]
}

export interface KeptScenario extends ScenarioResult {
  readonly finishedAt: string
  readonly seconds: number
  /** Load of the machine over the last minute, when it began and when it ended: 2 processors, one server, one sender. */
  readonly load: readonly [number, number]
}

export interface KeptServer {
  readonly name: string
  readonly version: string
  scenarios: Partial<Record<ScenarioName, KeptScenario>>
}

export interface KeptRun {
  readonly machine: string
  readonly scale: Scale['name']
  readonly servers: KeptServer[]
}

export function newRun(scale: Scale): KeptRun {
  const [processor] = cpus()
  const machine = `${cpus().length} x ${processor?.model ?? 'unknown processor'}, Node ${process.versions.node}`
  return { machine, scale: scale.name, servers: [] }
}

/** The run that is kept in a file, to go on with; a new one when there is none. */
export function openRun(file: string | undefined, scale: Scale): KeptRun {
  if (file === undefined || !existsSync(file)) return newRun(scale)
  const run = readRun(file)
  if (run.scale !== scale.name) {
    throw new Error(`${file} keeps a ${run.scale} run, this is a ${scale.name} one: they do not go into one table`)
  }
  return run
}

export function readRun(file: string): KeptRun {
  return JSON.parse(readFileSync(file, 'utf8')) as KeptRun
}

/** Replaces what the run had of this scenario on this server. */
export function keep(
  run: KeptRun,
  server: { readonly name: string; readonly version: string },
  scenario: ScenarioName,
  kept: KeptScenario,
): void {
  const known = run.servers.find(({ name }) => name === server.name)
  if (known === undefined) run.servers.push({ ...server, scenarios: { [scenario]: kept } })
  else known.scenarios[scenario] = kept
}

export function saveRun(run: KeptRun, file: string): void {
  writeFileSync(file, `${JSON.stringify(run, undefined, 2)}\n`)
}
