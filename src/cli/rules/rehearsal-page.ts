import { dateOf, Html, html, sanitizeText } from '#base';
import { textsFor } from '#command/texts';
import type { RehearsedRules } from '#gating/rehearsal';
import { TIERS, type Tier } from '#reputation';
import type { Move, StoredRules } from '#scoring';
import { roleName } from './rehearsal-report.ts';

/** What the report is about. */
interface ReportSubject {
  readonly rules: Pick<StoredRules, 'name' | 'version' | 'hash'>;
  /** The live rules; undefined if there are none. */
  readonly live: Pick<StoredRules, 'name' | 'version'> | undefined;
  /** The day of the last daily step. */
  readonly asOf: number;
}

interface Words {
  readonly texts: ReportTexts;
  readonly tier: (tier: Tier | undefined) => string;
  readonly number: (count: number) => string;
}

/** The results of a rehearsal as one self-contained file. @param language `en` or `es` */
export function rehearsalPage(
  result: RehearsedRules,
  { rules, live, asOf }: ReportSubject,
  language: string,
): string {
  const texts = reportTexts(language);
  const { tiers, number } = textsFor(language);
  const tier = (each: Tier | undefined) => (each === undefined ? texts.nobody : tiers[each]);
  const words: Words = { texts, tier, number };
  const named = ({ name, version }: Pick<StoredRules, 'name' | 'version'>) =>
    texts.rulesNamed(name, String(version));
  const title = texts.title(named(rules));
  const isSame =
    result.changed === 0 && result.roles.every(({ gained, lost }) => gained + lost === 0);
  const page = html`<!doctype html>
<html lang="${texts.language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title><style>${new Html(REPORT_STYLE)}</style></head><body><main>
<h1>${title}</h1>
<p>${texts.about(live === undefined ? texts.noRules : named(live))}</p>
<p class="soft">${texts.asOf(dateOf(asOf))} · <code>sha256 ${rules.hash}</code></p>
${figures(result, words)}
${isSame ? html`<p>${texts.nothing}</p>` : []}
${distribution(result, words)}${flows(result, words)}${roles(result, words)}${badges(result, words)}${moves(texts.rises, result.rises, words)}${moves(texts.falls, result.falls, words)}
</main></body></html>
`;
  return page.text;
}

function figures(
  { wallets, changed, tiers, roles }: RehearsedRules,
  { texts, number }: Words,
): Html {
  const sum = (of: readonly number[]) => of.reduce((total, each) => total + each, 0);
  const all: (readonly [number, string])[] = [
    [wallets, texts.wallets],
    [changed, texts.changed],
    [sum(tiers.map(({ rose }) => rose)), texts.rise],
    [sum(tiers.map(({ fell }) => fell)), texts.fall],
  ];
  if (roles.length > 0) all.push([sum(roles.map(({ lost }) => lost)), texts.loseRoles]);
  return html`<div class="figures">${all.map(([count, what]) => html`<div><b>${number(count)}</b><span>${what}</span></div>`)}</div>`;
}

/** Scores from here on are shortened in plots. */
const LONG = 100_000;

type ScoreRange = RehearsedRules['distribution'][number];

function distribution({ distribution: ranges }: RehearsedRules, { texts, number }: Words): Html {
  const exact = ({ from, to }: ScoreRange) =>
    from === to ? number(from) : `${number(from)}–${number(to)}`;
  const bars = ranges.map((range) => ({
    // Beside a bar there's no room for long ones; the table has them.
    label: range.from < LONG ? exact(range) : `≥ ${texts.short(range.from)}`,
    ...{ before: range.before, after: range.after },
  }));
  return html`<section><h2>${texts.distribution}</h2>
<p class="legend"><span><i class="is-before"></i>${texts.before}</span><span><i class="is-after"></i>${texts.after}</span></p>
${pairedBars(texts.distributionPlot, bars, number)}
<details><summary>${texts.table}</summary>${table(
    texts.distribution,
    [texts.score, texts.before, texts.after],
    ranges.map((range) => [exact(range), number(range.before), number(range.after)]),
  )}</details></section>`;
}

function flows({ flows: all }: RehearsedRules, { texts, tier, number }: Words): Html {
  const sides = (side: 'from' | 'to') => [
    ...TIERS,
    ...(all.some((each) => each[side] === undefined) ? [undefined] : []),
  ];
  const [rows, columns] = [sides('from'), sides('to')];
  const wallets = (from: Tier | undefined, to: Tier | undefined) =>
    all.find((each) => each.from === from && each.to === to)?.wallets ?? 0;
  const cell = (from: Tier | undefined, to: Tier | undefined) => {
    const count = wallets(from, to);
    const total = all.reduce((sum, each) => sum + (each.from === from ? each.wallets : 0), 0);
    // Coloured by share of the tier, so that changes in small tiers stand out, too.
    const share = count === 0 ? '0' : (0.08 + 0.42 * (count / total)).toFixed(2);
    const name = [...(from === to ? ['stays'] : []), ...(count === 0 ? ['none'] : [])].join(' ');
    return html`<td class="${name}" style="--share:${share}">${number(count)}</td>`;
  };
  return html`<section><h2>${texts.tiers}</h2><p class="soft">${texts.tiersHint}</p>
<div class="scroll" tabindex="0" role="region" aria-label="${texts.tiers}"><table class="matrix"><thead><tr><th>${texts.fromTo}</th>${columns.map((to) => html`<th scope="col">${tier(to)}</th>`)}</tr></thead>
<tbody>${rows.map((from) => html`<tr><th scope="row">${tier(from)}</th>${columns.map((to) => cell(from, to))}</tr>`)}</tbody></table></div></section>`;
}

