import { expect, test } from 'vitest'
import { asSentence, limitWords } from '../../../src/web/lib/failure-text.ts'

test.each([
  [
    'query processing would load too many samples into memory in query execution: limit is 50000000',
    'The query would read more samples than the limit of 50 million.',
  ],
  [
    'query processing would load too many samples into memory in query execution: limit is 2500',
    'The query would read more samples than the limit of 2\u202f500.',
  ],
  [
    'query would need 1234567890 bytes for intermediate results: limit is 1000000000',
    'The query would need 1.2 GB of memory for intermediate results; the limit is 1 GB.',
  ],
  [
    'query would need 1000000009 bytes for intermediate results: limit is 1000000000',
    'The query would need a little more than 1 GB of memory for intermediate results; the limit is 1 GB.',
  ],
  [
    'query timed out in expression evaluation: limit is 120000 ms',
    'The query timed out after 2 min, the longest time allowed.',
  ],
])('%s', (message, want) => {
  expect(asSentence(message)).toBe(want)
})

test('any other failure is told as it is', () => {
  expect(limitWords('1:4: parse error: unexpected end of input')).toBeUndefined()
  expect(asSentence('overloaded')).toBe('Overloaded.')
})
