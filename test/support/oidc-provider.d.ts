/** What tests use of it; its own types need those of a whole web framework. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  // eslint-disable-next-line no-restricted-exports -- declares the default export that the package has
  export default class Provider {
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
  }
}
