import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { cssModules } from '../../scripts/css-module-names.ts'
import { firstScreen } from '../../scripts/first-screen.ts'
import { pageParts } from '../../scripts/page-parts.ts'
import { pagePatterns } from './lib/page-files.ts'

/** The development server serves the pages and proxies the rest to a Daytwo on its default address. */
const SERVER = 'http://127.0.0.1:4318'

const REACT = /node_modules\/(?:react|react-dom|scheduler|wouter|regexparam|@tanstack\/(?:react-query|query-core))\//

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), firstScreen(), pageParts(pagePatterns())],
  css: { modules: cssModules },
  // The editor of queries brings a copy of its own of the grammar; one is enough.
  resolve: { dedupe: ['@prometheus-io/lezer-promql'] },
  build: {
    outDir: resolve(import.meta.dirname, '../../dist/web'),
    emptyOutDir: true,
    // Nothing becomes a data: address, so that the content security policy can stay at 'self' for scripts and fonts.
    assetsInlineLimit: 0,
    // One sheet for all pages: a dozen of small ones a page cost more to request than their bytes.
    cssCodeSplit: false,
    // The parts of a page are preloaded by `page-parts.ts`; in the first screen, too, their names would be 3 kB.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, parts, { hostType }) => (hostType === 'html' ? parts : []),
    },
    target: 'es2022',
    rolldownOptions: {
      output: {
        // React changes with a dependency update, our code with every commit: two cache lives.
        codeSplitting: {
          groups: [
            { name: 'react', test: REACT, tags: ['$initial'] },
            // One file and not a dozen: all of it is needed before anything is seen.
            { name: 'shell', test: /\/src\/(?:web|model|contract)\//, tags: ['$initial'] },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': SERVER, '/collect': SERVER, '/-': SERVER, '/sign-in': SERVER, '/metrics': SERVER },
  },
})
