/** Kept in the page, so that the reference is one file that works without the internet. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1d2430;--soft:#5b6676;--line:#dfe4ea;--paper:#fff;--panel:#f6f8fa;--accent:#1f5fbf;
--get:#1a7f4b;--post:#1f5fbf;--patch:#9a6700;--delete:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e4e8ee;--soft:#9aa5b4;--line:#2c3440;--paper:#12161c;--panel:#1a2028;
--accent:#7fb0ff;--get:#5fd09a;--post:#7fb0ff;--patch:#e0b04c;--delete:#ff8f85}}
*{box-sizing:border-box}html{scroll-padding-top:1rem}
body{margin:0;font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--ink);background:var(--paper)}
code,pre{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
.page{display:grid;grid-template-columns:270px minmax(0,1fr);min-height:100vh}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;padding:1.5rem 1rem;border-right:1px solid var(--line);background:var(--panel)}
nav h1{font-size:1.15rem;margin:0}nav .version{color:var(--soft);font-size:.85rem;margin:0 0 1rem}
nav h2{font-size:.75rem;text-transform:uppercase;letter-spacing:.06em;color:var(--soft);margin:1.2rem 0 .3rem}
nav ul{list-style:none;margin:0;padding:0}nav li a{display:flex;gap:.5rem;align-items:baseline;padding:.18rem .3rem;border-radius:4px;color:var(--ink);font-size:.9rem}
nav li a:hover{background:var(--line);text-decoration:none}
main{padding:2rem clamp(1rem,4vw,3.5rem);max-width:1280px}
.method{font:600 .68rem/1.4 ui-monospace,Menlo,Consolas,monospace;min-width:3.8em;text-align:left}
.get{color:var(--get)}.post{color:var(--post)}.patch{color:var(--patch)}.delete{color:var(--delete)}
section.operation{padding:2rem 0;border-top:1px solid var(--line)}
section.operation>h3{margin:0 0 .3rem;font-size:1.25rem}
.path{display:flex;gap:.7rem;align-items:baseline;padding:.5rem .8rem;background:var(--panel);border:1px solid var(--line);border-radius:6px;overflow-x:auto}
.path .method{font-size:.8rem}.columns{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:0 2.2rem}
h2.tag{margin:2.5rem 0 .2rem;font-size:1.5rem}h4{margin:1.4rem 0 .4rem;font-size:.8rem;text-transform:uppercase;letter-spacing:.05em;color:var(--soft)}
pre{margin:0 0 1rem;padding:.8rem 1rem;background:var(--panel);border:1px solid var(--line);border-radius:6px;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
p code,.what code,td code,li code{background:var(--panel);border:1px solid var(--line);border-radius:4px;padding:0 .25em}
.field{display:grid;grid-template-columns:minmax(9.5rem,12rem) minmax(0,1fr);gap:.8rem;padding:.45rem 0;border-bottom:1px solid var(--line)}
.fields .fields{margin-left:.2rem;padding-left:.8rem;border-left:2px solid var(--line)}.name code{font-weight:600;overflow-wrap:anywhere}
.optional,.bounds,.type{color:var(--soft);font-size:.85rem}.optional{display:block}.word{font-size:.8rem}
details summary{cursor:pointer;color:var(--accent);font-size:.85rem}
table{border-collapse:collapse;width:100%}td{padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td.status{font-weight:600;white-space:nowrap;width:3.5rem}
@media (max-width:1000px){.columns{grid-template-columns:1fr}}
@media (max-width:720px){.page{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line)}.field{grid-template-columns:1fr;gap:.1rem}}
`;
