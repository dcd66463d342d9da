/** Pages for people: playground, public pages, linking, pictures. */

export type { Sandbox } from './ask.ts';
export { createLinkPage } from './link/link-page.ts';
export { createLinkedRolesPages } from './linked-roles/pages.ts';
export { createPictureRoutes } from './pictures/routes.ts';
export { type ChatPreview, createPlayground } from './playground.ts';
export { errorAnswer } from './public/error-answer.ts';
export { createPublicPages } from './public/public-pages.ts';
