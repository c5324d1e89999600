import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { OwnMetrics } from '../../base/metrics.ts'

interface ConnectionLimits {
  /** Inclusive. */
  readonly connectionsMax: number
  /** Of one remote address; inclusive. Behind a proxy all connections have the proxy's. */
  readonly addressConnectionsMax: number
}

/** Closes connections beyond the limits before anything is read from them, and counts them. */
export function limitConnections(server: Server, limits: ConnectionLimits, metrics: OwnMetrics): void {
  const byAddress = new Map<string, number>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket
    const ofAddress = byAddress.get(remoteAddress) ?? 0
    const isTooMany = connections >= limits.connectionsMax
    if (isTooMany || ofAddress >= limits.addressConnectionsMax) {
      metrics.connectionsRefused.inc({ reason: isTooMany ? 'total' : 'address' })
      socket.destroy()
      return
    }
    metrics.connections.set(++connections)
    byAddress.set(remoteAddress, ofAddress + 1)
    socket.once('close', () => {
      metrics.connections.set(--connections)
      const left = byAddress.get(remoteAddress)! - 1
      if (left === 0) byAddress.delete(remoteAddress)
      else byAddress.set(remoteAddress, left)
    })
  })
}
