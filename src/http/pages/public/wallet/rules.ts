import { dateTag } from '#http/pages/public/dates';
import { type Markup, markup, NOTHING, safeText } from '#http/pages/public/markup';
import { percentX } from '#http/pages/public/plots/scale';
import type { PageReader } from '#http/pages/public/reader';
import type { WalletData } from '#http/pages/public/wallet-data';
import type { Breakdown, RuleShare } from '#reputation';
import { partSection, section } from './section.ts';

const RULES_SHOWN = 20;
/** Maximum characters of a rule's title: it may name many contracts. */
const TITLE_MAX = 160;

/** Points by rule, and what was held back. */
export function rulesSection({ breakdown }: WalletData, reader: PageReader): Markup {
  const { title } = reader.words.pages.wallet.rules;
  return section(
    'rules',
    title,
    partSection(breakdown, reader, (of) => rulesTable(of, reader)),
  );
}

/** A row of the table. */
interface Share {
  readonly points: number;
  readonly title: string;
  readonly detail: Markup;
}

function rulesTable({ rules, imported, asOf }: Breakdown, reader: PageReader): Markup {
  const { texts, words } = reader;
  const { rules: own } = words.pages.wallet;
  const ordered = rules.toSorted((one, other) => Math.abs(other.points) - Math.abs(one.points));
  const shares = ordered.slice(0, RULES_SHOWN).map((each) => shareOfRule(each, reader));
  const others = ordered.slice(RULES_SHOWN);
  if (others.length > 0) {
    const points = others.reduce((sum, each) => sum + each.points, 0);
    const title = texts.whyScore.otherRules(others.length, texts.number(others.length));
    shares.push({ points, title, detail: NOTHING });
  }
  if (imported.count > 0) {
    const { points, count } = imported;
    const detail = markup`${own.importedAbout(count, texts.number(count))}`;
    shares.push({ points, title: own.imported, detail });
  }
  const most = Math.max(1, ...shares.map(({ points }) => Math.abs(points)));
  const sum = shares.reduce((all, { points }) => all + points, 0);
  const note =
    asOf === null
      ? texts.whyScore.noRules
      : sum < 0
        ? texts.whyScore.floored(texts.signed(sum))
        : own.about;
  return markup`<p class="quiet">${note}</p>
<table class="shares"><thead class="unseen"><tr><th scope="col">${own.rule}</th><th scope="col">${own.points}</th></tr></thead>
<tbody>${shares.map((each) => row(each, most, texts.signed))}</tbody></table>${
    asOf === null
      ? NOTHING
      : markup`<p class="quiet">${own.asOf} ${dateTag(asOf, words.language)}</p>`
  }`;
}

function row({ points, title, detail }: Share, most: number, signed: (value: number) => string) {
  const sign = points < 0 ? ' minus' : '';
  return markup`<tr><th scope="row"><bdi>${title}</bdi> <small>${detail}</small></th><td class="points${sign}">${signed(points)}<svg class="meter" height="6" aria-hidden="true"><rect width="${percentX(Math.abs(points) / most)}" height="6" rx="3"/></svg></td></tr>`;
}

function shareOfRule(rule: RuleShare, { texts, words }: PageReader): Share {
  const { whyScore, number } = texts;
  const { points, title, words: inWords, count, newest } = rule;
  const held = [
    ...(rule.capped > 0 ? [whyScore.capped(number(rule.capped))] : []),
    ...(rule.discounted > 0 ? [whyScore.discounted(number(rule.discounted))] : []),
    ...(rule.decayed > 0 ? [whyScore.decayed(number(rule.decayed))] : []),
    ...(inWords === undefined ? [] : [safeText(inWords, TITLE_MAX)]),
  ];
  const detail = markup`${whyScore.events(count, number(count))}, ${whyScore.newest} ${dateTag(newest, words.language)}${held.map((each) => markup` · ${each}`)}`;
  return { points, title: safeText(title, TITLE_MAX), detail };
}
