import type { Now } from '../../contract/now.ts'
import { formatAge, msOf } from './format-time.ts'

/** Texts about a worker thread that does not serve, or fails again and again. Pure. */

export type ThreadFaultItem = NonNullable<Now['faults']>['threads'][number]

export function threadTitle({ thread, state }: Pick<ThreadFaultItem, 'thread' | 'state'>): string {
  const name = `The ${thread.replace('-', ' ')} of this server`
  switch (state) {
    case 'hung':
      return `${name} does not answer.`
    case 'restarting':
      return `${name} is being started again.`
    case 'crash_loop':
      return `${name} fails again and again.`
  }
}

/** What does not work meanwhile, why, and what to do. */
export function threadSentence(fault: ThreadFaultItem, nowMs: number): string {
  const { thread, state, serving, since, failures, cause, nextStart } = fault
  const forAge = `for ${formatAge(Math.max(0, nowMs - msOf(since)))}`
  if (serving) {
    return `It failed ${failures} times in a row (the last time: ${cause}) and has been running again ${forAge}. Look in the log of the server for why.`
  }
  const impact =
    thread === 'ingest-worker'
      ? 'What clusters send is refused, and most of them repeat it; what is done here is not kept.'
      : 'Rules are not evaluated, and most pages wait; what clusters send is kept.'
  if (state === 'hung') {
    return `${impact} It is started again by itself. After some minutes of this, look whether the disk of the data folder answers.`
  }
  if (state === 'restarting') return `${impact} It goes on by itself. The reason: ${cause}.`
  const next = nextStart === null ? 'now' : `in ${formatAge(Math.max(0, msOf(nextStart) - nowMs))}`
  return `${impact} It failed ${failures} times in a row (the last time: ${cause}) and is started again ${next}. Look in the log of the server for why.`
}
