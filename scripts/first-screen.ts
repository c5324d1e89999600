import type { Plugin } from 'vite'

/** Every page shows these, at every width; a browser warns of what it requested early and did not use. */
const FIRST_FONTS = /\/red-hat-(?:text|display)-[^-/]+\.woff2$/
const PAGE = 'index.html'

/** Requests the fonts with the page. Text that is there before its font is laid out and drawn a second time when it comes. */
export function firstScreen(): Plugin {
  return {
    name: 'first-screen',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const page = bundle[PAGE]
        if (page?.type !== 'asset' || typeof page.source !== 'string') throw new Error(`there is no ${PAGE}`)
        const links = Object.keys(bundle)
          .filter((name) => FIRST_FONTS.test(`/${name}`))
          .map((name) => `    <link rel="preload" as="font" type="font/woff2" crossorigin href="/${name}">\n`)
        page.source = page.source.replace(/(?=^.*<link rel="stylesheet")/m, links.join(''))
      },
    },
  }
}
