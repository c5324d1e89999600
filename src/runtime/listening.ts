/** The address of the server: its port, who may reach it without a token, and the start of listening. */
import type { FastifyInstance } from 'fastify'
import { FleetError, messageOf } from '../base/errors.ts'
import { schemeOf, urlOf, type Config } from '../config/config.ts'
import { isLoopback } from '../config/folder-options.ts'
import type { PeopleSignIn } from './people-sign-in.ts'
import { reservePort } from './reserve-port.ts'
import type { TokenIndex } from './token-index.ts'

/** With a real port in place of 0: links in alerts and pages must hold it before the server listens. */
export async function withPort(config: Config): Promise<Config> {
  const { host, port } = config.listen
  if (port !== 0) return config
  const listen = { host, port: await reservePort(host) }
  const scheme = schemeOf(config)
  const isUrlOurs = config['external.url'] === urlOf(config.listen, scheme)
  return { ...config, listen, 'external.url': isUrlOurs ? urlOf(listen, scheme) : config['external.url'] }
}

/** Loopback without tokens is fine; anything else needs them, or people who sign in. */
export function checkAccess(config: Config, tokens: TokenIndex, { provider, proxy }: PeopleSignIn): void {
  const { host, port } = config.listen
  if (isLoopback(host) || tokens.hasTokens || provider !== undefined || proxy !== undefined) return
  const place = config['store.facts'] === '' ? `--data ${config.data}` : `--store.facts ${config['store.facts']}`
  throw new FleetError(
    'config_invalid',
    `refusing to listen on ${host}:${port} without tokens: unauthenticated clients could read and write the fleet`,
    {
      hint: `make one with \`daytwo token add ${place} --name admin --role admin\`, configure oidc.issuer, or listen on 127.0.0.1`,
    },
  )
}

/** The URL with the port it got. */
export async function listen(server: FastifyInstance, config: Config): Promise<string> {
  const { host, port } = config.listen
  try {
    await server.listen({ host, port })
  } catch (thrown) {
    throw new FleetError('config_invalid', `cannot listen on ${host}:${port}: ${messageOf(thrown)}`, {
      hint: 'another program may have the port; choose one with --listen HOST:PORT',
      cause: thrown,
    })
  }
  const address = server.server.address()
  const listening = { host, port: typeof address === 'object' && address !== null ? address.port : port }
  return urlOf(listening, schemeOf(config))
}
