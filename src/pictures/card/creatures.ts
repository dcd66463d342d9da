import type { Tier } from '#reputation';
import { type CreatureColours, paletteOf } from './palette.ts';
import { coordinate as c } from './svg.ts';

type Point = readonly [x: number, y: number];
/** A cubic Bézier curve. */
type Curve = readonly [Point, Point, Point, Point];

/** A limb along a curve, thinner towards its tip. */
function limb(curves: readonly Curve[], from: number, to: number): string {
  const spine = curves.flatMap((curve, i) => sampled(curve).slice(i === 0 ? 0 : 1));
  const left: string[] = [];
  const right: string[] = [];
  for (const [i, [x, y]] of spine.entries()) {
    const [ax, ay] = spine[Math.max(0, i - 1)] as Point;
    const [bx, by] = spine[Math.min(spine.length - 1, i + 1)] as Point;
    const length = Math.hypot(bx - ax, by - ay) || 1;
    const half = (from + ((to - from) * i) / (spine.length - 1)) / 2;
    const [nx, ny] = [(-(by - ay) / length) * half, ((bx - ax) / length) * half];
    left.push(`${c(x + nx)} ${c(y + ny)}`);
    right.push(`${c(x - nx)} ${c(y - ny)}`);
  }
  const tip = c(to / 2);
  return `M${left.join('L')}A${tip} ${tip} 0 0 0 ${right.toReversed().join('L')}Z`;
}

/** Points along curves at equal steps of their parameter, with the width of a limb there. */
function along(
  curves: readonly Curve[],
  from: number,
  to: number,
): readonly { readonly at: Point; readonly width: number }[] {
  const spine = curves.flatMap((curve) => sampled(curve));
  return spine.map((at, i) => ({ at, width: from + ((to - from) * i) / (spine.length - 1) }));
}

const STEPS = 24;

function sampled([p, q, r, s]: Curve): Point[] {
  return Array.from({ length: STEPS + 1 }, (_, i): Point => {
    const t = i / STEPS;
    const u = 1 - t;
    const at = (k: 0 | 1) =>
      u * u * u * p[k] + 3 * u * u * t * q[k] + 3 * u * t * t * r[k] + t * t * t * s[k];
    return [at(0), at(1)];
  });
}

/** A swimming shrimp, its tail curled under it. */
function shrimp({ body, belly, fin, far, eye, glint, accent }: CreatureColours): string {
  const stripes = [
    'M228 92C240 118 240 150 228 178',
    'M280 98C286 124 282 152 266 180',
    'M326 122C326 148 316 172 296 194',
    'M360 158C354 182 340 202 316 216',
    'M376 206C364 224 346 236 322 240',
  ];
  return `<defs>
<linearGradient id="p-back" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${body[0]}"/><stop offset="1" stop-color="${body[1]}"/></linearGradient>
<clipPath id="p-body"><path d="${SHRIMP_BODY}"/></clipPath>
</defs>
<g fill="none" stroke="${fin}" stroke-width="5" stroke-linecap="round"><path d="M104 128C70 84 58 46 72 8"/><path d="M98 134C52 112 22 78 14 34"/></g>
<g fill="none" stroke="${far}" stroke-width="8" stroke-linecap="round"><path d="M150 190C140 214 122 230 98 240"/><path d="M180 196C174 224 160 246 138 262"/><path d="M210 200C208 230 198 256 180 276"/><path d="M240 202C242 230 236 256 224 278"/><path d="M268 204C274 226 274 246 268 266"/></g>
<path d="M318 262C296 262 270 272 252 296 276 304 300 300 320 288Z" fill="${far}"/>
<path d="M322 268C300 282 286 306 284 336 310 332 330 314 340 288Z" fill="${fin}"/>
<path d="M334 272C322 296 322 320 334 344 352 328 360 304 356 278Z" fill="${fin}"/>
<path d="${SHRIMP_BODY}" fill="url(#p-back)"/>
<g clip-path="url(#p-body)">
<path d="M90 168C150 186 220 186 276 186 306 188 320 214 316 262L280 300 60 240Z" fill="${belly}" opacity="0.75"/>
<g fill="none" stroke="${accent}" stroke-width="7" stroke-linecap="round" opacity="0.85">${stripes.map((d) => `<path d="${d}"/>`).join('')}</g>
<path d="M196 80C212 112 212 150 196 190" fill="none" stroke="${far}" stroke-width="5" stroke-linecap="round" opacity="0.55"/>
<ellipse cx="220" cy="98" rx="110" ry="10" fill="#ffffff" opacity="0.3" transform="rotate(4 220 98)"/>
</g>
<path d="M96 150C74 140 54 126 40 106 66 108 92 114 116 126Z" fill="${fin}"/>
<circle cx="126" cy="134" r="16" fill="${accent}"/><circle cx="124" cy="134" r="11" fill="${eye}"/><circle cx="120" cy="130" r="3.8" fill="${glint}"/>`;
}

