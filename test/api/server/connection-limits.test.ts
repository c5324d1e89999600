import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { until } from '../../support/until.ts'
import { makeServer } from '../test-server.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function listening(connectionsMax: number, addressConnectionsMax: number) {
  const { app, deps } = await makeServer({ settings: { connectionsMax, addressConnectionsMax } })
  closers.push(() => app.close())
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  const open = async (localAddress = '127.0.0.1'): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    closers.push(() => socket.destroy())
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  const valueOf = async (metric: 'connections' | 'connectionsRefused') => (await deps.metrics[metric].get()).values
  const untilOpen = (count: number) =>
    until(`${count} connections`, async () => ((await valueOf('connections'))[0]?.value === count ? true : undefined))
  return { open, untilOpen, refused: () => valueOf('connectionsRefused') }
}

async function isServed(socket: Socket): Promise<boolean> {
  let answer = ''
  socket.on('data', (data: Buffer) => (answer += data.toString()))
  socket.write('GET /-/healthy HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
  await until('an answer', () => (answer !== '' || socket.destroyed ? true : undefined))
  return answer.startsWith('HTTP/1.1 200')
}

test('connections of one address beyond the limit are closed, those of another are not, and a closed one makes room', async () => {
  const { open, untilOpen, refused } = await listening(10, 2)
  const [first, second] = [await open(), await open()]
  await untilOpen(2)
  expect(await isServed(await open())).toBe(false)
  expect(await isServed(await open('127.0.0.2'))).toBe(true)
  expect(await isServed(first)).toBe(true)
  second.destroy()
  await untilOpen(2)
  expect(await isServed(await open())).toBe(true)
  expect(await refused()).toEqual([{ labels: { reason: 'address' }, value: 1 }])
})

test('connections beyond the limit of all are closed', async () => {
  const { open, untilOpen, refused } = await listening(3, 2)
  const sockets = [await open(), await open(), await open('127.0.0.2')]
  await untilOpen(3)
  expect(await isServed(await open('127.0.0.3'))).toBe(false)
  for (const socket of sockets) socket.destroy()
  await untilOpen(0)
  expect(await isServed(await open('127.0.0.3'))).toBe(true)
  expect(await refused()).toEqual([{ labels: { reason: 'total' }, value: 1 }])
})
