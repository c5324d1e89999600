/** Email over SMTP: STARTTLS unless the file says otherwise, HTML and text, headers as configured. */
import { isIP } from 'node:net'
import { createTransport } from 'nodemailer'
import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js'
import { messageOf } from '../../base/errors.ts'
import type { EmailConfig } from '../config/receiver-config.ts'
import { resolveSecret, withoutSecrets } from '../config/secret.ts'
import { tlsOptions } from '../http-client.ts'
import type { Message } from '../message.ts'
import { attempting, expanding, type Attempt, type Sending } from './attempt.ts'

/** Connections to this port are encrypted from the first byte. */
const IMPLICIT_TLS_PORT = 465

export function sendEmail(config: EmailConfig, message: Message, sending: Sending): Promise<Attempt> {
  const { stopwatchMs } = sending
  const { host, port } = config.smarthost
  const target = `smtp://${host}:${port}`
  return expanding(target, async () => {
    const mail = mailOf(config, message, sending)
    return attempting({ kind: 'text', value: target }, JSON.stringify(mail), sending, async () => {
      const secrets = [...sending.secrets]
      const login = await loginOf(config, message, sending)
      if (login !== undefined) secrets.push(login.pass)
      const payload = withoutSecrets(JSON.stringify(mail), secrets)
      const startMs = stopwatchMs()
      const about = { target, payload }
      if (login !== undefined && !isEncrypted(config) && !isLoopback(host)) {
        const error = 'the password was not sent: the connection is not encrypted, see require_tls'
        return { ...about, outcome: 'refused', latencyMs: 0, error }
      }
      const transport = createTransport(await transportOf(config, login, sending.timeoutMs))
      try {
        const { response } = await transport.sendMail({ ...mail, disableFileAccess: true, disableUrlAccess: true })
        const answer = withoutSecrets(response, secrets)
        return { ...about, outcome: 'delivered', latencyMs: stopwatchMs() - startMs, status: codeOf(response), answer }
      } catch (thrown) {
        const code = (thrown as { readonly responseCode?: number }).responseCode
        return {
          ...about,
          // 5xx is permanent; other responses, and no response, may succeed later.
          outcome: code !== undefined && code >= 500 ? 'refused' : 'failed',
          latencyMs: stopwatchMs() - startMs,
          ...(code === undefined ? {} : { status: code }),
          error: withoutSecrets(messageOf(thrown), secrets),
        }
      } finally {
        transport.close()
      }
    })
  })
}

interface Mail {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly headers: Readonly<Record<string, string>>
  readonly html?: string
  readonly text?: string
  readonly envelope: { readonly from: string; readonly to: string }
}

function mailOf(config: EmailConfig, message: Message, { templates }: Sending): Mail {
  const text = (template: string): string => templates.text(template, message)
  const headers = new Map([...config.headers].map(([name, template]) => [name, text(template)]))
  const take = (name: string, otherwise: () => string): string => {
    const value = headers.get(name)
    headers.delete(name)
    return value ?? otherwise()
  }
  const [from, to] = [text(config.from), text(config.to)]
  const html = templates.html(config.html, message)
  const plain = text(config.text)
  return {
    from: take('From', () => from),
    to: take('To', () => to),
    subject: take('Subject', () => text('{{ template "email.default.subject" . }}')).replace(/\s*[\r\n]+\s*/g, ' '),
    headers: Object.fromEntries(headers),
    ...(html === '' ? {} : { html }),
    ...(plain === '' ? {} : { text: plain }),
    envelope: { from, to },
  }
}

interface Login {
  readonly user: string
  readonly pass: string
  readonly method?: 'CRAM-MD5'
}

async function loginOf(config: EmailConfig, message: Message, { templates }: Sending): Promise<Login | undefined> {
  const { authUsername: user, authPassword, authSecret } = config
  if (user === '') return undefined
  if (authPassword !== undefined) return { user, pass: templates.text(await resolveSecret(authPassword), message) }
  if (authSecret === undefined) return undefined
  return { user, pass: templates.text(await resolveSecret(authSecret), message), method: 'CRAM-MD5' }
}

async function transportOf(
  config: EmailConfig,
  login: Login | undefined,
  timeoutMs: number,
): Promise<SMTPTransport.Options> {
  const { smarthost, hello, requireTls, authIdentity } = config
  const { servername, ...tls } = await tlsOptions(config.tlsConfig)
  // An IP address is not a valid TLS server name.
  const name = servername ?? (isIP(smarthost.host) === 0 ? smarthost.host : undefined)
  return {
    host: smarthost.host,
    port: smarthost.port,
    name: hello,
    secure: smarthost.port === IMPLICIT_TLS_PORT,
    requireTLS: requireTls,
    // As in Alertmanager: without require_tls an offered STARTTLS is ignored, because the certificate may be invalid.
    ignoreTLS: !requireTls && smarthost.port !== IMPLICIT_TLS_PORT,
    tls: { ...tls, ...(name === undefined ? {} : { servername: name }) },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    ...authOf(login, authIdentity),
  }
}

function authOf(login: Login | undefined, identity: string): SMTPTransport.Options {
  if (login === undefined) return {}
  const { user, pass, method } = login
  if (identity === '') return { auth: { user, pass }, ...(method === undefined ? {} : { authMethod: method }) }
  return {
    auth: { type: 'custom', method: PLAIN_AS, user, pass },
    customAuth: {
      [PLAIN_AS]: async (context) => {
        const answer = await context.sendCommand(
          `AUTH PLAIN ${Buffer.from(`${identity}\u0000${user}\u0000${pass}`).toString('base64')}`,
        )
        if (answer.status !== 235) throw Object.assign(new Error(answer.text), { responseCode: answer.status })
      },
    },
  }
}

/** PLAIN with an authorization identity, which the library does not support. */
const PLAIN_AS = 'PLAIN-AS'

function isEncrypted({ requireTls, smarthost }: EmailConfig): boolean {
  return requireTls || smarthost.port === IMPLICIT_TLS_PORT
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

function codeOf(response: string): number {
  return Number(/^\d{3}/.exec(response)?.[0] ?? 250)
}
