/**
 * The paths that match a pattern, like Go's filepath.Glob: `*`, `?` and `[...]` inside one part of the path. `undefined` for
 * an invalid pattern.
 */
import { readdirSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'

export function glob(pattern: string): string[] | undefined {
  const parts = pattern.split('/')
  let found = [isAbsolute(pattern) ? '/' : '']
  for (const part of parts) {
    if (part === '') continue
    if (!/[*?[\\]/.test(part)) {
      found = found.map((folder) => join(folder, part)).filter((path) => exists(path))
      continue
    }
    const regex = regexOf(part)
    if (regex === undefined) return undefined
    found = found.flatMap((folder) =>
      namesIn(folder === '' ? '.' : folder)
        .filter((name) => regex.test(name))
        .map((name) => join(folder, name)),
    )
  }
  return found
}

function regexOf(part: string): RegExp | undefined {
  const source = part.replace(
    /\[(\^?)([^\]]+)\]|[*?]|\\(.)|[.+^${}()|[\]\\]/g,
    (whole, not?: string, set?: string, char?: string) => {
      if (set !== undefined) return `[${not ?? ''}${set.replace(/[\\[]/g, '\\$&')}]`
      if (whole === '*') return '.*'
      if (whole === '?') return '.'
      return (char ?? whole).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    },
  )
  // An unclosed bracket, or a backslash at the end.
  if (/(^|[^\\])\[[^\]]*$/.test(part) || /(^|[^\\])\\$/.test(part)) return undefined
  try {
    return new RegExp(`^${source}$`, 's')
  } catch {
    return undefined
  }
}

/** Names of a folder, sorted; none when it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
