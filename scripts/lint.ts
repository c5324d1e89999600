// Lints the tree in three processes, two at a time: the typed rules load every type of what they check, and those of the
// whole tree at once are more than Node's heap holds (CI once ended there). With --fix it writes what can be mended.
import { spawn } from 'node:child_process'

const fix = process.argv.includes('--fix')

/** Every file is in exactly one part; what is in neither of the first two is in the last. */
const PARTS: readonly (readonly string[])[] = [
  ['src/web', 'test/web'],
  ['test', '--ignore-pattern', 'test/web'],
  ['.', '--ignore-pattern', 'test', '--ignore-pattern', 'src/web'],
]

/** Twice what the largest part needs, so that the tree can grow. */
const HEAP_MIB = 6144

async function exitCode(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MIB}`, program, ...args], { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      resolve(code ?? 1)
    })
  })
}

const waiting = [...PARTS]
const exitCodes: number[] = []

async function lintWaiting(): Promise<void> {
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    exitCodes.push(await exitCode('node_modules/eslint/bin/eslint.js', [...part, ...(fix ? ['--fix'] : [])]))
  }
}

await Promise.all([lintWaiting(), lintWaiting()])
exitCodes.push(await exitCode('node_modules/prettier/bin/prettier.cjs', [fix ? '--write' : '--check', '.']))
process.exitCode = Math.max(...exitCodes)
