import { readFileSync } from 'node:fs'

/** Daytwo's own version, as package.json says it: the same file beside `src` and beside `dist`. */
export const VERSION = readVersion()

function readVersion(): string {
  const parsed: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : 'unknown'
}
