import { basename } from 'node:path'

/**
 * Names of classes in CSS modules: `<file>-<class>`, such as `notice-actions`, and for the class `root` the file's alone.
 * They are readable in a browser's tools and stable from build to build, so tests and `print.css` may name
 * them. `test/web/styles.test.ts` checks that no two modules make the same name.
 */
export const cssModules = {
  generateScopedName(className: string, path: string): string {
    const file = basename(path, '.module.css')
    return className === 'root' ? file : `${file}-${className}`
  },
}
