import { defineConfig } from 'vitest/config'

// The usual summary is printed by the default reporter. Three workers for CI's two cores: some tests wait for a real
// Prometheus to scrape, or for a killed server to come back.
export default defineConfig({
  test: {
    // Only against hanging: machines are shared and slow at times, and no test is about how long something takes.
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    maxWorkers: 3,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
})
