import { expect, test } from 'vitest'
import { Value } from 'typebox/value'
import { DebugForward } from '../../../src/contract/debug-forward.ts'
import { makeServer, NOW_MS } from '../test-server.ts'

test('without a metrics store, the answer has a time and the processes', async () => {
  const { app } = await makeServer()
  const answer = await app.inject('/debug/forward')
  expect(answer.statusCode).toBe(200)
  expect([...Value.Errors(DebugForward, answer.json())]).toEqual([])
  expect(answer.json()).toEqual({ asOfMs: NOW_MS, processes: [], unheardMs: 0 })
  await app.close()
})
