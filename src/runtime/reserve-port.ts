import { once } from 'node:events'
import { createServer } from 'node:net'
import { invariant } from '../base/invariant.ts'

/** A free port of a host. If another process takes it first, listening on it fails. */
export async function reservePort(host: string): Promise<number> {
  const server = createServer()
  server.listen({ host, port: 0 })
  await once(server, 'listening')
  const address = server.address()
  invariant(typeof address === 'object' && address !== null, 'a listening TCP server has an address')
  server.close()
  await once(server, 'close')
  return address.port
}
