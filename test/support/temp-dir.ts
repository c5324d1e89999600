import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of its own; call `remove` when the test is done with it. */
export function tempDir(name: string): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `daytwo-${name}-`))
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true })
    },
  }
}
