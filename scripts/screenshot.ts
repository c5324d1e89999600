/**
 * `npm run screenshot`: the picture of the README, `docs/screenshot.webp`, of the landing page of a demo with its default
 * fleet. Needs `npm run build`.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchBrowser } from '../test/support/browser.ts'
import { startServer } from '../test/support/server.ts'
import { until } from '../test/support/until.ts'

const FILE = join(import.meta.dirname, '../docs/screenshot.webp')
const VIEWPORT = { width: 1440, height: 900 }
/** A small machine needs most of a minute. */
const READY_WITHIN_MS = 5 * 60_000

const server = await startServer(['demo', '--listen', '127.0.0.1:0'])
try {
  await until('the demo to be ready', () => (server.output().includes('Open http') ? true : undefined), READY_WITHIN_MS)
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage({ viewport: VIEWPORT, colorScheme: 'light' })
    await page.goto(server.url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    const session = await page.context().newCDPSession(page)
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 75 })
    const bytes = Buffer.from(data, 'base64')
    writeFileSync(FILE, bytes)
    console.log(`${FILE}: ${Math.round(bytes.length / 1000)} kB`)
  } finally {
    await browser.close()
  }
} finally {
  await server.stop()
}