function roles({ roles: all }: RehearsedRules, { texts, number }: Words): Html | [] {
  if (all.length === 0) return [];
  const bars = all.map((each) => ({ label: roleName(each), lost: each.lost, gained: each.gained }));
  return html`<section><h2>${texts.roles}</h2><p class="soft">${texts.rolesHint}</p>${divergingBars(bars, texts, number)}
<details><summary>${texts.table}</summary>${table(
    texts.roles,
    [texts.role, texts.before, texts.after, texts.gain, texts.lose],
    all.map((each) => [
      roleName(each),
      ...[each.before, each.after, each.gained, each.lost].map(number),
    ]),
  )}</details></section>`;
}

function badges({ badges: all }: RehearsedRules, { texts, number }: Words): Html | [] {
  if (all.length === 0) return [];
  const bars = all.map(({ id, gained, lost }) => ({ label: id, gained, lost }));
  return html`<section><h2>${texts.badges}</h2>${divergingBars(bars, texts, number)}
<details><summary>${texts.table}</summary>${table(
    texts.badges,
    [texts.badge, texts.gain, texts.lose],
    all.map(({ id, gained, lost }) => [id, number(gained), number(lost)]),
  )}</details></section>`;
}

function moves(title: string, all: readonly Move[], { texts, tier, number }: Words): Html | [] {
  if (all.length === 0) return [];
  const rows = all.map(({ wallet, before, after, tierBefore, tierAfter, reason }) => {
    const by = after - before;
    const tiers = tierBefore === tierAfter ? '' : ` · ${tier(tierBefore)} → ${tier(tierAfter)}`;
    return html`<tr><td><code>${wallet.address}</code><br><span class="soft">${number(before)} → ${number(after)}${tiers}</span><br>${sanitizeText(reason).replaceAll(' -', ' −')}</td><td class="n ${by > 0 ? 'up' : 'down'}">${signed(by, number)}</td></tr>`;
  });
  return html`<section><h2>${title}</h2><div class="scroll" tabindex="0" role="region" aria-label="${title}"><table><thead><tr><th>${texts.wallet}</th><th class="n">${texts.change}</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

/** The first column is text, the others are numbers. */
function table(name: string, heads: readonly string[], rows: readonly (readonly string[])[]): Html {
  const cells = (tag: 'th' | 'td', row: readonly string[]) =>
    row.map((cell, i) =>
      tag === 'th'
        ? html`<th scope="col" class="${i === 0 ? '' : 'n'}">${cell}</th>`
        : html`<td class="${i === 0 ? '' : 'n'}">${cell}</td>`,
    );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${name}"><table><thead><tr>${cells('th', heads)}</tr></thead><tbody>${rows.map((row) => html`<tr>${cells('td', row)}</tr>`)}</tbody></table></div>`;
}

/** Widths in SVG units; the drawing is as wide as a phone and scales with the page. */
const WIDTH = 340;
const BAR = 11;
const LABELS = 96;
const COUNTS = 58;
const FULL = WIDTH - LABELS - COUNTS;

/** A pair of bars for each label. */
interface PairedBar {
  readonly label: string;
  readonly before: number;
  readonly after: number;
}

/**
 * Draws pairs of bars, one below the other to fit a phone.
 * @param name describes the plot for screen readers
 */
function pairedBars(
  name: string,
  bars: readonly PairedBar[],
  number: (count: number) => string,
): Html {
  const most = Math.max(1, ...bars.flatMap(({ before, after }) => [before, after]));
  const step = 2 * BAR + 10;
  const rows = bars.map(({ label, before, after }, index) => {
    const y = index * step + 2;
    const one = (count: number, top: number, kind: string) =>
      html`<rect class="bar-${kind}" x="${LABELS}" y="${top}" width="${widthOf(count, most)}" height="${BAR}" rx="2"/><text class="count" x="${LABELS + widthOf(count, most) + 4}" y="${top + BAR - 1}">${number(count)}</text>`;
    return html`<text x="${LABELS - 6}" y="${y + BAR + 4}" text-anchor="end">${label}</text>${one(before, y, 'before')}${one(after, y + BAR + 1, 'after')}`;
  });
  return html`<svg viewBox="0 0 ${WIDTH} ${bars.length * step}" role="img" aria-label="${name}">${rows}</svg>`;
}

/** A bar to the left for losses, one to the right for gains. */
interface DivergingBar {
  readonly label: string;
  readonly lost: number;
  readonly gained: number;
}

/**
 * Draws losses to the left and gains to the right of a middle line, each below its label.
 * @param words what the figures mean, for screen readers
 */
