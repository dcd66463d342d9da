/** Pages for people: playground, public pages, linking, pictures. */

export { createLinkPage } from './link/link-page.ts';
export { createLinkedRolesPages } from './linked-roles/pages.ts';
export { createPictureRoutes } from './pictures/routes.ts';
export type { Sandbox } from './playground/ask.ts';
export { type ChatPreview, createPlayground } from './playground/playground.ts';
export { errorAnswer } from './public/error-page.ts';
export { createPublicPages } from './public/public-pages.ts';
