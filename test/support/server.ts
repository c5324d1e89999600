import { spawn, type ChildProcess } from 'node:child_process'
import { resolve } from 'node:path'
import { argumentsInMode } from './mode.ts'
import { until } from './until.ts'

/** The program as it ships: `npm test` builds it first. */
export const MAIN = resolve(import.meta.dirname, '../../dist/main.js')

/** A folder without rules, runbooks and dashboards. */
export const NO_CONTENT = resolve(import.meta.dirname, 'no-content')

/**
 * Options of a server that has none of the content that ships, for tests that are about something else. Reading it is two
 * thirds of what a start takes, and evaluating it most of what an idle server does.
 *
 * @param rules a folder of rules of the test's own
 */
export function withoutContent(rules = NO_CONTENT): readonly string[] {
  return ['--rules', rules, '--runbooks', NO_CONTENT, '--dashboards', NO_CONTENT]
}

/** A loaded machine with two cores is slow to start programs. */
const START_WITHIN_MS = 60_000

export interface RunningServer {
  readonly url: string
  readonly pid: number
  /** What it printed so far, both streams. */
  output(): string
  /** The shape of Prometheus' answer to an instant query at a time; `result` as the API gives it. */
  query(expr: string, timeMs?: number): Promise<readonly InstantSample[]>
  /** SIGKILL: it gets no chance to do anything. */
  kill(): Promise<void>
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>
}

export interface InstantSample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [number, string]
}

/** However this process ends, they end with it. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts `daytwo COMMAND ...` in a process of its own, in the mode of tests, and waits for its address. Give it `--listen 127.0.0.1:0`. */
export async function startServer(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  startWithinMs = START_WITHIN_MS,
): Promise<RunningServer> {
  const child = spawn(process.execPath, [MAIN, ...(await argumentsInMode(args))], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC', ...environment },
  })
  let output = ''
  child.stdout.on('data', (part: Buffer) => (output += part.toString()))
  child.stderr.on('data', (part: Buffer) => (output += part.toString()))
  running.add(child)
  const ended = endOf(child)
  void ended.then(() => running.delete(child))
  const exit: { code?: number | null } = {}
  void ended.then((code) => (exit.code = code))
  const say = 'the server to say where it listens'
  const look = (): string | undefined => {
    if (exit.code !== undefined) throw new Error(`the server ended with code ${String(exit.code)}:\n${output}`)
    const said = /"url":"(http:\/\/[^"]+)"|listens on (http:\/\/\S+)/.exec(output)
    return said?.[1] ?? said?.[2]
  }
  const url = await until(say, look, startWithinMs).catch((cause: unknown) => {
    child.kill('SIGKILL')
    throw new Error(`the server did not start:\n${output}`, { cause })
  })
  return {
    url,
    pid: child.pid ?? 0,
    output: () => output,
    query: (expr, timeMs) => instantQuery(url, expr, timeMs),
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    stop: async () => {
      if (exit.code === undefined) child.kill('SIGTERM')
      return ended
    },
  }
}

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((settle) => {
    child.once('exit', settle)
  })
}

export async function instantQuery(url: string, expr: string, timeMs?: number): Promise<readonly InstantSample[]> {
  const form = new URLSearchParams({ query: expr, ...(timeMs === undefined ? {} : { time: String(timeMs / 1000) }) })
  const response = await fetch(`${url}/api/v1/query`, { method: 'POST', body: form })
  const answer = (await response.json()) as { status: string; error?: string; data: { result: InstantSample[] } }
  if (answer.status !== 'success') throw new Error(`query ${expr}: ${answer.error ?? 'no reason given'}`)
  return answer.data.result
}

export interface ActiveAlert {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly state: string
  readonly activeAt: string
  readonly value: string
}

export async function activeAlerts(url: string): Promise<readonly ActiveAlert[]> {
  const response = await fetch(`${url}/api/v1/alerts`)
  return ((await response.json()) as { data: { alerts: ActiveAlert[] } }).data.alerts
}
