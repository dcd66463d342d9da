import type { CreatureColours } from '#pictures/card/palette';

/** A great white, seen from the left. */
export function shark({ body, belly, fin, far, eye, glint, accent }: CreatureColours): string {
  return `<defs>
<linearGradient id="s-back" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${body[0]}"/><stop offset="1" stop-color="${body[1]}"/></linearGradient>
<clipPath id="s-body"><path d="${BODY}"/></clipPath>
</defs>
<path d="M262 250C282 284 306 306 336 314 330 288 318 264 304 240Z" fill="${far}"/>
<path d="M196 120C210 82 238 50 280 36 276 70 284 102 304 132Z" fill="${fin}"/>
<path d="M352 142C364 132 378 128 390 128 388 138 388 148 392 158Z" fill="${fin}"/>
<path d="M398 168C416 136 444 96 488 70 474 112 462 140 450 166 462 194 472 224 476 262 446 244 416 216 398 190Z" fill="${fin}"/>
<path d="${BODY}" fill="url(#s-back)"/>
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

const BODY =
  'M8 200C40 160 110 122 200 118 280 116 340 146 404 168 414 172 414 188 404 192 344 214 290 250 206 256 130 260 60 248 30 226 18 218 10 210 8 200Z';
