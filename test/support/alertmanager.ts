import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** A real Alertmanager that tells nobody, for as long as the test runs; its address. It chooses the port itself. */
export async function startAlertmanager(program: string, config: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-am-'))
  const file = join(dir, 'config.yaml')
  writeFileSync(file, config)
  const options = [
    `--config.file=${file}`,
    `--storage.path=${join(dir, 'data')}`,
    '--web.listen-address=127.0.0.1:0',
    '--cluster.listen-address=',
  ]
  const child = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(async () => {
    if (child.exitCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    rmSync(dir, { recursive: true, force: true })
  })
  const lines: string[] = []
  const output = createInterface({ input: child.stderr })
  return new Promise((resolve, reject) => {
    output.on('line', (line) => {
      lines.push(line)
      const address = /address=(127\.0\.0\.1:\d+)/.exec(line)?.[1]
      if (address !== undefined) resolve(`http://${address}`)
    })
    output.on('close', () => {
      reject(new Error(`Alertmanager ended before it listened:\n${lines.join('\n')}`))
    })
  })
}
