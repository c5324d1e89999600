/**
 * Finds the principal of a token by its SHA-256 hash in a list from the store. The list is refreshed after some seconds,
 * so that `daytwo token` takes effect on a running server. The use of a token is noted in memory and stored later.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { FleetError } from '../base/errors.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { Authenticated, TokenRecord } from '../model/token.ts'

const REREAD_AFTER_MS = 5000
/** The least time between two writes of when tokens were used. */
const STORE_USE_EVERY_MS = 5 * 60_000
/** Tokens with metrics: those that expire first. */
const METRICS_MAX = 1000
/** Identifies the token to people and secret scanners that find it in a file. */
const TOKEN_PREFIX = 'daytwo_'
const TOKEN_BYTES = 32

export interface TokenIndex {
  readonly hasTokens: boolean
  authenticate(token: string): Promise<Authenticated>
  /** Reads the list again now. */
  reread(): Promise<void>
  /** Stores when tokens were used, at most every few minutes, and shows the metrics of those that expire. */
  upkeep(): Promise<void>
}

export interface TokenStore {
  list(): Promise<readonly TokenRecord[]>
  touch(uses: readonly (readonly [id: number, lastUsedMs: number])[]): Promise<void>
}

export async function createTokenIndex(store: TokenStore, clock: Clock, metrics?: OwnMetrics): Promise<TokenIndex> {
  let byHash: ReadonlyMap<string, TokenRecord> = new Map()
  let readAtMs = -Infinity
  let reading: Promise<void> | undefined
  const usedMs = new Map<number, number>()
  let storedAtMs = clock.nowMs()

  const reread = async (): Promise<void> => {
    try {
      byHash = new Map((await store.list()).map((record) => [record.hash, record]))
    } catch (thrown) {
      // The thread that reads them is being started again, or PostgreSQL is away: those that are known still count.
      if (!(thrown instanceof FleetError) || thrown.code !== 'not_ready') throw thrown
    }
    readAtMs = clock.nowMs()
  }
  const refresh = async (): Promise<void> => {
    if (clock.nowMs() - readAtMs < REREAD_AFTER_MS) return
    reading ??= reread().finally(() => (reading = undefined))
    await reading
  }
  await refresh()
  return {
    get hasTokens() {
      return byHash.size > 0
    },
    authenticate: async (token) => {
      await refresh()
      // The comparison's time reveals only something about the hash of a guess, not about a secret.
      const record = byHash.get(hashToken(token))
      if (record === undefined) return undefined
      const { id, role, name, cluster, clusters, expiresAtMs } = record
      const nowMs = clock.nowMs()
      if (expiresAtMs !== undefined && nowMs >= expiresAtMs) return { name, expiredAtMs: expiresAtMs }
      usedMs.set(id, nowMs)
      return { role, name, ...(cluster && { cluster }), ...(clusters && { scopes: [{ role, clusters }] }) }
    },
    reread,
    upkeep: async () => {
      await refresh()
      if (metrics !== undefined) showExpiry([...byHash.values()], usedMs, metrics)
      if (usedMs.size === 0 || clock.nowMs() - storedAtMs < STORE_USE_EVERY_MS) return
      storedAtMs = clock.nowMs()
      await store.touch([...usedMs])
      usedMs.clear()
      await reread() // so that the metrics go on from there
    },
  }
}

/** By token, for those that expire; the label `cluster` is empty for tokens that are not bound to one. */
function showExpiry(
  tokens: readonly TokenRecord[],
  usedMs: ReadonlyMap<number, number>,
  { tokenExpirySeconds, tokenLastUsedSeconds }: OwnMetrics,
): void {
  const ending = tokens.filter(({ expiresAtMs }) => expiresAtMs !== undefined)
  ending.sort((a, b) => a.expiresAtMs! - b.expiresAtMs!)
  tokenExpirySeconds.reset()
  tokenLastUsedSeconds.reset()
  for (const { id, name, role, cluster = '', expiresAtMs, lastUsedMs = 0 } of ending.slice(0, METRICS_MAX)) {
    const labels = { id: String(id), token: name, role, cluster }
    tokenExpirySeconds.set(labels, expiresAtMs! / 1000)
    tokenLastUsedSeconds.set(labels, (usedMs.get(id) ?? lastUsedMs) / 1000)
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
