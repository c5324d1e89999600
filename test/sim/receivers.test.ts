import { afterEach, expect, test } from 'vitest'
import { demoNotifyConfig } from '../../src/cli/demo-notify.ts'
import { loadConfig } from '../../src/notify/config/config-file.ts'
import { startReceivers, type SimReceivers } from '../../sim/receivers.ts'

let receivers: SimReceivers | undefined
afterEach(() => receivers?.stop())

test('the pager always takes a message, the chat is busy for each fifth and says how long', async () => {
  receivers = await startReceivers()
  const post = (path: string) => fetch(`${receivers!.url}${path}`, { method: 'POST', body: '{}' })
  const chat: number[] = []
  for (let i = 0; i < 10; i++) chat.push((await post('/chat')).status)
  expect(chat).toEqual([200, 200, 200, 200, 429, 200, 200, 200, 200, 429])
  expect((await post('/pager')).status).toBe(202)
})

test('the configuration of the demo is one, and leads to them', () => {
  const text = demoNotifyConfig('http://127.0.0.1:9')
  const { config, diagnostics } = loadConfig('notify.yaml', text, () => [])
  expect(diagnostics).toEqual([])
  expect([...(config?.receivers.keys() ?? [])]).toEqual(['pager', 'chat', 'none'])
  expect(text).toContain('url: http://127.0.0.1:9/pager')
  expect(text).toContain('api_url: http://127.0.0.1:9/chat')
})
