/** Scores as figures in members' profiles, where a platform has those. */

export type { Figures } from './figures.ts';
export type { PendingDrop } from './hysteresis.ts';
export { LinkedRoleSync } from './linked-role-sync.ts';
export {
  type AuthorizationRedirect,
  CALLBACK_PATH,
  type Callback,
  type ConnectResult,
  LINKED_ROLES_PATH,
  type LinkedRolesPageService,
  type RoleSyncResult,
} from './page-service.ts';
export type { PushResult, RoleConnectionSync } from './role-connection-sync.ts';
export type { OpenRoleConnections, RoleConnectionOptions, RoleConnections } from './setup.ts';
export {
  type ConnectionRecord,
  ROLE_CONNECTIONS_ON,
  type RoleConnection,
  type RoleConnectionStore,
  type RoleMetadata,
} from './store.ts';
