import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DEFAULT_FARO_OPTIONS } from '../../src/api/ingest/faro.ts'
import { makeServer } from '../api/test-server.ts'
import { ROOT } from '../content/content.ts'
import { alertsPage, apiPage, cliPage, metricsPage, optionsPage } from './reference-pages.ts'

// A stale page fails here: `npm run docs` writes them all.

test.each([
  ['options', optionsPage],
  ['metrics', metricsPage],
  ['alerts', alertsPage],
  ['cli', cliPage],
  [
    'api',
    async () => {
      const { app } = await makeServer({ faro: DEFAULT_FARO_OPTIONS })
      try {
        return apiPage(app)
      } finally {
        await app.close()
      }
    },
  ],
])('docs/reference/%s.md is as the code has it', async (name, render) => {
  await expect(await render()).toMatchFileSnapshot(join(ROOT, `docs/reference/${name}.md`))
})
