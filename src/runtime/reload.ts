/**
 * Reading again, while the server runs, what was read at its start: rules, runbooks, dashboards, the notification
 * configuration. Everything is read and checked before anything is taken into use, so that a bad file changes nothing.
 */
import type { Clock } from '../base/clock.ts'
import { FleetError, messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'

/** Something that stands in files and can be read again. */
export interface Reloadable {
  /** What it is, for the log: `content`, `notifications`. */
  readonly name: string
  /** Folders and files whose change asks for a reload. */
  readonly places: readonly string[]
  /**
   * Reads and checks, and changes nothing; throws FleetError `content_invalid` or `config_invalid`, whose message has
   * the carets. Answers what takes into use what was read.
   */
  read(): TakeIntoUse | Promise<TakeIntoUse>
}

export type TakeIntoUse = () => Promise<void> | void

/** Who asked: a person by HTTP, SIGHUP, or a file that changed. */
export type ReloadCause = 'request' | 'signal' | 'files'

export interface ReloadStatus {
  readonly isSuccessful: boolean
  /** When what is in use was read; at first, the start. */
  readonly lastSuccessMs: number
  readonly lastAttemptMs?: number
  readonly cause?: ReloadCause
  /** Why the last attempt was refused. */
  readonly error?: string
}

export interface Reloader {
  /** One after the other. Rejects with what was wrong; what was in use stays in use then. */
  reload(cause: ReloadCause): Promise<void>
  status(): ReloadStatus
  /** Of all that can be read again, each once. */
  readonly places: readonly string[]
}

export interface ReloaderParts {
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
      for (const takeIntoUse of steps) await takeIntoUse()
      status = { isSuccessful: true, lastSuccessMs: lastAttemptMs, lastAttemptMs, cause }
      log.info({ cause, reloaded: reloadables.map(({ name }) => name) }, 'content was read again')
    } catch (thrown) {
      const error = messageOf(thrown)
      status = { isSuccessful: false, lastSuccessMs: status.lastSuccessMs, lastAttemptMs, cause, error }
      log.error({ cause, error }, 'content was not read again; what was in use stays')
      throw thrown
    } finally {
      metrics.reloads.inc({ cause, outcome: status.isSuccessful ? 'ok' : 'failed' })
      show()
    }
  }

  let last: Promise<void> = Promise.resolve()
  return {
    reload: (cause) => {
      const result = last.then(() => run(cause))
      last = result.catch(() => undefined)
      return result
    },
    status: () => status,
    places: [...new Set(reloadables.flatMap(({ places }) => places))],
  }
}

/** All that is wrong is told at once, not only what came first. */
async function readAll(reloadables: readonly Reloadable[]): Promise<TakeIntoUse[]> {
  const read = await Promise.allSettled(reloadables.map(async (one) => one.read()))
  const failures = read.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  const [first] = failures
  if (failures.length === 1 || (first !== undefined && !(first instanceof FleetError))) throw first
  if (first instanceof FleetError) throw new FleetError(first.code, failures.map(messageOf).join('\n\n'))
  return read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}
