/**
 * Reloads rules, runbooks, dashboards and the notification configuration while the server runs. All files are read and
 * checked before any of them is applied, so an invalid file changes nothing.
 */
import type { Clock } from '../base/clock.ts'
import { FleetError, messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import { createSerialQueue } from '../base/serial-queue.ts'

/** Content of files that can be reloaded. */
export interface Reloadable {
  /** For the log: `content`, `notifications`. */
  readonly name: string
  /** Folders and files whose change triggers a reload. */
  readonly places: readonly string[]
  /**
   * Reads and checks the files without an effect, and returns the function that applies them. Throws FleetError
   * `content_invalid` or `config_invalid`, whose message has the carets.
   */
  read(): Apply | Promise<Apply>
}

type Apply = () => Promise<void> | void

/** The trigger: an HTTP request, SIGHUP, or a changed file. */
export type ReloadCause = 'request' | 'signal' | 'files'

interface ReloadStatus {
  readonly isSuccessful: boolean
  /** When the content in use was read; initially the start. */
  readonly lastSuccessMs: number
  readonly lastAttemptMs?: number
  readonly cause?: ReloadCause
  /** Why the last attempt was refused. */
  readonly error?: string
}

export interface Reloader {
  /** One at a time. Rejects with the fault; the content in use then stays. */
  reload(cause: ReloadCause): Promise<void>
  status(): ReloadStatus
  /** The places of all reloadables, without duplicates. */
  readonly places: readonly string[]
}

interface ReloaderParts {
  readonly reloadables: readonly Reloadable[]
  readonly clock: Clock
  readonly metrics: OwnMetrics
  readonly log: Log
}

export function createReloader({ reloadables, clock, metrics, log }: ReloaderParts): Reloader {
  let status: ReloadStatus = { isSuccessful: true, lastSuccessMs: clock.nowMs() }
  const show = (): void => {
    metrics.reloadSuccessful.set(status.isSuccessful ? 1 : 0)
    metrics.reloadSuccessSeconds.set(status.lastSuccessMs / 1000)
  }
  show()

  const run = async (cause: ReloadCause): Promise<void> => {
    const lastAttemptMs = clock.nowMs()
    try {
      const steps = await readAll(reloadables)
      for (const apply of steps) await apply()
      status = { isSuccessful: true, lastSuccessMs: lastAttemptMs, lastAttemptMs, cause }
      log.info({ cause, reloaded: reloadables.map(({ name }) => name) }, 'content was reloaded')
    } catch (thrown) {
      const error = messageOf(thrown)
      status = { isSuccessful: false, lastSuccessMs: status.lastSuccessMs, lastAttemptMs, cause, error }
      log.error({ cause, error }, 'content was not reloaded; the previous content stays in use')
      throw thrown
    } finally {
      metrics.reloads.inc({ cause, outcome: status.isSuccessful ? 'ok' : 'failed' })
      show()
    }
  }

  const inOrder = createSerialQueue()
  return {
    reload: (cause) => inOrder(() => run(cause)),
    status: () => status,
    places: [...new Set(reloadables.flatMap(({ places }) => places))],
  }
}

/** Reports the faults of all reloadables together, not only the first. */
async function readAll(reloadables: readonly Reloadable[]): Promise<Apply[]> {
  const read = await Promise.allSettled(reloadables.map(async (one) => one.read()))
  const failures = read.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  const [first] = failures
  if (failures.length === 1 || (first !== undefined && !(first instanceof FleetError))) throw first
  if (first instanceof FleetError) throw new FleetError(first.code, failures.map(messageOf).join('\n\n'))
  return read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}
