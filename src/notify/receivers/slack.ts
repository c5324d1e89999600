/** Slack: an incoming webhook, or its API's chat.postMessage. One attachment a message. */
import type { SlackConfig } from '../config/receiver-config.ts'
import type { Message } from '../message.ts'
import { expanding, nonEmptyTexts, postJson, truncate, type Attempt, type Judge, type Sending } from './attempt.ts'

/** Slack truncates longer titles. */
const TITLE_CHARS_MAX = 1024

export function sendSlack(config: SlackConfig, message: Message, sending: Sending): Promise<Attempt> {
  const { apiUrl, http } = config
  return expanding('slack', () =>
    postJson(sending, { url: apiUrl, hidesPath: true, http, body: slackBody(config, message, sending), judge }),
  )
}

function slackBody(config: SlackConfig, message: Message, { templates }: Sending): unknown {
  const text = (template: string): string => templates.text(template, message)
  const texts = (byKey: Readonly<Record<string, string>>): Record<string, string> => nonEmptyTexts(byKey, text)
  const fields = config.fields.map(({ title, value, short }) => ({
    ...texts({ title, value }),
    short: short ?? config.shortFields,
  }))
  const actions = config.actions.map(({ type, text: label, url, style, name, value, confirm }) => ({
    ...texts({ type, text: label, url, style }),
    // A link has no name and no confirmation.
    ...(url === '' ? texts({ name, value }) : {}),
    ...(url !== '' || confirm === undefined
      ? {}
      : {
          confirm: texts({
            text: confirm.text,
            title: confirm.title,
            ok_text: confirm.okText,
            dismiss_text: confirm.dismissText,
          }),
        }),
  }))
  const title = truncate(text(config.title), TITLE_CHARS_MAX)
  const attachment = {
    ...(title === '' ? {} : { title }),
    ...texts({ title_link: config.titleLink, pretext: config.pretext }),
    text: text(config.text),
    fallback: text(config.fallback),
    callback_id: text(config.callbackId),
    ...(fields.length === 0 ? {} : { fields }),
    ...(actions.length === 0 ? {} : { actions }),
    ...texts({ image_url: config.imageUrl, thumb_url: config.thumbUrl }),
    footer: text(config.footer),
    ...texts({ color: config.color }),
    mrkdwn_in: config.mrkdwnIn,
  }
  return {
    ...texts({
      channel: config.channel,
      username: config.username,
      icon_emoji: config.iconEmoji,
      icon_url: config.iconUrl,
    }),
    ...(config.linkNames ? { link_names: true } : {}),
    attachments: [attachment],
  }
}

/** The API responds with 200 when it refuses a message; a webhook that accepted it responds with `ok`. */
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
