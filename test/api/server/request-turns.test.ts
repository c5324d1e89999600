import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inTurns } from '../../../src/api/server/request-turns.ts'

const RESPONSE = new ServerResponse(new IncomingMessage(new Socket()))

/** Requests that take 12.5 ms each, and what of them is handled. */
function listening() {
  const handled: number[] = []
  let nowMs = 0
  const listener = inTurns(
    (request) => {
      nowMs += 12.5
      handled.push(Number(request.url))
    },
    () => nowMs,
  )
  const requests: { url: string; destroyed: boolean }[] = []
  const receive = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const request = { url: String(requests.length), destroyed: false }
      requests.push(request)
      listener(request as unknown as IncomingMessage, RESPONSE)
    }
  }
  return { handled, receive, requests, pass: (ms: number) => (nowMs += ms) }
}

test('requests of one turn are handled for 25 ms, the rest in later turns and in order', async () => {
  const { handled, receive } = listening()
  receive(5)
  expect(handled).toEqual([0, 1])
  await nextTurn()
  expect(handled).toEqual([0, 1, 2, 3])
  receive(1)
  expect(handled).toHaveLength(4)
  await nextTurn()
  expect(handled).toEqual([0, 1, 2, 3, 4, 5])
})

test('the next turn has its own time, whether or not requests waited', async () => {
  const { handled, receive, pass } = listening()
  receive(1)
  await nextTurn()
  pass(1000)
  receive(2)
  expect(handled).toHaveLength(3)
  await nextTurn()
  await nextTurn()
  receive(2)
  expect(handled).toHaveLength(5)
})

test('a client that left while its request waited is not served', async () => {
  const { handled, receive, requests } = listening()
  receive(5)
  requests[3]!.destroyed = true
  await nextTurn()
  expect(handled).toEqual([0, 1, 2, 4])
})
