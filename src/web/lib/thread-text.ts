import type { Now } from '../../contract/now.ts'
import { formatAge, msOf } from './format-time.ts'

/** Texts about a worker thread that does not serve, or fails again and again. Pure. */

export type ThreadFaultItem = NonNullable<Now['faults']>['threads'][number]

/** What it means that nothing can be written. */
export const NOT_STORED =
  'Data from clusters is refused, and most senders retry; actions (silences, acknowledgements) are not stored.'

export function threadTitle({ thread, state }: Pick<ThreadFaultItem, 'thread' | 'state'>): string {
  const name = `The ${thread.replace('-', ' ')} of this server`
  switch (state) {
    case 'hung':
      return `${name} does not answer.`
    case 'restarting':
      return `${name} is restarting.`
    case 'crash_loop':
      return `${name} keeps failing.`
  }
}

/** What does not work meanwhile, why, and what to do. */
export function threadSentence(fault: ThreadFaultItem, nowMs: number): string {
  const { thread, state, serving, since, failures, cause, nextStart } = fault
  const forAge = `for ${formatAge(Math.max(0, nowMs - msOf(since)))}`
  if (serving) {
    return `It failed ${failures} times in a row (last cause: ${cause}) and has been running ${forAge}. The server log has the details.`
  }
  const impact =
    thread === 'ingest-worker'
      ? NOT_STORED
      : 'Rules are not evaluated, and most pages do not load; data from clusters is stored.'
  if (state === 'hung') {
    return `${impact} The server restarts it. If this takes some minutes, check that the disk of the data folder responds.`
  }
  if (state === 'restarting') return `${impact} No action is needed. Cause: ${cause}.`
  const next = nextStart === null ? 'now' : `in ${formatAge(Math.max(0, msOf(nextStart) - nowMs))}`
  return `${impact} It failed ${failures} times in a row (last cause: ${cause}) and starts again ${next}. The server log has the details.`
}
