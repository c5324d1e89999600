/** Servers on copies of data, whose answers are compared. They receive nothing, evaluate and notify nothing, and remove nothing for its age. */
import { startApp } from '../app.ts'
import { systemClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { OPTIONS, readConfig } from '../config/config.ts'
import { VERSION } from '../config/version.ts'
import { restoreBackup, writeBackup } from '../store/backup.ts'
import { withFacts } from './data-folder.ts'

export interface ServedCopy {
  readonly url: string
  /** Facts from all that it has: a server that was stopped, or copied, may have received more than it had derived. */
  derive(): Promise<void>
  stop(): Promise<void>
}

/** A data directory cannot be opened while a server uses it, and shall not be changed. Returns `file`. */
export async function copyOf(dir: string, file: string): Promise<string> {
  const mark = { atMs: systemClock.nowMs(), version: VERSION }
  await writeBackup({ dir, file, mark, bytesPerSecondMax: Infinity, onProgress: () => undefined })
  return file
}

/** Restores a backup into `data`, and serves it without tokens. */
export async function serveCopy(
  file: string,
  data: string,
  options: ReadonlyMap<string, string> = new Map(),
): Promise<ServedCopy> {
  await restoreBackup({ file, dir: data, replaces: false })
  const removed = { atMs: systemClock.nowMs(), by: 'daytwo', action: 'token.remove', detail: '{}' } as const
  await withFacts(data, async ({ tokens }) => {
    for (const { id } of await tokens.list()) await tokens.remove(id, { ...removed, subject: String(id) })
  })
  return serveData(data, options)
}

export async function serveData(data: string, options: ReadonlyMap<string, string>): Promise<ServedCopy> {
  const retained = Object.keys(OPTIONS).filter((key) => key.startsWith('retention.'))
  const config = readConfig(
    new Map([
      ['listen', '127.0.0.1:0'],
      ['data', data],
      ['own-metrics', 'false'],
      ['content.watch', 'false'],
      ...retained.map((key) => [key, '100y'] as const),
      ...options,
    ]),
    undefined,
    {},
  )
  const app = await startApp({ config, clock: systemClock, log: silentLog, isDemo: false })
  const derive = async (): Promise<void> => {
    await app.share()
    while ((await app.deriveFacts()).waiting > 0) continue
  }
  return { url: app.url, derive, stop: () => app.stop() }
}
