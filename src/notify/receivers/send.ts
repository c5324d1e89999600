/** The table of integrations and the functions that send to them. */
import type { IntegrationConfig } from '../config/receiver-config.ts'
import type { Message } from '../message.ts'
import { sendAlertmanager } from './alertmanager.ts'
import { hostOf, type Attempt, type Sending } from './attempt.ts'
import { sendEmail } from './email.ts'
import { sendMsteams, sendMsteamsv2 } from './msteams.ts'
import { sendPagerduty } from './pagerduty.ts'
import { sendSlack } from './slack.ts'
import { sendWebhook } from './webhook.ts'

const SENDERS: {
  readonly [Kind in IntegrationConfig['kind']]: (
    config: Extract<IntegrationConfig, { readonly kind: Kind }>,
    message: Message,
    sending: Sending,
  ) => Promise<Attempt>
} = {
  webhook: sendWebhook,
  slack: sendSlack,
  pagerduty: sendPagerduty,
  email: sendEmail,
  msteams: sendMsteams,
  msteamsv2: sendMsteamsv2,
  alertmanager: sendAlertmanager,
}

/** Never rejects because of the receiver or its configuration. */
export function send(config: IntegrationConfig, message: Message, sending: Sending): Promise<Attempt> {
  return SENDERS[config.kind](config as never, message, sending)
}

/** The address of an integration, without secrets. */
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
