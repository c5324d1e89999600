import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import type { Plugin } from 'vite'

/** The development server answers pages itself and hands everything else to a Daytwo on its default address. */
const SERVER = 'http://127.0.0.1:4318'

/**
 * PatternFly's `parent > * + *` in words that match the same and weigh the same. Where any element may follow any other, a
 * browser styles the whole parent anew whenever a child comes or goes, in every list of every page: of 10,000 clusters
 * scrolled that was half of a frame. `test/web/styles.test.ts` holds that none is left.
 */
function withoutAnySibling(): Plugin {
  return {
    name: 'without-any-sibling',
    enforce: 'pre',
    transform: {
      filter: { id: /\/@patternfly\/.*\.css$/ },
      handler: (code) => code.replaceAll(/> \* \+ \*/g, '> :where(:not(:first-child))'),
    },
  }
}

const REACT = /node_modules\/(?:react|react-dom|scheduler|wouter|regexparam|@tanstack\/(?:react-query|query-core))\//
const PATTERNFLY_STYLES = /node_modules\/@patternfly\/.*\.css$/
const PATTERNFLY = /node_modules\/@patternfly\//

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), withoutAnySibling()],
  // The editor of queries brings a copy of its own of the grammar; one is enough.
  resolve: { dedupe: ['@prometheus-io/lezer-promql'] },
  build: {
    outDir: resolve(import.meta.dirname, '../../dist/web'),
    emptyOutDir: true,
    // Nothing becomes a data: address, so that the content security policy can stay at 'self' for scripts and fonts.
    assetsInlineLimit: 0,
    target: 'es2022',
    rolldownOptions: {
      output: {
        // React and PatternFly change with a dependency update, our code with every commit: two cache lives.
        codeSplitting: {
          groups: [
            { name: 'react', test: REACT, tags: ['$initial'] },
            // Its styles all come first, so that ours stand after them; its scripts come with what uses them.
            { name: 'patternfly-styles', test: PATTERNFLY_STYLES },
            { name: 'patternfly', test: PATTERNFLY, tags: ['$initial'] },
            // One file and not a dozen: all of it is needed before anything is seen.
            { name: 'shell', test: /\/src\/(?:web|model|contract)\//, tags: ['$initial'] },
          ],
        },
      },
    },
  },
  server: { host: '127.0.0.1', proxy: { '/api': SERVER, '/collect': SERVER, '/-': SERVER, '/metrics': SERVER } },
})
