import { expect, test } from 'vitest'
import { AnswerWriter, answerBytes, type AnswerBytes } from '../../../src/api/server/answer-bytes.ts'

const textOf = (answer: AnswerBytes): string => Buffer.concat(answer).toString()

test('an answer is its pieces, in parts of some size, each with memory of its own', async () => {
  const pieces = Array.from({ length: 1000 }, (_, i) => `${i}:${'ü'.repeat(200)};`)
  const answer = await answerBytes(pieces, 1_000_000)
  expect(textOf(answer)).toBe(pieces.join(''))
  expect(answer.length).toBeGreaterThan(2)
  for (const part of answer) expect(part.length).toBe(part.buffer.byteLength)
  expect(textOf(await answerBytes([], 0))).toBe('')
})

test('one byte more than the limit is refused with the limit and what to narrow', async () => {
  expect(textOf(await answerBytes(['é', 'a'], 3))).toBe('éa')
  await expect(answerBytes(['é', 'ab'], 3)).rejects.toMatchObject({
    code: 'query_limit',
    message: expect.stringMatching(
      /more than 3 bytes, the value of query\.response-bytes-max: request fewer/,
    ) as string,
  })
})

test('rendering ends soon after the limit: what would be too long is not made', async () => {
  let made = 0
  const endless = (function* () {
    for (; made < 1e6; made++) yield 'x'.repeat(1000)
  })()
  await expect(answerBytes(endless, 1_000_000)).rejects.toMatchObject({ code: 'query_limit' })
  expect(made).toBeLessThan(1200)
})

test('a writer may be added to in turns', async () => {
  const writer = new AnswerWriter(100)
  writer.add('[')
  await writer.addAll(['1', ',2'])
  writer.add(']')
  expect(textOf(writer.take())).toBe('[1,2]')
})
