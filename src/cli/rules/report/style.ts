/** The style of a rehearsal's page. Inline, so that the file needs nothing else. */
export const REPORT_STYLE = `
:root{color-scheme:light dark;--bg:#f6f9fa;--card:#fff;--ink:#10242e;--soft:#4a616d;--line:#d5e0e5;
--before:#7d95a1;--after:#0a6478;--up:#1c6b3a;--down:#9a3412;--heat:10 100 120}
@media (prefers-color-scheme:dark){:root{--bg:#08161d;--card:#0e212b;--ink:#e2edf1;--soft:#a3b8c2;
--line:#21404e;--before:#6d8592;--after:#6fd0e4;--up:#7fd79c;--down:#f0ab84;--heat:111 208 228}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:64rem;padding:1.2rem 1rem 3rem;background:var(--bg);color:var(--ink);
font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
h1{font-size:clamp(1.5rem,5vw,2.1rem);line-height:1.2;margin:.4rem 0}
h2{font-size:1.2rem;margin:0 0 .5rem}
p{margin:.4rem 0}
.soft{color:var(--soft);font-size:.9rem}
code{font:.85em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1rem;margin:1rem 0}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:.6rem;margin:1rem 0}
.figures div{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:.7rem .9rem}
.figures b{display:block;font-size:1.5rem;line-height:1.2}
.figures span{color:var(--soft);font-size:.85rem}
.scroll{overflow-x:auto}
.scroll:focus-visible,summary:focus-visible{outline:3px solid var(--after);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;padding:.4rem .7rem .4rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--soft);font-size:.8rem;font-weight:600}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.matrix td,.matrix thead th{text-align:right;padding:.4rem .5rem;font-variant-numeric:tabular-nums;white-space:nowrap}
.matrix td{background:rgb(var(--heat)/var(--share,0))}
.matrix td.none{color:var(--soft)}
@media (max-width:30rem){section{padding:.8rem .6rem}.matrix{font-size:.68rem}
.matrix th,.matrix td,.matrix thead th{font-size:inherit;padding:.4rem .15rem;white-space:normal;overflow-wrap:normal}}
.matrix td.stays{outline:1px dashed var(--soft);outline-offset:-3px}
.up{color:var(--up)}.down{color:var(--down)}
summary{cursor:pointer;width:fit-content;color:var(--soft);font-size:.9rem;padding:.3rem 0}
svg{display:block;width:100%;max-width:30rem;height:auto;font:12px system-ui,sans-serif}
svg text{fill:var(--ink)}
svg .count{fill:var(--soft)}
.bar-before{fill:var(--before)}.bar-after{fill:var(--after)}
.bar-up{fill:var(--up)}.bar-down{fill:var(--down)}
.bar p{margin:.5rem 0 0;font-size:.9rem}
.legend{display:flex;gap:1rem;font-size:.85rem;color:var(--soft);margin:.2rem 0 .5rem}
.legend i{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.35em}
.legend .is-before{background:var(--before)}.legend .is-after{background:var(--after)}
`;
