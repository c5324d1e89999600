import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import { cssModules } from '../../scripts/css-module-names.ts'
import { launchBrowser } from '../support/browser.ts'
import type { ShownInput, ShownPage } from './shown-input.ts'

/** The page of `test/web/fuzz/entry.tsx` in a real browser. */
export interface ShownPages {
  /** Shows all of them at once. */
  show(inputs: readonly ShownInput[]): Promise<readonly ShownPage[]>
  /** What happened outside of the page since the last call: requests, dialogs, new windows, errors. */
  takeEvents(): readonly string[]
  readonly close: () => Promise<void>
}

const ENTRY = resolve(import.meta.dirname, '../web/fuzz/entry.tsx')

/** Files of the built page by path. */
async function builtPage(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    root: resolve(import.meta.dirname, '../../src/web'),
    plugins: [react()],
    css: { modules: cssModules },
    resolve: { dedupe: ['@prometheus-io/lezer-promql'] },
    build: { write: false, assetsInlineLimit: 0, target: 'es2022', rolldownOptions: { input: ENTRY } },
  })
  if (!('output' in built)) throw new Error('one output is wanted')
  const files = new Map<string, string | Uint8Array>()
  let entry = ''
  for (const file of built.output) {
    files.set(`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source)
    if (file.type === 'chunk' && file.isEntry) entry = file.fileName
  }
  const html = `<!doctype html><title>fuzz</title><div id="root"></div><script type="module" src="/${entry}"></script>`
  return files.set('/', html)
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['js', 'text/javascript'],
  ['css', 'text/css'],
])

export async function openShownPages(): Promise<ShownPages> {
  const files = await builtPage()
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://a').pathname
    const file = files.get(path)
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': TYPES.get(path.split('.').at(-1) ?? '') ?? 'text/html; charset=utf-8',
    })
    response.end(file)
  })
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = await launchBrowser()
  const events: string[] = []
  const page = await browser.newPage()
  await page.goto(origin)
  await page.waitForFunction('typeof window.show === "function"')
  watch(page, files, origin, events)
  return {
    show: (inputs) => page.evaluate(`window.show(${JSON.stringify(inputs)})`),
    takeEvents: () => events.splice(0),
    close: async () => {
      await browser.close()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Parts of the program that load later are no events. */
function watch(page: Page, files: ReadonlyMap<string, unknown>, origin: string, events: string[]): void {
  page.on('request', (request) => {
    const url = request.url()
    const { pathname } = new URL(url)
    // Live queries of a runbook are the program's own.
    const isOwn = url.startsWith(origin) && (files.has(pathname) || /^\/(favicon\.ico|api\/)/.test(pathname))
    if (!isOwn) events.push(`it requests ${url}`)
  })
  page.on('dialog', (dialog) => {
    events.push(`it opens a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', (popup) => events.push(`it opens ${popup.url()}`))
  page.on('framenavigated', (frame) => events.push(`it leaves for ${frame.url()}`))
  page.on('pageerror', (error) => events.push(`it throws: ${error.message}`))
  page.on('crash', () => events.push('it crashes'))
}