function divergingBars(
  bars: readonly DivergingBar[],
  words: { readonly lose: string; readonly gain: string },
  number: (count: number) => string,
): Html {
  const most = Math.max(1, ...bars.flatMap(({ lost, gained }) => [lost, gained]));
  const middle = WIDTH / 2;
  const half = middle - COUNTS;
  const rows = bars.map(({ label, lost, gained }) => {
    const left = (lost / most) * half;
    const right = (gained / most) * half;
    const [less, more] = [signed(-lost, number), signed(gained, number)];
    return html`<div class="bar"><p>${label}</p><svg viewBox="0 0 ${WIDTH} ${BAR + 4}" role="img" aria-label="${words.lose}: ${number(lost)}, ${words.gain}: ${number(gained)}"><rect class="bar-down" x="${middle - left}" y="2" width="${left}" height="${BAR}" rx="2"/><text class="count" x="${middle - left - 4}" y="${BAR + 1}" text-anchor="end">${less}</text><rect class="bar-up" x="${middle}" y="2" width="${right}" height="${BAR}" rx="2"/><text class="count" x="${middle + right + 4}" y="${BAR + 1}">${more}</text></svg></div>`;
  });
  return html`${rows}`;
}

/** With a sign that can't be mistaken for a hyphen. */
function signed(by: number, number: (count: number) => string): string {
  if (by === 0) return '0';
  return by > 0 ? `+${number(by)}` : `−${number(-by)}`;
}

/** Even a single wallet is visible. */
function widthOf(count: number, most: number): number {
  return count === 0 ? 0 : Math.max(1, Math.round((count / most) * FULL * 10) / 10);
}

/** The texts of a rehearsal's page. */
const en = {
  language: 'en',
  title: (rules: string) => `Rehearsal of ${rules}`,
  about: (before: string) =>
    `What would change if these rules replaced ${before}. Nothing has changed yet.`,
  noRules: 'no rules',
  rulesNamed: (name: string, version: string) => `${name}, version ${version}`,
  asOf: (day: string) => `As of ${day}, 00:00 UTC`,
  short: (score: number) => shortOf('en', score),
  wallets: 'wallets',
  changed: 'change',
  rise: 'rise to a higher tier',
  fall: 'fall to a lower tier',
  loseRoles: 'lose a role',
  distribution: 'Scores before and after',
  distributionPlot: 'Wallets by score, before and after',
  score: 'Score',
  before: 'Before',
  after: 'After',
  tiers: 'Moves between tiers',
  tiersHint: 'Rows are tiers before, columns tiers after. The diagonal stays.',
  fromTo: 'Before \\ after',
  nobody: 'none',
  roles: 'Roles',
  rolesHint: 'Members who have a role by the rules of their community.',
  role: 'Role',
  gain: 'Gain it',
  lose: 'Lose it',
  badges: 'Badges',
  badge: 'Badge',
  rises: 'Largest rises',
  falls: 'Largest falls',
  wallet: 'Wallet',
  change: 'Change',
  table: 'Table',
  nothing: 'No score, badge or role would change.',
};

type ReportTexts = typeof en;

const es: ReportTexts = {
  language: 'es',
  title: (rules) => `Ensayo de ${rules}`,
  about: (before) =>
    `Qué cambiaría si estas reglas sustituyeran a ${before}. Todavía no ha cambiado nada.`,
  noRules: 'ninguna regla',
  rulesNamed: (name, version) => `${name}, versión ${version}`,
  asOf: (day) => `A fecha de ${day}, 00:00 UTC`,
  short: (score) => shortOf('es', score),
  wallets: 'carteras',
  changed: 'cambian',
  rise: 'suben de nivel',
  fall: 'bajan de nivel',
  loseRoles: 'pierden un rol',
  distribution: 'Puntuaciones antes y después',
  distributionPlot: 'Carteras por puntuación, antes y después',
  score: 'Puntuación',
  before: 'Antes',
  after: 'Después',
  tiers: 'Cambios de nivel',
  tiersHint:
    'Las filas son los niveles de antes; las columnas, los de después. La diagonal no cambia.',
  fromTo: 'Antes \\ después',
  nobody: 'ninguno',
  roles: 'Roles',
  rolesHint: 'Miembros que tienen un rol por las reglas de su comunidad.',
  role: 'Rol',
  gain: 'Lo ganan',
  lose: 'Lo pierden',
  badges: 'Insignias',
  badge: 'Insignia',
  rises: 'Mayores subidas',
  falls: 'Mayores bajadas',
  wallet: 'Cartera',
  change: 'Cambio',
  table: 'Tabla',
  nothing: 'No cambiaría ninguna puntuación, insignia ni rol.',
};

/** @param language `en` or `es` */
function reportTexts(language: string): ReportTexts {
  return language === 'es' ? es : en;
}

/** 200000 → `200K` */
function shortOf(language: string, score: number): string {
  return new Intl.NumberFormat(language, { notation: 'compact' }).format(score);
}

/** The style of a rehearsal's page. Inline, so that the file needs nothing else. */
const REPORT_STYLE = `
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
