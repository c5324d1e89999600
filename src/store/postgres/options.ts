/** How PostgreSQL is reached. Can be sent to another thread. */
export interface PostgresOptions {
  /** `postgres://USER@HOST:PORT/DATABASE`, without a password: it is shown in messages. */
  readonly url: string
  /** Absent: the server asks for none, or it is in `PGPASSWORD`. */
  readonly password?: string
  /** Absent: without TLS. `ca`: authorities (PEM) in place of those of the system. */
  readonly tls?: { readonly ca?: string }
  /** Random, of one start of a process: whose change a message is about. Absent: a short command. */
  readonly instance?: string
  /** Connections of one thread. */
  readonly connectionsMax: number
  /** The longest a statement may take, and the longest a transaction may do nothing. */
  readonly statementTimeoutMs: number
}

export const POSTGRES_DEFAULTS = { connectionsMax: 8, statementTimeoutMs: 30_000 } as const
