import { spawn } from 'node:child_process'
import { argumentsInMode } from '../support/mode.ts'
import { MAIN } from '../support/server.ts'

/** What a program printed, and how it ended. */
export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

type Environment = Readonly<Record<string, string>>

/** Runs a program to its end; `input` is its standard input. */
export function program(path: string, args: readonly string[], input = '', more: Environment = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(path, [...args], { env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC', ...more } })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (part: Buffer) => (stdout += part.toString()))
    child.stderr.on('data', (part: Buffer) => (stderr += part.toString()))
    child.once('close', (code) => {
      resolve({ code, stdout, stderr })
    })
    child.stdin.once('error', () => undefined) // It may end without reading.
    child.stdin.end(input)
  })
}

/** The built `daytwo`, in the mode of tests. */
export async function daytwo(...args: string[]): Promise<Ran> {
  return program(process.execPath, [MAIN, ...(await argumentsInMode(args))])
}

/** The built `daytwo` with something on its standard input. */
export function daytwoReading(input: string, ...args: string[]): Promise<Ran> {
  return program(process.execPath, [MAIN, ...args], input)
}

/** The built `daytwo` with more variables in its environment. */
export function daytwoIn(environment: Environment, ...args: string[]): Promise<Ran> {
  return program(process.execPath, [MAIN, ...args], '', environment)
}
