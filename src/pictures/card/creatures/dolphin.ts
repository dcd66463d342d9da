import type { CreatureColours } from '#pictures/card/palette';

/** A dolphin in a leap, from right to left. */
export function dolphin({ body, belly, fin, far, eye, glint, accent }: CreatureColours): string {
  return `<defs>
<linearGradient id="d-back" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${body[0]}"/><stop offset="1" stop-color="${body[1]}"/></linearGradient>
<clipPath id="d-body"><path d="${BODY}"/></clipPath>
</defs>
<path d="M398 246C430 232 462 238 484 262 458 262 440 270 428 284 436 306 432 332 412 352 406 322 392 300 376 286Z" fill="${fin}"/>
<path d="M214 88C226 54 256 34 300 34 282 58 278 84 290 108Z" fill="${fin}"/>
<path d="M218 214C222 244 238 268 266 282 270 258 266 234 256 212Z" fill="${far}"/>
<path d="${BODY}" fill="url(#d-back)"/>
<g clip-path="url(#d-body)">
<path d="M10 214C60 190 104 192 150 206 230 230 310 210 400 300L330 340H60Z" fill="${belly}"/>
<path d="M100 172C160 150 250 150 340 214 300 196 250 190 206 196 168 200 130 194 100 172Z" fill="${accent}" opacity="0.55"/>
<ellipse cx="214" cy="104" rx="104" ry="14" fill="#ffffff" opacity="0.25" transform="rotate(2 214 104)"/>
</g>
<path d="M26 208C58 204 82 200 108 190" fill="none" stroke="${far}" stroke-width="5" stroke-linecap="round"/>
<path d="M164 214C152 250 160 284 190 310 208 282 212 248 204 218Z" fill="${fin}"/>
<circle cx="122" cy="164" r="10" fill="${eye}"/><circle cx="118.500" cy="160.500" r="3.4" fill="${glint}"/>`;
}

const BODY =
  'M18 206C14 196 20 188 32 186 52 182 68 176 80 160 110 112 166 84 226 88 318 94 376 160 408 250 412 264 398 280 384 282 350 248 300 232 250 234 190 238 130 244 92 222 70 216 46 216 30 216 24 216 20 212 18 206Z';
