"""The style sheet of the report."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light; --ink: #1c2326; --muted: #5a6468; --line: #dddad0; --accent: #0f6b6b; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: var(--ink); font: 16px/1.55 Inter, "Segoe UI", "Helvetica Neue", Arial,
  sans-serif; }
main { max-width: 50rem; margin: 0 auto; padding: 3rem 1.5rem 4rem; }
h1, h2, h3 { font-family: Georgia, "Times New Roman", serif; line-height: 1.2; break-after: avoid; }
h1 { font-size: 2.1rem; margin: 0 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.5rem; margin: 3rem 0 .6rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.15rem; margin: 2rem 0 .4rem; }
p, li { overflow-wrap: anywhere; }
.question, figcaption, .small { color: var(--muted); }
.finding { font-size: 1.3rem; line-height: 1.45; margin: 1.4rem 0; padding-left: 1.1rem;
  border-left: 4px solid var(--accent); }
figure { margin: 1.2rem 0; break-inside: avoid; }
figure svg { width: 100%; height: auto; max-height: 24cm; }
figcaption, .small { font-size: .88rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; }
th:first-child, td:first-child, .words td, .words th { text-align: left; }
td { overflow-wrap: break-word; }
.words td:last-child { overflow-wrap: anywhere; }
.swaps td:first-child { min-width: 16rem; text-align: left; }
table:not(.words) td:not(:first-child) { white-space: nowrap; }
td small { display: block; color: var(--muted); white-space: nowrap; }
td:first-child small { white-space: normal; }
tr { break-inside: avoid; }
h2 + p { break-after: avoid; }
del { color: #8a3a0c; text-decoration-thickness: 2px; }
mark { background: #cfe7e4; color: inherit; font-weight: 600; margin-left: .15em; padding: 0 .15em; }
pre { background: #f5f3ee; padding: .8rem 1rem; border-radius: .5rem; white-space: pre-wrap; overflow-wrap: anywhere;
  font-size: .88rem; }
@media screen and (max-width: 40rem) {
  main { padding: 1.5rem 1rem 3rem; }
  table { font-size: .7rem; }
  th { font-size: .66rem; }
  th, td { padding: .3rem .1rem; }
  .swaps td:first-child { min-width: 9rem; }
  table:not(.words) td:not(:first-child), td small { white-space: normal; }
}
@page { margin: 16mm 14mm; }
@media print {
  main { max-width: none; padding: 0; }
  body { font-size: 11pt; }
  h2 { margin-top: 1.6rem; }
  .wide { overflow: visible; }
  table { font-size: 8.5pt; }
  th, td { padding: .3rem .4rem; }
}
"""
