import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { reservePort } from '../../src/runtime/reserve-port.ts'
import { endProcess } from './prometheus.ts'
import { until } from './until.ts'

/** A real vmagent on loopback, which scrapes and sends on as `startPrometheus` does. Find it with `requirePeer('vmagent', context)`. */
export interface RunningAgent {
  readonly url: string
  log(): string
  stop(): Promise<void>
}

export async function startVmagent(options: {
  readonly path: string
  readonly targets: readonly string[]
  readonly remoteWriteUrl: string
  readonly externalLabels: Readonly<Record<string, string>>
}): Promise<RunningAgent> {
  const folder = mkdtempSync(join(tmpdir(), 'daytwo-vmagent-'))
  const { path, targets, remoteWriteUrl, externalLabels } = options
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', external_labels: externalLabels },
    scrape_configs: [{ job_name: 'kubevirt-hyperconverged-operator-metrics', static_configs: [{ targets }] }],
  }
  writeFileSync(join(folder, 'scrape.yml'), stringify(config))
  const url = `http://127.0.0.1:${await reservePort('127.0.0.1')}`
  const child = spawn(
    path,
    [
      `-promscrape.config=${join(folder, 'scrape.yml')}`,
      `-remoteWrite.url=${remoteWriteUrl}`,
      `-remoteWrite.tmpDataPath=${join(folder, 'queue')}`,
      '-remoteWrite.flushInterval=200ms',
      `-httpListenAddr=${new URL(url).host}`,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let log = ''
  child.stdout.on('data', (part: Buffer) => (log += part.toString()))
  child.stderr.on('data', (part: Buffer) => (log += part.toString()))
  const stop = async (): Promise<void> => {
    await endProcess(child)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await until('vmagent to be ready', async () => {
      if (child.exitCode !== null) throw new Error(`vmagent ended with code ${child.exitCode}:\n${log}`)
      return (await fetch(`${url}/health`).catch(() => undefined))?.ok === true ? true : undefined
    })
  } catch (thrown) {
    await stop()
    throw thrown
  }
  return { url, log: () => log, stop }
}
