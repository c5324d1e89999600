/**
 * Who a token is. Tokens are looked up by their SHA-256 hash in a list read from the store; the list is read again
 * when it is some seconds old, so that `daytwo token` takes effect on a running server.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Principal, TokenRecord } from '../model/token.ts'

const REREAD_AFTER_MS = 5000
/** Says what it is to whoever finds it in a file, and lets secret scanners know it. */
const TOKEN_PREFIX = 'daytwo_'
const TOKEN_BYTES = 32

export interface TokenBook {
  /** Whether there is any token at all. */
  readonly hasTokens: boolean
  authenticate(token: string): Promise<Principal | undefined>
}

export async function createTokenBook(read: () => Promise<readonly TokenRecord[]>, clock: Clock): Promise<TokenBook> {
  let records = await read()
  let readAtMs = clock.nowMs()
  let reading: Promise<void> | undefined

  const reread = async (): Promise<void> => {
    records = await read()
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
      // Hashes are compared, not secrets: what the comparison's time tells is about the hash of a guess.
      const record = records.find((candidate) => candidate.hash === hash)
      if (record === undefined) return undefined
      const { role, name, cluster } = record
      return cluster === undefined ? { role, name } : { role, name, cluster }
    },
  }
}

/** Lower-case hex, as the store keeps it. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex')
}

/** 256 random bits: guessing is hopeless, so a plain hash is enough to keep it by. */
export function newToken(): string {
  return TOKEN_PREFIX + randomBytes(TOKEN_BYTES).toString('base64url')
}
