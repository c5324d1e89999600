import { FleetError, messageOf, type ErrorCode } from '../../base/errors.ts'

/** What went wrong between this process and PostgreSQL; a bug of our own is never one. */
export class PostgresFailure extends Error {
  override readonly name = 'PostgresFailure'
  /** Five characters of the server's answer; undefined: there was none. */
  readonly sqlState: string | undefined
  readonly #during: 'connect' | 'statement' | 'commit'

  constructor(cause: unknown, during: 'connect' | 'statement' | 'commit') {
    super(messageOf(cause), { cause })
    this.sqlState = sqlStateOf(cause)
    this.#during = during
  }

  get isConnectionLost(): boolean {
    // 08: connection; 57P: the server was stopped, crashed or is starting.
    return this.sqlState === undefined || /^(08|57P)/.test(this.sqlState)
  }

  /** The connection ended at a COMMIT: whether the transaction was written is unknown. */
  get isInDoubt(): boolean {
    return this.isConnectionLost && this.#during === 'commit'
  }

  /**
   * The same work may succeed at once: on another connection, or after the transaction that was in its way. Nothing
   * remains of the transaction.
   */
  get isRepeatable(): boolean {
    if (this.isConnectionLost) return this.#during === 'statement'
    // Serialisation failure, deadlock.
    return this.sqlState === '40001' || this.sqlState === '40P01'
  }
}

function sqlStateOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || 'syscall' in thrown) return undefined
  return typeof thrown.code === 'string' && /^[0-9A-Z]{5}$/.test(thrown.code) ? thrown.code : undefined
}

/** A failure as the user sees it: `not_ready` while there is no connection. Bugs pass through unchanged. */
export function postgresFailureOf(what: string, thrown: unknown): unknown {
  if (!(thrown instanceof PostgresFailure)) return thrown
  const { sqlState, isInDoubt, isConnectionLost } = thrown
  const code: ErrorCode = isConnectionLost ? 'not_ready' : sqlState === '53100' ? 'storage_full' : 'storage_failed'
  const state = sqlState === undefined ? '' : ` (${sqlState})`
  const doubt = isInDoubt ? '; it is unknown whether it was written' : ''
  return new FleetError(code, `${what}: PostgreSQL: ${thrown.message}${state}${doubt}`, {
    hint: hintOf(thrown),
    cause: thrown,
  })
}

function hintOf({ sqlState, isConnectionLost }: PostgresFailure): string {
  switch (sqlState) {
    case '28000':
    case '28P01':
      return 'check the user of store.facts and the password in store.facts-password-file or PGPASSWORD'
    case '3D000':
      return 'create the database that store.facts names, with encoding UTF8'
    case '42501':
      return 'make the user of store.facts the owner of the database'
    case '42P07':
      return 'give Daytwo a database of its own'
    case '53100':
      return 'free space on the disk of PostgreSQL; the server then continues without a restart'
    case '53300':
      return 'raise max_connections of PostgreSQL, or lower store.facts-connections-max'
    case '57014':
      return 'raise store.facts-statement-timeout, or find what PostgreSQL waits for (pg_stat_activity)'
    case '25006':
      return 'let store.facts name the primary server: this one only reads'
    default:
      return isConnectionLost
        ? 'check that PostgreSQL runs and can be reached; the server then continues without a restart'
        : 'see the log of PostgreSQL'
  }
}
