import { badgeSvg } from '#pictures/card/badge-svg';
import { cardSvg } from '#pictures/card/card-svg';
import { escapeXml } from '#pictures/card/svg';
import { altTextOf } from '#pictures/shown/alt-text';
import type { DrawnStyle } from '#pictures/shown/pictures';
import type { RenderJob } from './jobs.ts';
import { extremesOf, outlined, renderPng } from './resvg.ts';

/** Draws a picture. */
export function draw(job: RenderJob): Uint8Array {
  if (job.kind === 'badge') return renderPng(badgeSvg(job.badge));
  const { card, look, format, pngs, style } = job;
  const svg = cardSvg(card, look, pngs, styleToDraw(style));
  if (format === 'png') return renderPng(svg);
  return new TextEncoder().encode(titled(outlined(svg), altTextOf(card, look.language)));
}

function styleToDraw(style: DrawnStyle | undefined) {
  const { accent, banner } = style ?? {};
  return { accent, banner: banner && { png: banner.png, ...extremesOf(banner.png) } };
}

/** Screen readers can't read outlines, so the text goes into the title. */
function titled(svg: string, title: string): string {
  const end = svg.indexOf('>');
  return `${svg.slice(0, end)} role="img">\n<title>${escapeXml(title)}</title>${svg.slice(end + 1)}`;
}
