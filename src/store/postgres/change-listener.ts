import type { Client } from 'pg'
import {
  CHANGE_TOPICS,
  type ChangeListener,
  type ChangeListening,
  type StoredChange,
} from '../../model/stored-change.ts'
import { CHANGE_CHANNEL } from './change-triggers.ts'
import type { PostgresOptions } from './options.ts'
import { connectionOf, readText } from './pool.ts'

export interface ChangeListenerParts extends ChangeListening {
  /** Changes of this process, by `instance`, are left out. */
  readonly options: PostgresOptions
}

/** Far longer than a server takes that is there. */
const ANSWER_WITHIN_MS = 5000

/** Listens on a connection of its own. Rejects when it cannot connect. */
export async function listenForChanges({
  options,
  onChange,
  onListening,
  onEnd,
}: ChangeListenerParts): Promise<ChangeListener> {
  const { default: pg } = await import('pg')
  const client: Client = new pg.Client({ ...connectionOf(options), query_timeout: ANSWER_WITHIN_MS })
  let hasEnded = false
  const end = (): void => {
    if (hasEnded) return
    hasEnded = true
    client.end().catch(() => undefined)
    onEnd()
  }
  client.on('error', end)
  client.on('end', end)
  client.on('notification', ({ payload = '' }) => {
    const change = changeOf(payload, connectionOf(options).application_name)
    if (change !== undefined) onChange(change)
  })
  try {
    await client.connect()
    await client.query(`LISTEN ${CHANGE_CHANNEL}`)
  } catch (thrown) {
    hasEnded = true
    client.end().catch(() => undefined)
    throw thrown
  }
  onListening()
  return {
    check: async () => {
      await client.query('SELECT 1').catch(end)
    },
    stop: async () => {
      hasEnded = true
      await client.end().catch(() => undefined)
    },
  }
}

/** `undefined`: our own, or of a later release. */
function changeOf(payload: string, own: string | undefined): StoredChange | undefined {
  const [name, writer, subject] = JSON.parse(payload) as [string, string, string]
  const topic = CHANGE_TOPICS.find((known) => known === name)
  if (topic === undefined || writer === own) return undefined
  return subject === '' ? { topic } : { topic, subject: readText(subject) }
}
