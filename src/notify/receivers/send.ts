/** One table: which file sends to which integration. */
import type { IntegrationConfig } from '../config/receiver-config.ts'
import type { Message } from '../message.ts'
import { sendAlertmanager } from './alertmanager.ts'
import { hostOf, type Attempt, type Sending } from './attempt.ts'
import { sendEmail } from './email.ts'
import { sendMsteams, sendMsteamsv2 } from './msteams.ts'
import { sendPagerduty } from './pagerduty.ts'
import { sendSlack } from './slack.ts'
import { sendWebhook } from './webhook.ts'

export interface Senders extends Sending {
  /** For latencies. */
  readonly stopwatchMs: () => number
}

/** Never rejects for what a receiver does, or for what the file says of it. */
export function send(config: IntegrationConfig, message: Message, senders: Senders): Promise<Attempt> {
  switch (config.kind) {
    case 'webhook':
      return sendWebhook(config, message, senders)
    case 'slack':
      return sendSlack(config, message, senders)
    case 'pagerduty':
      return sendPagerduty(config, message, senders)
    case 'email':
      return sendEmail(config, message, senders, senders.stopwatchMs)
    case 'msteams':
      return sendMsteams(config, message, senders)
    case 'msteamsv2':
      return sendMsteamsv2(config, message, senders)
    case 'alertmanager':
      return sendAlertmanager(config, message, senders)
  }
}

/** Where it goes, without secrets. */
export function targetOf(config: IntegrationConfig): string {
  switch (config.kind) {
    case 'email':
      return `smtp://${config.smarthost.host}:${config.smarthost.port} to ${config.to}`
    case 'pagerduty':
    case 'alertmanager':
      return config.url
    case 'slack':
      return secretTarget(config.apiUrl, config.channel)
    case 'msteams':
    case 'msteamsv2':
      return secretTarget(config.webhookUrl)
    case 'webhook':
      return secretTarget(config.url)
  }
}

function secretTarget(
  url: { readonly kind: 'text'; readonly value: string } | { readonly kind: 'file' },
  more = '',
): string {
  return `${url.kind === 'text' ? hostOf(url.value) : 'address in a file'}${more === '' ? '' : ` ${more}`}`
}
