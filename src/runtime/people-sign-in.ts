/** Sign-in of people as configured: at an identity provider, by a trusted proxy, both, or not at all. */
import { createCookies } from '../api/server/session-cookie.ts'
import type { SignInOptions } from '../api/server/sign-in.ts'
import type { TrustedProxyOptions } from '../api/server/trusted-proxy.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { Config } from '../config/config.ts'
import { identityProviderOptionsOf, trustedProxyOptionsOf } from '../config/sign-in-options.ts'
import { startIdentityProvider } from './identity-provider.ts'
import { createSessions, type SessionStore } from './sessions.ts'

export interface PeopleSignIn {
  readonly provider: SignInOptions | undefined
  readonly proxy: TrustedProxyOptions | undefined
  /** See `StoredSessions`. */
  upkeep(): Promise<void>
  reread(): Promise<void>
  stop(): void
}

interface Parts {
  readonly store: SessionStore
  readonly clock: Clock
  readonly metrics: OwnMetrics
  readonly log: Log
}

/** Throws `config_invalid` for options that do not fit together. Does not wait for the provider. */
export async function createPeopleSignIn(config: Config, { store, clock, metrics, log }: Parts): Promise<PeopleSignIn> {
  const proxy = trustedProxyOptionsOf(config)
  const options = identityProviderOptionsOf(config)
  if (options === undefined)
    return {
      ...{ provider: undefined, proxy, stop: () => undefined },
      ...{ upkeep: () => Promise.resolve(), reread: () => Promise.resolve() },
    }
  const provider = await startIdentityProvider({ options, clock, metrics, log })
  const sessions = await createSessions({
    store,
    options: {
      lifetimeMs: config['auth.session-lifetime'],
      idleMs: config['auth.session-idle'],
      roles: config['auth.roles'],
    },
    ...{ clock, metrics, log },
  })
  const cookies = createCookies(new URL(config['external.url']).protocol === 'https:')
  return {
    provider: { provider, sessions, cookies },
    proxy,
    upkeep: () => sessions.upkeep(),
    reread: () => sessions.reread(),
    stop: () => {
      provider.stop()
    },
  }
}
