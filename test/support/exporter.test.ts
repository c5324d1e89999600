import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startExporter, type Exporter } from './exporter.ts'
import { requirePeer } from './peers.ts'

let exporter: Exporter
beforeEach(async () => {
  exporter = await startExporter([['kubevirt_hco_system_health_status', {}, 0]])
})
afterEach(() => exporter.close())

async function scrape(): Promise<string> {
  return (await fetch(exporter.url)).text()
}

describe('the exporter', () => {
  test('shows what was set, counters as counters, and nothing that was not', async () => {
    exporter.set('kubevirt_hco_out_of_band_modifications_total', { component_name: 'kubevirt/a "b" \\ c' }, 1)
    expect(await scrape()).toBe(
      '# TYPE kubevirt_hco_out_of_band_modifications_total counter\n' +
        'kubevirt_hco_out_of_band_modifications_total{component_name="kubevirt/a \\"b\\" \\\\ c"} 1\n' +
        '# TYPE kubevirt_hco_system_health_status gauge\n' +
        'kubevirt_hco_system_health_status 0\n',
    )
  })

  test('a value changes in place and a series goes away', async () => {
    exporter.set('kubevirt_hco_system_health_status', {}, 2)
    expect(await scrape()).toContain('kubevirt_hco_system_health_status 2\n')
    exporter.remove('kubevirt_hco_system_health_status')
    expect(await scrape()).toBe('')
  })

  test('a target that is down answers 503', async () => {
    exporter.setUp(false)
    expect((await fetch(exporter.url)).status).toBe(503)
  })

  test('promtool finds nothing to say against its format', (context) => {
    const promtool = requirePeer('promtool', context)
    exporter.set('kubevirt_hco_unsafe_modifications', { annotation_name: 'x\ny' }, Infinity)
    exporter.set('kubevirt_hco_unsafe_modifications', { annotation_name: 'z' }, Number.NaN)
    // It lints help texts too, which an exporter for tests has no use for; only syntax ends with another code than 3.
    const lint = (input: string): number => {
      try {
        execFileSync(promtool, ['check', 'metrics'], { input, stdio: ['pipe', 'pipe', 'pipe'] })
        return 0
      } catch (err) {
        return (err as { status: number }).status
      }
    }
    expect([0, 3]).toContain(lint(exporter.text()))
    expect(lint('kubevirt_hco{ 1\n')).toBe(1)
  })
})
