/** Microsoft Teams: a message card for an Office 365 connector, an adaptive card for a workflow. */
import type { MsteamsConfig, Msteamsv2Config } from '../config/receiver-config.ts'
import { statusOf, type Message } from '../message.ts'
import { expanding, postJson, type Attempt, type Judge, type Sending } from './attempt.ts'

export function sendMsteams(config: MsteamsConfig, message: Message, sending: Sending): Promise<Attempt> {
  const { webhookUrl: url, http } = config
  const text = (template: string): string => sending.templates.text(template, message)
  return expanding('msteams', () => {
    const body = {
      '@context': 'http://schema.org/extensions',
      '@type': 'MessageCard',
      // Alertmanager's spelling of the type; Teams accepts either.
      type: 'MessageCard',
      title: text(config.title),
      summary: text(config.summary),
      text: text(config.text),
      themeColor: statusOf(message.alerts) === 'firing' ? 'c62828' : '2e7d32',
    }
    return postJson(sending, { url, hidesPath: true, http, body, judge })
  })
}

export function sendMsteamsv2(config: Msteamsv2Config, message: Message, sending: Sending): Promise<Attempt> {
  const { webhookUrl: url, http } = config
  const text = (template: string): string => sending.templates.text(template, message)
  return expanding('msteamsv2', () => {
    const color = statusOf(message.alerts) === 'firing' ? 'Attention' : 'Good'
    const heading = { weight: 'Bolder', size: 'Medium', wrap: true, style: 'heading', color }
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.2',
      body: [
        { type: 'TextBlock', text: text(config.title), ...heading },
        { type: 'TextBlock', text: text(config.text), wrap: true },
      ],
      msteams: { width: 'full' },
    }
    const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }
    return postJson(sending, {
      url,
      hidesPath: true,
      http,
      body: { type: 'message', attachments: [attachment] },
      judge,
    })
  })
}

/** A connector responds with 200 and reports in the text that Teams refused the message. */
const judge: Judge = ({ text }) => {
  const fault = /Microsoft Teams endpoint returned HTTP error (\d+)/i.exec(text)
  if (fault === null) return undefined
  const status = Number(fault[1])
  return { outcome: status === 429 || status >= 500 ? 'failed' : 'refused', error: text }
}
