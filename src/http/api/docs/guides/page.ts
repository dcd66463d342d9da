import { type Html, html, inlineCode } from '#base';
import { docsLanguages, docsPage } from '#http/api/docs/frame';
import type { DocsLanguage } from '#http/api/docs/language';
import { codeBlock } from '#http/api/docs/resource';
import { copyGuide } from './copy.ts';
import { gateGuide } from './gate.ts';
import type { Guide, GuideOptions } from './guide.ts';
import { leaderboardGuide } from './leaderboard.ts';
import { webhooksGuide } from './webhooks.ts';

/** Where the page is. */
export const GUIDES_PATH = '/docs/guides';

const GUIDES: readonly Guide[] = [gateGuide, leaderboardGuide, copyGuide, webhooksGuide];

/** Tasks from beginning to end, with programs to copy. */
export function renderGuides(options: GuideOptions, language: DocsLanguage) {
  const { texts } = language;
  const words = texts.docs.guides;
  const links = GUIDES.map(({ id }) => html`<li><a href="#${id}">${words[id].title}</a></li>\n`);
  const parts = {
    path: GUIDES_PATH,
    title: `${words.title} · ${texts.docs.title}`,
    description: words.lead,
    hero: html`<header class="hero"><div>
${docsLanguages(GUIDES_PATH, language)}
<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
<p class="links"><a href="/docs?lang=${texts.language}">${texts.docs.title}</a><a href="/?lang=${texts.language}">${texts.docs.playground}</a></p>
</div></header>`,
    navigation: html`<nav class="contents" aria-label="${texts.docs.contents}">
<h2>${words.title}</h2>
<ul>
${links}</ul>
</nav>`,
    content: GUIDES.map((guide) => section(guide, options, language)),
  };
  return docsPage(parts, language);
}

function section(guide: Guide, options: GuideOptions, { texts }: DocsLanguage): Html {
  const { id } = guide;
  const { title, points } = texts.docs.guides[id];
  const programs = guide.programs(options);
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${points.map((each) => html`<p>${inlineCode(each)}</p>\n`)}
${programs.map((each, i) => codeBlock(each, i === 0, id, title))}
</section>
`;
}
