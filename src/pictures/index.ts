/** Draws rank cards and badges as PNG. */

export { BadgePictures, lastingBadgePath } from './badge-pictures.ts';
export { creatureSvg } from './card/creatures.ts';
export { openPictures, PictureCache } from './studio.ts';
export { fetchBanner, type ImageFetcher, openImageFetcher } from './untrusted/image-fetcher.ts';
