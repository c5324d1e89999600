import { afterEach, describe, expect, test } from 'vitest'
import { ackedBy, bodyOf, createSenders, missing, randomOf, type Sender } from '../support/acked-samples.ts'
import { postWrite } from '../support/remote-write.ts'
import { startServer, withoutContent } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// What was acknowledged is never lost: the server as it ships is killed at random moments while several senders write,
// started again on the same folder, and asked for everything it ever answered 204 for.

const KILLS = Number(process.env['DAYTWO_CRASH_SERVER_KILLS'] ?? 3)
const SENDERS = 4
const ACKS_BEFORE_KILL_MAX = 200

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Sends one step after the other until the server is gone. A step without an answer is sent again in the next life. */
async function sendUntilGone(url: string, sender: Sender): Promise<void> {
  for (;;) {
    const step = sender.nextStep
    try {
      const response = await postWrite(url, bodyOf(sender, step))
      if (response.status !== 204) throw new Error(`answered ${response.status}: ${await response.text()}`)
    } catch (thrown) {
      if (thrown instanceof Error && thrown.message.startsWith('answered')) throw thrown
      return
    }
    sender.acked.add(step)
    sender.nextStep++
  }
}

describe('kill -9 under load', () => {
  test(`after ${KILLS} random kills every acknowledged sample is there`, { timeout: 480_000 }, async () => {
    const data = tempDir('crash')
    closers.push(() => {
      data.remove()
    })
    const args = [
      'serve',
      '--listen',
      '127.0.0.1:0',
      '--data',
      data.path,
      '--retention.raw',
      '100y',
      '--store.flush-every',
      '30s',
      '--ingest.out-of-order',
      '10s',
      ...withoutContent(),
    ]
    const random = randomOf(20260820)
    const senders = createSenders(SENDERS)

    for (let kill = 0; kill < KILLS; kill++) {
      const server = await startServer(args)
      const sending = Promise.all(senders.map((sender) => sendUntilGone(server.url, sender)))
      // After some acknowledgements, however slow the machine, and then anywhere inside a few milliseconds.
      const wanted = ackedBy(senders) + Math.ceil(random() * ACKS_BEFORE_KILL_MAX)
      await until('acknowledgements', () => (ackedBy(senders) >= wanted ? true : undefined), 120_000)
      await new Promise((resolve) => setTimeout(resolve, random() * 20))
      await server.kill()
      await sending
    }

    const server = await startServer(args)
    closers.push(() => server.stop())
    const lost = (await Promise.all(senders.map((sender) => missing(server.url, sender)))).flat()
    expect(lost).toEqual([])
    expect(ackedBy(senders)).toBeGreaterThanOrEqual(KILLS)
  })
})
