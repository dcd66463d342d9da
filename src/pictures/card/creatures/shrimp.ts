import type { CreatureColours } from '#pictures/card/palette';

/** A swimming shrimp, its tail curled under it. */
export function shrimp({ body, belly, fin, far, eye, glint, accent }: CreatureColours): string {
  const stripes = [
    'M228 92C240 118 240 150 228 178',
    'M280 98C286 124 282 152 266 180',
    'M326 122C326 148 316 172 296 194',
    'M360 158C354 182 340 202 316 216',
    'M376 206C364 224 346 236 322 240',
  ];
  return `<defs>
<linearGradient id="p-back" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${body[0]}"/><stop offset="1" stop-color="${body[1]}"/></linearGradient>
<clipPath id="p-body"><path d="${BODY}"/></clipPath>
</defs>
<g fill="none" stroke="${fin}" stroke-width="5" stroke-linecap="round"><path d="M104 128C70 84 58 46 72 8"/><path d="M98 134C52 112 22 78 14 34"/></g>
<g fill="none" stroke="${far}" stroke-width="8" stroke-linecap="round"><path d="M150 190C140 214 122 230 98 240"/><path d="M180 196C174 224 160 246 138 262"/><path d="M210 200C208 230 198 256 180 276"/><path d="M240 202C242 230 236 256 224 278"/><path d="M268 204C274 226 274 246 268 266"/></g>
<path d="M318 262C296 262 270 272 252 296 276 304 300 300 320 288Z" fill="${far}"/>
<path d="M322 268C300 282 286 306 284 336 310 332 330 314 340 288Z" fill="${fin}"/>
<path d="M334 272C322 296 322 320 334 344 352 328 360 304 356 278Z" fill="${fin}"/>
<path d="${BODY}" fill="url(#p-back)"/>
<g clip-path="url(#p-body)">
<path d="M90 168C150 186 220 186 276 186 306 188 320 214 316 262L280 300 60 240Z" fill="${belly}" opacity="0.75"/>
<g fill="none" stroke="${accent}" stroke-width="7" stroke-linecap="round" opacity="0.85">${stripes.map((d) => `<path d="${d}"/>`).join('')}</g>
<path d="M196 80C212 112 212 150 196 190" fill="none" stroke="${far}" stroke-width="5" stroke-linecap="round" opacity="0.55"/>
<ellipse cx="220" cy="98" rx="110" ry="10" fill="#ffffff" opacity="0.3" transform="rotate(4 220 98)"/>
</g>
<path d="M96 150C74 140 54 126 40 106 66 108 92 114 116 126Z" fill="${fin}"/>
<circle cx="126" cy="134" r="16" fill="${accent}"/><circle cx="124" cy="134" r="11" fill="${eye}"/><circle cx="120" cy="130" r="3.8" fill="${glint}"/>`;
}

const BODY =
  'M84 150C96 110 146 78 210 76 300 74 372 116 384 186 390 228 374 262 346 284 330 288 316 280 314 266 322 240 314 214 288 204 236 206 178 206 130 190 104 182 86 168 84 150Z';
