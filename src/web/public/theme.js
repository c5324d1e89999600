// Sets the theme class before the first paint. The same decision as applyTheme in ui/preferences.ts, in a file of its
// own because this one must block rendering and that one must not.
/* global document, localStorage, matchMedia */
try {
  const isForced = matchMedia('(forced-colors: active)').matches
  const kept = isForced ? 'system' : JSON.parse(localStorage.getItem('daytwo.preferences') ?? '{}').theme
  const isDark = kept === 'dark' || (kept !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.toggle('theme-dark', isDark)
} catch {
  // Storage may be forbidden or hold something else: the light theme is a fine start.
}
