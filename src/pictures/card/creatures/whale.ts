import type { CreatureColours } from '#pictures/card/palette';

/** A blue whale at rest, seen from the left. */
export function whale({ body, belly, fin, far, eye, glint, accent }: CreatureColours): string {
  return `<defs>
<linearGradient id="w-back" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${body[0]}"/><stop offset="1" stop-color="${body[1]}"/></linearGradient>
<clipPath id="w-body"><path d="${BODY}"/></clipPath>
</defs>
<g fill="none" stroke="${accent}" stroke-width="7" stroke-linecap="round"><path d="M150 62C146 34 124 22 104 30"/><path d="M150 62C152 30 176 18 198 28"/></g>
<path d="M392 152C404 128 404 92 378 66 408 60 436 78 442 108 456 88 480 82 500 92 492 126 466 152 424 166 414 170 400 166 392 152Z" fill="${fin}"/>
<path d="M378 66C408 60 436 78 442 108 434 124 426 136 412 148 414 112 404 84 378 66Z" fill="${far}"/>
<path d="${BODY}" fill="url(#w-back)"/>
<g clip-path="url(#w-body)">
<path d="M-10 230C60 250 112 250 146 244 250 272 320 262 380 214L380 400H-10Z" fill="${belly}"/>
<g fill="none" stroke="${fin}" stroke-opacity="0.28" stroke-width="4" stroke-linecap="round"><path d="M30 252C86 262 150 292 236 296"/><path d="M44 274C96 284 150 308 220 312"/><path d="M66 296C110 306 150 320 196 326"/></g>
<path d="M14 232C60 250 112 248 140 222" fill="none" stroke="${far}" stroke-width="6" stroke-linecap="round"/>
<ellipse cx="190" cy="104" rx="150" ry="26" fill="#ffffff" opacity="0.14" transform="rotate(-4 190 104)"/>
</g>
<path d="M196 258C182 300 196 340 238 354 252 326 250 286 236 256Z" fill="${fin}"/>
<circle cx="118" cy="206" r="12" fill="${eye}"/><circle cx="114" cy="202" r="4" fill="${glint}"/>`;
}

const BODY =
  'M14 214C14 128 92 74 186 76 268 78 322 118 366 142 386 152 400 150 412 140 424 150 428 162 422 170 402 176 384 188 366 214 328 270 262 314 176 314 84 314 14 284 14 214Z';
