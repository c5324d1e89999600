import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** `disk-shim.c` for programs that are started here: the environment that puts it between them and their files. */
export interface DiskShim {
  readonly environment: Readonly<Record<string, string>>
  /** Bytes of the trace: what is acknowledged now was written before this place in it. */
  position(): number
  /** How long each write and each fsync takes from now on, and how it fails; also in programs that run already. */
  set(disk: { readonly delayMicroseconds?: number; readonly error?: 'EROFS' | 'ENOSPC' }): void
}

const SOURCE = resolve(import.meta.dirname, 'disk-shim.c')
let compiled: string | undefined

function library(): string {
  if (compiled !== undefined) return compiled
  const path = join(mkdtempSync(join(tmpdir(), 'daytwo-shim-')), 'disk-shim.so')
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', path, SOURCE, '-lpthread'], { stdio: 'pipe' })
  return (compiled = path)
}

/**
 * @param dir the folder whose files are watched; it exists
 * @param besides a folder for the trace and the control, which is not below `dir`
 * @param isTraced without it fsync is real, and nothing is recorded
 */
export function diskShim(dir: string, besides: string, isTraced: boolean): DiskShim {
  const [trace, control] = [join(besides, 'trace'), join(besides, 'control')]
  writeFileSync(control, Buffer.alloc(4096))
  return {
    environment: {
      LD_PRELOAD: library(),
      DISK_DIR: dir,
      DISK_CONTROL: control,
      ...(isTraced ? { DISK_TRACE: trace } : {}),
    },
    position: () => (existsSync(trace) ? statSync(trace).size : 0),
    set: ({ delayMicroseconds = 0, error }) => {
      // Written in place: the pages are mapped.
      const file = openSync(control, 'r+')
      const bytes = Buffer.alloc(8)
      bytes.writeUInt32LE(delayMicroseconds)
      bytes.writeUInt32LE(error === undefined ? 0 : constants.errno[error], 4)
      writeSync(file, bytes, 0, bytes.length, 0)
      closeSync(file)
    },
  }
}
