import type { CreatureColours } from '#pictures/card/palette';
import { along, type Curve, limb } from './curves.ts';

/** The arms behind the head, then those in front. */
const BEHIND: readonly (readonly Curve[])[] = [
  [
    [
      [214, 236],
      [176, 250],
      [120, 250],
      [84, 216],
    ],
    [
      [84, 216],
      [62, 194],
      [66, 160],
      [96, 160],
    ],
  ],
  [
    [
      [300, 236],
      [340, 256],
      [398, 252],
      [428, 214],
    ],
    [
      [428, 214],
      [446, 188],
      [436, 158],
      [408, 164],
    ],
  ],
];
const BEFORE: readonly (readonly Curve[])[] = [
  [
    [
      [216, 246],
      [180, 290],
      [120, 316],
      [62, 296],
    ],
    [
      [62, 296],
      [28, 282],
      [26, 246],
      [54, 240],
    ],
  ],
  [
    [
      [240, 254],
      [226, 306],
      [178, 348],
      [122, 346],
    ],
    [
      [122, 346],
      [96, 344],
      [90, 318],
      [112, 312],
    ],
  ],
  [
    [
      [272, 254],
      [282, 306],
      [326, 350],
      [384, 346],
    ],
    [
      [384, 346],
      [412, 342],
      [414, 314],
      [390, 310],
    ],
  ],
  [
    [
      [296, 246],
      [330, 288],
      [390, 316],
      [444, 292],
    ],
    [
      [444, 292],
      [474, 276],
      [472, 240],
      [444, 238],
    ],
  ],
];
const ROOT = 40;
const TIP = 9;

/** A kraken that carries a trident. */
export function titan({ body, belly, fin, far, eye, glint, accent }: CreatureColours): string {
  const suckers = BEFORE.flatMap((curves) =>
    along(curves, ROOT, TIP)
      .filter((_, i) => i > 6 && i % 5 === 0)
      .map(
        ({ at, width }) =>
          `<circle cx="${at[0].toFixed(1)}" cy="${at[1].toFixed(1)}" r="${(width / 4.6).toFixed(1)}"/>`,
      ),
  );
  return `<defs>
<linearGradient id="t-head" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${body[0]}"/><stop offset="1" stop-color="${body[1]}"/></linearGradient>
<radialGradient id="t-glow"><stop offset="0" stop-color="${accent}" stop-opacity="0.55"/><stop offset="1" stop-color="${accent}" stop-opacity="0"/></radialGradient>
</defs>
<ellipse cx="256" cy="190" rx="250" ry="180" fill="url(#t-glow)" opacity="0.35"/>
<g fill="${far}">${BEHIND.map((curves) => `<path d="${limb(curves, 34, TIP)}"/>`).join('')}</g>
<g stroke="${accent}" fill="none" stroke-linecap="round" stroke-linejoin="round"><path d="M428 330V60" stroke-width="10"/><path d="M394 70C394 112 410 122 428 122 446 122 462 112 462 70" stroke-width="10"/></g>
<g fill="${accent}"><path d="M428 18L444 66H412Z"/><path d="M394 38L407 80H381Z"/><path d="M462 38L475 80H449Z"/></g>
<path d="M256 20C318 20 356 68 352 128 350 164 334 190 326 214 318 250 296 268 256 268 216 268 194 250 186 214 178 190 162 164 160 128 156 68 194 20 256 20Z" fill="url(#t-head)"/>
<path d="M256 20C318 20 356 68 352 128 350 150 344 168 337 184 330 110 300 50 240 22 245 20 250 20 256 20Z" fill="${fin}" opacity="0.45"/>
<ellipse cx="218" cy="78" rx="26" ry="40" fill="#ffffff" opacity="0.16" transform="rotate(24 218 78)"/>
<g fill="${belly}" opacity="0.5"><circle cx="262" cy="60" r="10"/><circle cx="292" cy="84" r="7"/><circle cx="238" cy="104" r="6"/><circle cx="272" cy="112" r="5"/></g>
<g fill="${body[1]}">${BEFORE.map((curves) => `<path d="${limb(curves, ROOT, TIP)}"/>`).join('')}</g>
<path d="M186 214C200 246 226 262 256 262 286 262 312 246 326 214 320 262 296 280 256 280 216 280 192 262 186 214Z" fill="${body[1]}"/>
<g fill="${belly}" opacity="0.75">${suckers.join('')}</g>
<g><ellipse cx="214" cy="184" rx="30" ry="24" fill="${accent}"/><ellipse cx="298" cy="184" rx="30" ry="24" fill="${accent}"/><path d="M180 170C196 152 226 152 250 176L246 160C224 138 194 140 178 160Z" fill="${fin}"/><path d="M332 170C316 152 286 152 262 176L266 160C288 138 318 140 334 160Z" fill="${fin}"/><ellipse cx="216" cy="184" rx="9" ry="20" fill="${eye}"/><ellipse cx="296" cy="184" rx="9" ry="20" fill="${eye}"/><circle cx="208" cy="176" r="5" fill="${glint}"/><circle cx="290" cy="176" r="5" fill="${glint}"/></g>`;
}
