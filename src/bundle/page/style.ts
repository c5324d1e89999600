/** The styles of the page. Its policy allows these and no others: there are no styles in attributes. */
export const STYLE = `
:root { color-scheme: light dark; --text: #16202a; --quiet: #52606d; --ground: #ffffff; --raised: #f4f6f8; --line: #d3dae0;
  --accent: #0b62b0; --good: #1a7f52; --bad: #b3261e; --open: #a15c00;
  --c0: #0b62b0; --c1: #a15c00; --c2: #1a7f52; --c3: #8e2f8f; --c4: #b3261e; --c5: #00727d; --c6: #6b5b00; --c7: #52606d }
@media (prefers-color-scheme: dark) { :root { --text: #e6ebf0; --quiet: #a4b1bd; --ground: #12181e; --raised: #1c242c; --line: #34414d;
  --accent: #6cb2f5; --good: #5cc596; --bad: #ff8a80; --open: #f0b35e;
  --c0: #6cb2f5; --c1: #f0b35e; --c2: #5cc596; --c3: #d996da; --c4: #ff8a80; --c5: #5cc8d3; --c6: #d6c25a; --c7: #a4b1bd } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main, header, nav { max-width: 1160px; margin: 0 auto; padding: 0 20px }
header { padding-top: 28px }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 6px }
h2 { font-size: 20px; margin: 40px 0 12px; padding-top: 12px; border-top: 1px solid var(--line) }
h3 { font-size: 16px; margin: 24px 0 8px }
h4, h5, h6 { font-size: 15px; margin: 18px 0 6px }
a { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.quiet, .axis { color: var(--quiet) }
.note { border-left: 4px solid var(--open); background: var(--raised); padding: 8px 12px; margin: 12px 0 }
.note ul { margin: 4px 0; padding-left: 20px }
nav ul { display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 0; list-style: none }
nav a { display: inline-block; padding: 4px 0 }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
caption { text-align: left; color: var(--quiet); padding: 4px 0 }
th, td { text-align: left; vertical-align: top; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; min-width: 90px }
th[scope=row] { font-weight: 600 }
.wide { min-width: 1000px }
.wide td { min-width: 120px }
.wide td:first-child { min-width: 220px }
.wide td:last-child { min-width: 320px }
.facts th { width: 220px; font-weight: 400; color: var(--quiet) }
.timeline { min-width: 860px }
.lane { width: 40%; min-width: 260px }
.lane svg { display: block; width: 100%; height: 14px; margin-top: 4px }
.track { fill: var(--raised) } .done { fill: var(--good) } .bad { fill: var(--bad) } .open { fill: var(--open) }
figure { margin: 0 0 28px } figcaption { font-weight: 600 }
pre { background: var(--raised); padding: 8px 12px; overflow-x: auto; margin: 6px 0; white-space: pre-wrap }
code { font: 13px/1.5 ui-monospace, monospace }
.chart { display: block; width: 100%; height: 160px; background: var(--raised) }
.line { fill: none; stroke-width: 1.6; stroke-linecap: round; vector-effect: non-scaling-stroke }
.axis { display: flex; justify-content: space-between; gap: 12px; margin: 2px 0; font-size: 13px }
.legend { list-style: none; padding: 0; margin: 6px 0; font: 13px/1.6 ui-monospace, monospace }
.swatch { display: inline-block; width: 12px; height: 3px; vertical-align: middle; margin-right: 8px; background: currentColor }
${[0, 1, 2, 3, 4, 5, 6, 7].map((i) => `.line.c${i} { stroke: var(--c${i}) } .swatch.c${i} { color: var(--c${i}) }`).join('\n')}
.runbook { border: 1px solid var(--line); padding: 4px 16px; margin: 12px 0 }
@media (max-width: 600px) { main, header, nav { padding: 0 14px } header { padding-top: 18px } h1 { font-size: 21px } .facts th { width: 120px } }
@media print { nav { display: none } .scroll { overflow: visible } }
`
