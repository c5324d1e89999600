/** Prometheus' own tool as a judge: what it makes of rule files and of their templates. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface PromtoolAnswer {
  readonly isGood: boolean
  readonly output: string
}

/** Runs `promtool <args>` in a folder with these files. */
export function runPromtool(
  promtool: string,
  files: Readonly<Record<string, string>>,
  args: readonly string[],
): PromtoolAnswer {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-promtool-'))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
    const { status, stdout, stderr, error } = spawnSync(promtool, args, { cwd: dir, encoding: 'utf8', timeout: 60_000 })
    if (error !== undefined) throw error
    return { isGood: status === 0, output: stdout + stderr }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** A text as Go's `%q` printed it. */
export function unquoteGo(quoted: string): string {
  const json = quoted.replace(/\\(\\|x([\da-f]{2})|a|v|')/g, (whole, _, hex?: string) => {
    if (hex !== undefined) return `\\u00${hex}`
    const others: Readonly<Record<string, string>> = { '\\a': '\\u0007', '\\v': '\\u000b', "\\'": "'" }
    return others[whole] ?? whole
  })
  return JSON.parse(json) as string
}
