import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { createFastPathServer } from '../../../src/api/server/fast-path.ts'

test.each([
  ['sends its headers one after the other', 'GET / HTTP/1.1\r\nhost: a\r\nx-a: 1\r\n'],
  ['sends nothing', ''],
])('a connection that %s is closed after the time limit for headers', async (_, sent) => {
  const limits = { keepAliveMs: 60_000, headersArriveMs: 60, requestArrivesMs: 60_000 }
  const server = createFastPathServer(
    (_request, response) => response.end(),
    () => false,
    limits,
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const answer: Buffer[] = []
  socket.on('data', (data: Buffer) => answer.push(data))
  await once(socket, 'connect')
  if (sent !== '') socket.write(sent)
  await once(socket, 'close')
  expect(Buffer.concat(answer).toString()).toMatch(/^HTTP\/1\.1 408 /)
  server.close()
})
