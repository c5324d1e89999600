/** Template files by Go's patterns: `*`, `?` and `[a-z]` in any part of a path, never across a slash. */
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** In the order of their names. Throws when one cannot be read. */
export function readTemplateFiles(pattern: string): readonly { readonly path: string; readonly text: string }[] {
  return glob(pattern).map((path) => ({ path, text: readFileSync(path, 'utf8') }))
}

function glob(pattern: string): readonly string[] {
  const parts = pattern.split('/').filter((part) => part !== '' && part !== '.')
  let paths: readonly string[] = [pattern.startsWith('/') ? '/' : '.']
  for (const [i, part] of parts.entries()) {
    const isLast = i === parts.length - 1
    paths = paths.flatMap((path) => namesIn(path, part)).filter((path) => isThere(path, isLast))
  }
  return paths
}

function namesIn(folder: string, part: string): readonly string[] {
  if (!/[*?[]/.test(part)) return [join(folder, part)]
  const test = new RegExp(`^${part.replace(/\[[^\]]*\]|[*?]|[\\^$.|+(){}\]]/g, translate)}$`, 'su')
  try {
    return readdirSync(folder)
      .filter((name) => test.test(name))
      .sort()
      .map((name) => join(folder, name))
  } catch {
    return [] // a folder that is not there has no files
  }
}

function translate(part: string): string {
  if (part === '*') return '[^/]*'
  if (part === '?') return '[^/]'
  return part.startsWith('[') ? part.replace(/\\/g, '\\\\') : `\\${part}`
}

function isThere(path: string, isFile: boolean): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && (isFile ? found.isFile() : found.isDirectory())
}
