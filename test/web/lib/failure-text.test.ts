import { expect, test } from 'vitest'
import { asSentence, limitWords } from '../../../src/web/lib/failure-text.ts'

test.each([
  [
    'query processing would load too many samples into memory in query execution: limit is 50000000',
    'This query would read more than 50 million samples, and none may read more.',
  ],
  [
    'query processing would load too many samples into memory in query execution: limit is 2500',
    'This query would read more than 2\u202f500 samples, and none may read more.',
  ],
  [
    'query would need 1234567890 bytes for intermediate results: limit is 1000000000',
    'This query would need 1.2 GB of memory for what it works out on its way, and none may have more than 1 GB.',
  ],
  [
    'query would need 1000000009 bytes for intermediate results: limit is 1000000000',
    'This query would need a little more than 1 GB of memory for what it works out on its way, and none may have more than 1 GB.',
  ],
  [
    'query timed out in expression evaluation: limit is 120000 ms',
    'This query was given up after 2 min: none may take longer.',
  ],
])('%s', (message, want) => {
  expect(asSentence(message)).toBe(want)
})

test('any other failure is told as it is', () => {
  expect(limitWords('1:4: parse error: unexpected end of input')).toBeUndefined()
  expect(asSentence('overloaded')).toBe('Overloaded.')
})
