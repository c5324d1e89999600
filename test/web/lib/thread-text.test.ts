import { expect, test } from 'vitest'
import { threadSentence, threadTitle, type ThreadFaultItem } from '../../../src/web/lib/thread-text.ts'

const NOW_MS = Date.UTC(2026, 10, 27, 12)
const FAULT: ThreadFaultItem = {
  thread: 'query-worker',
  state: 'hung',
  serving: false,
  since: new Date(NOW_MS - 40_000).toISOString(),
  failures: 0,
  cause: 'it does not answer',
  nextStart: null,
}

test.each<[Partial<ThreadFaultItem>, string, string]>([
  [
    {},
    'The query worker of this server does not answer.',
    'Rules are not evaluated, and most pages wait; what clusters send is kept. It is started again by itself. After some minutes of this, look whether the disk of the data folder answers.',
  ],
  [
    { thread: 'ingest-worker', state: 'restarting', cause: 'out of memory' },
    'The ingest worker of this server is being started again.',
    'What clusters send is refused, and most of them repeat it; what is done here is not kept. It goes on by itself. The reason: out of memory.',
  ],
  [
    { state: 'crash_loop', failures: 4, nextStart: new Date(NOW_MS + 8000).toISOString() },
    'The query worker of this server fails again and again.',
    'Rules are not evaluated, and most pages wait; what clusters send is kept. It failed 4 times in a row (the last time: it does not answer) and is started again in 8 s. Look in the log of the server for why.',
  ],
  [
    { state: 'crash_loop', failures: 4, serving: true },
    'The query worker of this server fails again and again.',
    'It failed 4 times in a row (the last time: it does not answer) and has been running again for 40 s. Look in the log of the server for why.',
  ],
])('%j', (change, title, sentence) => {
  const fault = { ...FAULT, ...change }
  expect(threadTitle(fault)).toBe(title)
  expect(threadSentence(fault, NOW_MS)).toBe(sentence)
})
