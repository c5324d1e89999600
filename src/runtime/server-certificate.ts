/**
 * The certificate of the server: read at the start, and again when its files change, on SIGHUP and on `/-/reload`. New
 * connections get the renewed one, open ones stay. Apart from rules and runbooks: a broken rule file must not keep a
 * renewed certificate out. Files that do not fit (a certificate is written before its key) leave the one in use.
 */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import type { Clock } from '../base/clock.ts'
import { FleetError, messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import { watchFiles } from './file-watch.ts'

export interface CertificateFiles {
  /** PEM: the server's certificate, then those between it and the authority. */
  readonly cert: string
  readonly key: string
  /** PEM: authorities of client certificates. */
  readonly clientCa?: string
}

/** A server that can change its certificate while it listens: `tls.Server`. */
interface TlsListener {
  setSecureContext(context: SecureContextOptions): void
}

export interface ServerCertificate {
  readonly context: SecureContextOptions
  attach(server: TlsListener): void
  /** Never throws: a failure is logged and counted. */
  reload(): void
  stop(): void
}

/** TLS 1.0 and 1.1 are broken (RFC 8996). Part of the context, so that a renewed one has it too. */
const TLS_VERSION_MIN = 'TLSv1.2'

/** Throws `config_invalid` when the files cannot be used. */
export function createServerCertificate(
  files: CertificateFiles,
  clock: Clock,
  metrics: OwnMetrics,
  log: Log,
): ServerCertificate {
  let context = readContext(files, clock, metrics, log)
  const listeners: TlsListener[] = []
  const reload = (): void => {
    try {
      context = readContext(files, clock, metrics, log)
      for (const listener of listeners) listener.setSecureContext(context)
      metrics.certificateReloads.inc({ outcome: 'ok' })
      log.info({ cert: files.cert }, 'the certificate was reloaded')
    } catch (thrown) {
      metrics.certificateReloads.inc({ outcome: 'failed' })
      log.error({ error: messageOf(thrown) }, 'the certificate was not reloaded; the previous one stays in use')
    }
  }
  const watched = watchFiles(Object.values(files), clock, reload)
  return {
    get context() {
      return context
    },
    attach: (server) => {
      listeners.push(server)
    },
    reload,
    stop: () => {
      watched.stop()
    },
  }
}

function readContext(files: CertificateFiles, clock: Clock, metrics: OwnMetrics, log: Log): SecureContextOptions {
  const cert = readPem('tls.cert', files.cert)
  const key = readPem('tls.key', files.key)
  const ca = files.clientCa === undefined ? undefined : readPem('tls.client-ca', files.clientCa)
  const context = { cert, key, minVersion: TLS_VERSION_MIN, ...(ca === undefined ? {} : { ca }) } as const
  const own = parsed('tls.cert', files.cert, () => new X509Certificate(cert))
  if (ca !== undefined) parsed('tls.client-ca', files.clientCa ?? '', () => new X509Certificate(ca))
  parsed('tls.key', files.key, () => createSecureContext(context))
  metrics.certificateStartSeconds.set(Date.parse(own.validFrom) / 1000)
  metrics.certificateExpirySeconds.set(Date.parse(own.validTo) / 1000)
  if (clock.nowMs() >= Date.parse(own.validTo)) {
    log.warn({ cert: files.cert, expired: own.validTo }, 'the certificate has expired: clients will refuse it')
  }
  return context
}

function readPem(option: string, path: string): string {
  return parsed(option, path, () => readFileSync(path, 'utf8'))
}

function parsed<T>(option: string, path: string, read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    throw new FleetError('config_invalid', `option ${option}: ${path} cannot be used: ${messageOf(thrown)}`, {
      hint: 'want PEM files: the certificate with those between it and its authority, and its key',
      cause: thrown,
    })
  }
}
