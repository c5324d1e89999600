/**
 * Finds the principal of a token by its SHA-256 hash in a list from the store. The list is refreshed after some seconds,
 * so that `daytwo token` takes effect on a running server.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { FleetError } from '../base/errors.ts'
import type { Principal, TokenRecord } from '../model/token.ts'

const REREAD_AFTER_MS = 5000
/** Identifies the token to people and secret scanners that find it in a file. */
const TOKEN_PREFIX = 'daytwo_'
const TOKEN_BYTES = 32

export interface TokenIndex {
  readonly hasTokens: boolean
  authenticate(token: string): Promise<Principal | undefined>
}

export async function createTokenIndex(read: () => Promise<readonly TokenRecord[]>, clock: Clock): Promise<TokenIndex> {
  let records = await read()
  let readAtMs = clock.nowMs()
  let reading: Promise<void> | undefined

  const reread = async (): Promise<void> => {
    try {
      records = await read()
    } catch (thrown) {
      // The thread that reads them is being started again: those that are known still count.
      if (!(thrown instanceof FleetError) || thrown.code !== 'not_ready') throw thrown
    }
    readAtMs = clock.nowMs()
  }
  return {
    get hasTokens() {
      return records.length > 0
    },
    authenticate: async (token) => {
      if (clock.nowMs() - readAtMs >= REREAD_AFTER_MS) {
        reading ??= reread().finally(() => (reading = undefined))
        await reading
      }
      const hash = hashToken(token)
      // The comparison's time reveals only something about the hash of a guess, not about a secret.
      const record = records.find((candidate) => candidate.hash === hash)
      if (record === undefined) return undefined
      const { role, name, cluster } = record
      return cluster === undefined ? { role, name } : { role, name, cluster }
    },
  }
}

/** Lower-case hex, as stored. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex')
}

/** 256 random bits cannot be guessed, so an unsalted hash is enough to store it. */
export function newToken(): string {
  return TOKEN_PREFIX + randomBytes(TOKEN_BYTES).toString('base64url')
}
