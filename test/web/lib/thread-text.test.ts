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
    'Rules are not evaluated, and most pages do not load; data from clusters is stored. The server restarts it. If this takes some minutes, check that the disk of the data folder responds.',
  ],
  [
    { thread: 'ingest-worker', state: 'restarting', cause: 'out of memory' },
    'The ingest worker of this server is restarting.',
    'Data from clusters is refused, and most senders retry; actions (silences, acknowledgements) are not stored. No action is needed. Cause: out of memory.',
  ],
  [
    { state: 'crash_loop', failures: 4, nextStart: new Date(NOW_MS + 8000).toISOString() },
    'The query worker of this server keeps failing.',
    'Rules are not evaluated, and most pages do not load; data from clusters is stored. It failed 4 times in a row (last cause: it does not answer) and starts again in 8 s. The server log has the details.',
  ],
  [
    { state: 'crash_loop', failures: 4, serving: true },
    'The query worker of this server keeps failing.',
    'It failed 4 times in a row (last cause: it does not answer) and has been running for 40 s. The server log has the details.',
  ],
])('%j', (change, title, sentence) => {
  const fault = { ...FAULT, ...change }
  expect(threadTitle(fault)).toBe(title)
  expect(threadSentence(fault, NOW_MS)).toBe(sentence)
})