const SHRIMP_BODY =
  'M84 150C96 110 146 78 210 76 300 74 372 116 384 186 390 228 374 262 346 284 330 288 316 280 314 266 322 240 314 214 288 204 236 206 178 206 130 190 104 182 86 168 84 150Z';

/** A dolphin in a leap, from right to left. */
function dolphin({ body, belly, fin, far, eye, glint, accent }: CreatureColours): string {
  return `<defs>
<linearGradient id="d-back" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${body[0]}"/><stop offset="1" stop-color="${body[1]}"/></linearGradient>
<clipPath id="d-body"><path d="${DOLPHIN_BODY}"/></clipPath>
</defs>
<path d="M398 246C430 232 462 238 484 262 458 262 440 270 428 284 436 306 432 332 412 352 406 322 392 300 376 286Z" fill="${fin}"/>
<path d="M214 88C226 54 256 34 300 34 282 58 278 84 290 108Z" fill="${fin}"/>
<path d="M218 214C222 244 238 268 266 282 270 258 266 234 256 212Z" fill="${far}"/>
<path d="${DOLPHIN_BODY}" fill="url(#d-back)"/>
<g clip-path="url(#d-body)">
<path d="M10 214C60 190 104 192 150 206 230 230 310 210 400 300L330 340H60Z" fill="${belly}"/>
<path d="M100 172C160 150 250 150 340 214 300 196 250 190 206 196 168 200 130 194 100 172Z" fill="${accent}" opacity="0.55"/>
<ellipse cx="214" cy="104" rx="104" ry="14" fill="#ffffff" opacity="0.25" transform="rotate(2 214 104)"/>
</g>
<path d="M26 208C58 204 82 200 108 190" fill="none" stroke="${far}" stroke-width="5" stroke-linecap="round"/>
<path d="M164 214C152 250 160 284 190 310 208 282 212 248 204 218Z" fill="${fin}"/>
<circle cx="122" cy="164" r="10" fill="${eye}"/><circle cx="118.500" cy="160.500" r="3.4" fill="${glint}"/>`;
}

const DOLPHIN_BODY =
  'M18 206C14 196 20 188 32 186 52 182 68 176 80 160 110 112 166 84 226 88 318 94 376 160 408 250 412 264 398 280 384 282 350 248 300 232 250 234 190 238 130 244 92 222 70 216 46 216 30 216 24 216 20 212 18 206Z';

/** A great white, seen from the left. */
function shark({ body, belly, fin, far, eye, glint, accent }: CreatureColours): string {
  return `<defs>
<linearGradient id="s-back" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${body[0]}"/><stop offset="1" stop-color="${body[1]}"/></linearGradient>
<clipPath id="s-body"><path d="${SHARK_BODY}"/></clipPath>
</defs>
<path d="M262 250C282 284 306 306 336 314 330 288 318 264 304 240Z" fill="${far}"/>
<path d="M196 120C210 82 238 50 280 36 276 70 284 102 304 132Z" fill="${fin}"/>
<path d="M352 142C364 132 378 128 390 128 388 138 388 148 392 158Z" fill="${fin}"/>
<path d="M398 168C416 136 444 96 488 70 474 112 462 140 450 166 462 194 472 224 476 262 446 244 416 216 398 190Z" fill="${fin}"/>
<path d="${SHARK_BODY}" fill="url(#s-back)"/>
<g clip-path="url(#s-body)">
<path d="M-10 212C60 200 110 206 170 214 260 224 340 206 420 176L420 330H-10Z" fill="${belly}"/>
<ellipse cx="200" cy="136" rx="140" ry="16" fill="#ffffff" opacity="0.16" transform="rotate(-2 200 136)"/>
</g>
<path d="M34 220C62 236 92 240 118 230" fill="none" stroke="${accent}" stroke-width="6" stroke-linecap="round"/>
<path d="M54 231L62 243 70 235 79 246 87 237 96 245 102 235" fill="#ffffff" stroke="#ffffff" stroke-width="2" stroke-linejoin="round"/>
<g fill="none" stroke="${accent}" stroke-width="5" stroke-linecap="round"><path d="M160 176C152 192 152 208 158 222"/><path d="M178 174C170 192 170 210 176 226"/><path d="M196 173C188 192 188 212 194 228"/></g>
<path d="M206 226C196 268 206 306 244 334 268 300 270 262 254 222Z" fill="${fin}"/>
<circle cx="96" cy="178" r="11" fill="${eye}"/><circle cx="92" cy="174" r="3.6" fill="${glint}"/>`;
}

