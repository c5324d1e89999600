import { pino } from 'pino'

/**
 * A fixed sentence plus fields: `log.warn({ rule, err }, 'rule evaluation failed')`. Secrets are redacted by key.
 */
export interface Log {
  debug(fields: object, sentence: string): void
  info(fields: object, sentence: string): void
  warn(fields: object, sentence: string): void
  error(fields: object, sentence: string): void
  child(fields: Record<string, unknown>): Log
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export function createLog(level: LogLevel, destination?: { write(line: string): void }): Log {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    redact: { paths: ['authorization', '*.authorization', 'token', '*.token', 'password', '*.password'] },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** For tests and short commands: logs nothing. */
export const silentLog: Log = createLog('silent')
