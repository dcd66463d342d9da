/** Scores as figures in members' profiles, where a platform has those. */

export type { Figures, PendingDrop } from './figures.ts';
export { LinkedRoleSync } from './linked-role-sync.ts';
export {
  type AuthorizationRedirect,
  CALLBACK_PATH,
  type Callback,
  type ConnectResult,
  LINKED_ROLES_PATH,
  type LinkedRolesPageService,
  type OpenRoleConnections,
  type PushResult,
  type RoleConnectionOptions,
  type RoleConnectionSync,
  type RoleConnections,
  type RoleSyncResult,
} from './setup.ts';
export {
  type ConnectionRecord,
  type Parting,
  ROLE_CONNECTIONS_ON,
  type RoleConnection,
  type RoleConnectionStore,
  type RoleMetadata,
} from './store.ts';
