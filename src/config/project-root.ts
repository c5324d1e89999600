import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json, the content folders and the built pages: the parent of `src`, or of `dist` after a build. */
export const PROJECT_ROOT = findRoot(dirname(fileURLToPath(import.meta.url)))

function findRoot(folder: string): string {
  const parent = dirname(folder)
  return parent === folder || existsSync(join(folder, 'package.json')) ? folder : findRoot(parent)
}
