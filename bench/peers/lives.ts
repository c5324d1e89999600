/** A server's life: a directory of its own, begun, ended and cleared away, however the measurement ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scale } from './scale.ts'
import { startServer, type Peer, type RunningServer } from './server.ts'

/** What a scenario is given. */
export interface Course {
  readonly peer: Peer
  readonly scale: Scale
  /** When Daytwo is to leave a profile of its processor time, and where. */
  readonly profileDir: string | undefined
  /** Measure pages in a browser too, where the scenario has some. */
  readonly pages: boolean
}

export async function inDirectory<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-bench-'))
  const remove = (): void => {
    rmSync(dir, { recursive: true, force: true })
  }
  process.once('exit', remove)
  try {
    return await work(dir)
  } finally {
    process.removeListener('exit', remove)
    remove()
  }
}

/** One life in a directory that may have had others. */
export async function live<T>(
  { peer, profileDir }: Course,
  dir: string,
  work: (server: RunningServer) => Promise<T>,
): Promise<T> {
  const server = await startServer(peer, dir, profileDir)
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

/** One life in an empty directory. */
export function inOneLife<T>(course: Course, work: (server: RunningServer) => Promise<T>): Promise<T> {
  return inDirectory((dir) => live(course, dir, work))
}

/** The newest whole minute: samples of writes are of now, as they are from a fleet. */
export function nowMs(): number {
  return Math.floor(Date.now() / 60_000) * 60_000
}

/** Long enough ago that all of it may leave the memory of each server, on a whole step of every query. */
export function pastMs(): number {
  return Math.floor(Date.now() / 3_600_000) * 3_600_000 - 4 * 3_600_000
}
