import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import { exploreSearchOf } from '../prometheus/graph-link.ts'
import { paramsOf } from '../prometheus/params.ts'

/**
 * The built UI. Assets have a content hash in their name and are cached for ever; the page itself is requested each
 * time. Pages are a list: an unknown path, and everything below /api, is 404 and never the page, because a client that
 * expects JSON cannot report a useful error for HTML.
 */
const PAGES = ['/', '/fleet', '/fleet/*', '/adoption', '/adoption/*', '/alerts', '/alerts/*', '/explore', '/explore/*']

export interface WebOptions {
  /** Folder of the built UI: `index.html`, files beside it, and `assets/`. */
  readonly webRoot: string
}

export async function registerWeb(app: FastifyInstance, { webRoot }: WebOptions): Promise<void> {
  // Only `sendFile`: the routes are declared here, so that each has its access.
  await app.register(fastifyStatic, { root: webRoot, serve: false, cacheControl: false, index: false })

  for (const url of PAGES) {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      // Not public, so that the browser prompts for the token on the first page and sends it from then on.
      config: { access: 'viewer', dialect: 'text', scope: 'none' },
      handler: (_request, reply) => sendPage(reply, webRoot),
    })
  }

  const asset = { access: 'public', dialect: 'text' } as const
  app.route<{ Params: { '*': string } }>({
    method: ['GET', 'HEAD'],
    url: '/assets/*',
    config: asset,
    handler: (request, reply) => {
      void reply.header('cache-control', 'public, max-age=31536000, immutable')
      // Its own root: `..%2findex.html` must not return the page as public and cached for ever.
      return reply.sendFile(request.params['*'], join(webRoot, 'assets'))
    },
  })
  for (const name of rootFiles(webRoot)) {
    app.route({
      method: ['GET', 'HEAD'],
      url: `/${name}`,
      config: asset,
      handler: (_request, reply) => {
        void reply.header('cache-control', 'no-cache')
        return reply.sendFile(name)
      },
    })
  }

  // Prometheus' query pages, to which `generatorURL`s of alerts and links of other tools lead.
  for (const url of ['/graph', '/query']) {
    app.get(url, { config: { access: 'viewer', dialect: 'text', scope: 'none' } }, (request, reply) => {
      const search = exploreSearchOf(paramsOf(request))
      return reply.redirect(search === '' ? '/explore' : `/explore?${search}`, 302)
    })
  }
}

/** The UI's page, with a given status (404 for an unknown runbook, whose page shows the nearest names). */
export async function sendPage(reply: FastifyReply, webRoot: string, status = 200): Promise<FastifyReply> {
  let page: Buffer
  try {
    page = await readFile(join(webRoot, 'index.html'))
  } catch (thrown) {
    throw new FleetError('not_ready', 'the UI is not built', { hint: '`npm run build` makes it', cause: thrown })
  }
  return reply.code(status).header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page)
}

/** Names of the files beside the page: icons, the theme script. Read once, at the start. */
function rootFiles(webRoot: string): readonly string[] {
  if (!existsSync(webRoot)) return []
  return readdirSync(webRoot, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'index.html' && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
}
