import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Other people's programs that tests compare us with or send data through: `prometheus`, `promtool`, `amtool`, ...
 * On a person's machine a missing one skips the test and says why; in CI (`CI=true`) it is a failure, so that a
 * comparison cannot disappear unnoticed.
 *
 *     test('promtool agrees', (context) => {
 *       const promtool = requirePeer('promtool', context)
 *
 *     describe.skipIf(findPeer('prometheus') === undefined)('with a real prometheus', ...)
 */

/** The part of vitest's test context that is needed here. */
export interface Skippable {
  skip(note?: string): never
}

/** The program's path; skips the running test when it is not installed. */
export function requirePeer(name: string, context: Skippable): string {
  return findPeer(name) ?? context.skip(missing(name))
}

/** The program's path, or `undefined` when it is not installed; throws in CI. */
export function findPeer(name: string): string | undefined {
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isProgram)
  if (path === undefined && process.env['CI'] === 'true') throw new Error(`${missing(name)}, and CI must have it`)
  return path
}

function missing(name: string): string {
  return `${name} is not installed (looked through PATH)`
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
