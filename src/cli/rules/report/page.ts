import { dateOf, Html, html, sanitizeText } from '#base';
import { roleName } from '#cli/rules/rehearsal-report';
import { textsFor } from '#command/texts';
import type { RehearsedRules } from '#gating/rehearsal';
import { TIERS, type Tier } from '#reputation';
import type { Move, StoredRules } from '#scoring';
import { divergingBars, pairedBars, signed } from './plots.ts';
import { REPORT_STYLE } from './style.ts';
import { type ReportTexts, reportTexts } from './texts.ts';

/** What the report is about. */
export interface ReportSubject {
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
