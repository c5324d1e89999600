/** Nothing is shared between test files yet but the build, which `npm test` makes before it starts. */
export function setup(): void {
  process.env['TZ'] = 'UTC'
}
