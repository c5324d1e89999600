import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Skippable } from './peers.ts'
import { tempDir } from './temp-dir.ts'

/** A real disk of some megabytes, in memory: it can be filled to the last byte, and mounted read-only. */
export interface SmallDisk {
  readonly path: string
  /** Until nothing more fits. */
  fill(): void
  /** Undoes `fill`. */
  free(): void
  setReadOnly(isReadOnly: boolean): void
  remove(): void
}

/** Skips the running test where this process may not mount; in CI that is a failure. */
export function mountDisk(context: Skippable, megabytes: number): SmallDisk {
  const dir = tempDir('disk')
  const { path } = dir
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'pipe' })
  } catch (thrown) {
    dir.remove()
    if (process.env['CI'] === 'true') throw thrown
    return context.skip('mounting a tmpfs needs root (CAP_SYS_ADMIN)')
  }
  const filler = join(path, 'filler')
  return {
    path,
    fill: () => {
      const file = openSync(filler, 'a')
      // The last pages one by one.
      for (const bytes of [Buffer.alloc(256 * 1024), Buffer.alloc(4096)]) {
        try {
          while (writeSync(file, bytes) > 0);
        } catch (thrown) {
          if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOSPC')) throw thrown
        }
      }
      closeSync(file)
    },
    free: () => {
      rmSync(filler)
    },
    setReadOnly: (isReadOnly) => {
      execFileSync('mount', ['-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, path])
    },
    remove: () => {
      execFileSync('umount', ['--lazy', path])
      dir.remove()
    },
  }
}
