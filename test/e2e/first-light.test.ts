import type { Browser } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { startExporter } from '../support/exporter.ts'
import { requirePeer } from '../support/peers.ts'
import { startPrometheus } from '../support/prometheus.ts'
import { activeAlerts, startServer, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// The spine: a stock Prometheus scrapes an operator that reverts somebody's edit, writes to Daytwo, the alert fires
// with the cluster's identity, and its runbook opens filled in.

const COUNTER = 'kubevirt_hco_out_of_band_modifications_total'
const KUBEVIRT = { component_name: 'kubevirt/kubevirt-kubevirt-hyperconverged' }
/** The group's interval is 30 s, its first evaluation falls within one, and a second for the beat and the machine. */
const ONE_EVALUATION_MS = 40_000

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function runbookText(browser: Browser, server: RunningServer): Promise<string> {
  const page = await browser.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  await page.goto(`${server.url}/rb/KubeVirtCRModified`)
  await page.getByRole('heading', { name: 'Diagnosis', exact: true }).waitFor()
  const text = await page.locator('main').innerText()
  expect(faults).toEqual([])
  await page.close()
  return text
}

describe('a stock Prometheus feeds Daytwo', () => {
  test(
    'the first out-of-band edit fires, and its runbook knows cluster and component',
    { timeout: 120_000 },
    async (context) => {
      const path = requirePeer('prometheus', context)
      const data = tempDir('first-light')
      closers.push(() => {
        data.remove()
      })
      const server = await startServer(['serve', '--listen', '127.0.0.1:0', '--data', data.path])
      closers.push(() => server.stop())
      const exporter = await startExporter()
      closers.push(() => exporter.close())
      const prometheus = await startPrometheus({
        path,
        targets: [exporter.address],
        targetLabels: { namespace: 'kubevirt-hyperconverged' },
        remoteWriteUrl: `${server.url}/api/v1/write`,
        externalLabels: { cluster: 'prague-prod-01', cluster_id: '2c0d4e9a-5b77-4d0c-9c55-8f1e2a3b4c5d' },
      })
      closers.push(() => prometheus.stop())

      await until('the first scrape', async () => (await server.query('kubevirt_hco_hyperconverged_cr_exists'))[0])
      expect(await server.query(COUNTER)).toEqual([])
      expect(
        (await activeAlerts(server.url)).filter(({ labels }) => labels['alertname'] === 'KubeVirtCRModified'),
      ).toEqual([])

      exporter.set(COUNTER, KUBEVIRT, 1)
      const counter = await until('the counter to appear', async () => (await server.query(COUNTER))[0])
      expect(counter.value[1]).toBe('1')
      expect(counter.metric).toMatchObject({ ...KUBEVIRT, cluster: 'prague-prod-01' })

      const find = async () =>
        (await activeAlerts(server.url)).find(({ labels }) => labels['alertname'] === 'KubeVirtCRModified')
      const alert = await until('KubeVirtCRModified to fire', find, ONE_EVALUATION_MS)
      expect(alert.state).toBe('firing')
      expect(Number(alert.value)).toBe(1)
      expect(alert.labels).toMatchObject({
        ...KUBEVIRT,
        cluster: 'prague-prod-01',
        cluster_id: '2c0d4e9a-5b77-4d0c-9c55-8f1e2a3b4c5d',
        severity: 'warning',
        operator_health_impact: 'warning',
      })
      expect(alert.annotations['runbook_url']).toBe(`${server.url}/rb/KubeVirtCRModified`)

      const browser = await launchBrowser()
      closers.push(() => browser.close())
      const text = await runbookText(browser, server)
      expect(text).toContain('prague-prod-01')
      expect(text).toContain('kubevirt-kubevirt-hyperconverged')
      expect(text).not.toMatch(/\{\{\s*(cluster|component_name|namespace)\s*\}\}/)
    },
  )
})
