/** Slack: an incoming webhook, or its API's chat.postMessage. One attachment a message. */
import type { SlackConfig } from '../config/integration-config.ts'
import type { Message } from '../message.ts'
import { expanding, postJson, truncate, type Attempt, type Judge, type Sending } from './attempt.ts'

/** Slack cuts longer titles. */
const TITLE_CHARS_MAX = 1024

export function sendSlack(config: SlackConfig, message: Message, sending: Sending): Promise<Attempt> {
  const { apiUrl, http } = config
  return expanding('slack', () =>
    postJson(sending, { url: apiUrl, hidesPath: true, http, body: slackBody(config, message, sending), judge }),
  )
}

function slackBody(config: SlackConfig, message: Message, { templates }: Sending): unknown {
  const text = (template: string): string => templates.text(template, message)
  /** Left out when it is empty. */
  const some = (key: string, template: string | undefined): Record<string, string> => {
    const value = template === undefined ? '' : text(template)
    return value === '' ? {} : { [key]: value }
  }
  const fields = config.fields.map(({ title, value, short }) => ({
    ...some('title', title),
    ...some('value', value),
    short: short ?? config.shortFields,
  }))
  const actions = config.actions.map(({ type, text: label, url, style, name, value, confirm }) => ({
    ...some('type', type),
    ...some('text', label),
    ...some('url', url),
    ...some('style', style),
    ...some('name', name),
    ...some('value', value),
    ...(confirm === undefined
      ? {}
      : {
          confirm: {
            ...some('text', confirm.text),
            ...some('title', confirm.title),
            ...some('ok_text', confirm.okText),
            ...some('dismiss_text', confirm.dismissText),
          },
        }),
  }))
  const title = truncate(text(config.title), TITLE_CHARS_MAX)
  const attachment = {
    ...(title === '' ? {} : { title }),
    ...some('title_link', config.titleLink),
    ...some('pretext', config.pretext),
    text: text(config.text),
    fallback: text(config.fallback),
    callback_id: text(config.callbackId),
    ...(fields.length === 0 ? {} : { fields }),
    ...(actions.length === 0 ? {} : { actions }),
    ...some('image_url', config.imageUrl),
    ...some('thumb_url', config.thumbUrl),
    footer: text(config.footer),
    ...some('color', config.color),
    mrkdwn_in: config.mrkdwnIn,
  }
  return {
    ...some('channel', config.channel),
    ...some('username', config.username),
    ...some('icon_emoji', config.iconEmoji),
    ...some('icon_url', config.iconUrl),
    ...(config.linkNames ? { link_names: true } : {}),
    attachments: [attachment],
  }
}

/** The API answers 200 to what it refuses; a webhook that took the message says `ok`. */
const judge: Judge = ({ contentType, text }) => {
  if (!contentType.startsWith('application/json')) {
    return text.trim() === 'ok' ? undefined : { outcome: 'refused', error: `Slack answered: ${text}` }
  }
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return { outcome: 'failed', error: 'Slack answered with JSON that cannot be read' }
  }
  const { ok, error } = (body ?? {}) as { readonly ok?: unknown; readonly error?: unknown }
  if (ok === true) return undefined
  return { outcome: error === 'ratelimited' ? 'failed' : 'refused', error: `Slack answered: ${String(error)}` }
}