const SHARK_BODY =
  'M8 200C40 160 110 122 200 118 280 116 340 146 404 168 414 172 414 188 404 192 344 214 290 250 206 256 130 260 60 248 30 226 18 218 10 210 8 200Z';

/** A blue whale at rest, seen from the left. */
function whale({ body, belly, fin, far, eye, glint, accent }: CreatureColours): string {
  return `<defs>
<linearGradient id="w-back" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${body[0]}"/><stop offset="1" stop-color="${body[1]}"/></linearGradient>
<clipPath id="w-body"><path d="${WHALE_BODY}"/></clipPath>
</defs>
<g fill="none" stroke="${accent}" stroke-width="7" stroke-linecap="round"><path d="M150 62C146 34 124 22 104 30"/><path d="M150 62C152 30 176 18 198 28"/></g>
<path d="M392 152C404 128 404 92 378 66 408 60 436 78 442 108 456 88 480 82 500 92 492 126 466 152 424 166 414 170 400 166 392 152Z" fill="${fin}"/>
<path d="M378 66C408 60 436 78 442 108 434 124 426 136 412 148 414 112 404 84 378 66Z" fill="${far}"/>
<path d="${WHALE_BODY}" fill="url(#w-back)"/>
<g clip-path="url(#w-body)">
<path d="M-10 230C60 250 112 250 146 244 250 272 320 262 380 214L380 400H-10Z" fill="${belly}"/>
<g fill="none" stroke="${fin}" stroke-opacity="0.28" stroke-width="4" stroke-linecap="round"><path d="M30 252C86 262 150 292 236 296"/><path d="M44 274C96 284 150 308 220 312"/><path d="M66 296C110 306 150 320 196 326"/></g>
<path d="M14 232C60 250 112 248 140 222" fill="none" stroke="${far}" stroke-width="6" stroke-linecap="round"/>
<ellipse cx="190" cy="104" rx="150" ry="26" fill="#ffffff" opacity="0.14" transform="rotate(-4 190 104)"/>
</g>
<path d="M196 258C182 300 196 340 238 354 252 326 250 286 236 256Z" fill="${fin}"/>
<circle cx="118" cy="206" r="12" fill="${eye}"/><circle cx="114" cy="202" r="4" fill="${glint}"/>`;
}

const WHALE_BODY =
  'M14 214C14 128 92 74 186 76 268 78 322 118 366 142 386 152 400 150 412 140 424 150 428 162 422 170 402 176 384 188 366 214 328 270 262 314 176 314 84 314 14 284 14 214Z';

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
function titan({ body, belly, fin, far, eye, glint, accent }: CreatureColours): string {
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

/** The size of a creature's drawing, in SVG units. */
export const CREATURE_SIZE = { width: 500, height: 360 } as const;

/** The content of an SVG group; ids in it start with the creature's own letter. */
export const CREATURES: Readonly<Record<Tier, (colours: CreatureColours) => string>> = {
  Titan: titan,
  Whale: whale,
  Shark: shark,
  Dolphin: dolphin,
  Shrimp: shrimp,
};

/** The margin around a creature, whose fins and spray reach beyond its box. */
const MARGIN = 24;

/** A tier's creature on its own, for dark water, as an SVG document. */
export function creatureSvg(tier: Tier): string {
  const { width, height } = CREATURE_SIZE;
  const box = [-MARGIN, -MARGIN, width + 2 * MARGIN, height + 2 * MARGIN].join(' ');
  const drawn = CREATURES[tier](paletteOf(tier, 'dark').creature);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}">${drawn}</svg>`;
}
