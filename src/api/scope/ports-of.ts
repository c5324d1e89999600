import type { FastifyRequest } from 'fastify'

/**
 * What a route reads and changes of the fleet, for the clusters of a request. A route gets its ports by its request alone, so it
 * cannot reach another cluster, and a new route is limited without a line of its own.
 */
export type PortsOf<P> = (request: Pick<FastifyRequest, 'scope'>) => P
