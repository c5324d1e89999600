import { defineConfig } from 'vitest/config'

// The usual summary is printed by the default reporter; two workers, because CI has two cores.
export default defineConfig({
  test: {
    // Only against hanging: machines are shared and slow at times, and no test is about how long something takes.
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
})
