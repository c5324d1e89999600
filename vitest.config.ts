import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

/** Tests that start programs or browsers: each file has a process of its own, and they begin first. */
const WHOLE = ['test/{cli,content,e2e,fuzz}/**/*.test.ts', 'test/web/browser/**/*.test.ts']

// The usual summary is printed by the default reporter. Three workers for CI's two cores: some tests wait for a real
// Prometheus to scrape, or for a killed server to come back.
export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    maxWorkers: 3,
    // Only against hanging: machines are shared and slow at times, and no test is about how long something takes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default'],
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'whole', include: WHOLE } },
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: WHOLE,
          // Half of their time was loading the same modules anew for each file; they share no state.
          isolate: false,
        },
      },
    ],
  },
})
