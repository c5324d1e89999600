import type { UiSettings } from '../contract/ui.ts'

/**
 * Sends the page's own errors and timings to the server's Faro address, when it has one. The library is fetched only
 * then, and after the page is up; without it the page works the same.
 */
export async function startTelemetry(settings: UiSettings): Promise<void> {
  if (settings.faroUrl === undefined) return
  const { getWebInstrumentations, initializeFaro } = await import('@grafana/faro-web-sdk')
  initializeFaro({
    url: settings.faroUrl,
    app: { name: 'daytwo-web', version: settings.version },
    instrumentations: getWebInstrumentations({ captureConsole: false }),
  })
}
