import { defineConfig } from 'vitest/config'
import { cssModules } from './scripts/css-module-names.ts'
import { LongestFirst } from './test/support/longest-first.ts'

/**
 * Tests that start programs; they begin first. Their files share a process, with the modules it has loaded, except where the stores
 * of a mode are stopped at the end of a file.
 */
const WHOLE = ['test/{chaos,cli,e2e,fuzz}/**/*.test.ts']

const IS_OF_A_MODE = process.env['TEST_MODE'] !== undefined

/** Pages on fixtures: the files that one process runs share a browser, whose tabs have the program compiled. */
const PAGES = ['test/web/browser/**/*.test.ts']

/**
 * In CI, tests with a real browser or another process have a second try: one of ten thousand that loses a race with a busy
 * machine must not hold up everything else. The report names each that needed it, and it is to be mended.
 */
const RETRIES = process.env['CI'] === 'true' ? 1 : 0

// The usual summary is printed by the default reporter. Three workers for CI's two cores: some tests wait for a real
// Prometheus to scrape, or for a killed server to come back.
export default defineConfig({
  css: { modules: cssModules },
  test: {
    // Components have the classes that they have in the pages; all other styles are nothing here.
    css: { include: /\.module\.css$/ },
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    maxWorkers: 3,
    // Only against hanging: machines are shared and slow at times, and no test is about how long something takes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default'],
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'whole', include: WHOLE, isolate: IS_OF_A_MODE, retry: RETRIES } },
      { extends: true, test: { name: 'pages', include: PAGES, isolate: false, retry: RETRIES } },
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...WHOLE, ...PAGES],
          // Half of their time was loading the same modules anew for each file; they share no state.
          isolate: false,
        },
      },
    ],
  },
})
