import type { GateBlockerTexts } from '#command/texts/en/gate-blockers';

/** What prevents rules, and what to know of them, in Spanish. */
export const esGateBlockers: GateBlockerTexts = {
  blockers: {
    'no-community':
      'El bot no es miembro de este servidor o grupo. En Discord, lo añade quien puede gestionar el servidor, con el enlace de su operador o con «Añadir aplicación» en su perfil; en Telegram, lo añade un administrador y lo hace administrador.',
    'no-role': 'Ese rol ya no existe. Elige otro.',
    'managed-role':
      'Este rol es de una integración o de todo el mundo, así que no se puede conceder. Elige otro.',
    'role-too-high':
      'El rol está por encima del rol del bot. En los ajustes del servidor, en Roles, arrastra el del bot por encima de él.',
    'no-manage-roles':
      'El bot no puede gestionar roles. En los ajustes del servidor, en Roles, activa el permiso «Gestionar roles» para el rol del bot.',
    'no-invite-right':
      'El bot no puede invitar. Hazlo administrador con el permiso «Invitar con un enlace».',
    'no-ban-right':
      'El bot no puede expulsar a nadie. Hazlo administrador con el permiso «Suspender usuarios».',
    'role-above-maker':
      'El rol no está por debajo de tu rol más alto, así que Discord tampoco te dejaría concederlo. Pídeselo a alguien con un rol más alto.',
    'needs-2fa':
      'Este servidor exige a sus moderadores la autenticación en dos pasos, y la cuenta propietaria de este bot no la tiene. Pide al operador de este bot que la active en esa cuenta.',
    'onboarding-role':
      'Los miembros pueden elegir este rol ellos mismos en la incorporación, así que una regla no podría decidir quién lo tiene. Quítalo de la incorporación o elige otro.',
    'linked-role':
      'Este rol solo lo da Discord: tiene requisitos de vinculación. Quítalos en los ajustes del rol, en Vínculos, o elige otro.',
    'unknown-role-property':
      'Este rol tiene una propiedad o un permiso que esta versión del bot no conoce, y podría dar poder sobre otros. Elige otro rol o pide al operador de este bot que lo actualice.',
    'role-with-power':
      'Este rol da permisos sobre otros miembros (como gestionar mensajes, mencionar a todos o aislar a miembros), así que no deben decidir datos externos quién lo tiene. Quítale esos permisos o elige otro.',
  },
  cautions: {
    'public-entry':
      'Aquí puede entrar cualquiera sin solicitarlo, porque es público, así que la regla no puede impedírselo. Hazlo privado o, si es un grupo, activa «Aprobar nuevos miembros».',
    'members-invite':
      'Aquí los miembros pueden añadir a otros, que entonces no tienen que cumplir la regla. En los permisos del grupo, desactiva «Añadir miembros».',
    'maybe-needs-2fa':
      'Este servidor exige a sus moderadores la autenticación en dos pasos, y Discord no dice si la cuenta propietaria de este bot la tiene. Si el bot no puede dar el rol, pide al operador de este bot que la active en esa cuenta.',
    'no-audit-log':
      'El bot no puede ver al momento que alguien quita un rol a mano, ni quién. Da a su rol el permiso «Ver el registro de auditoría».',
    'channel-power':
      'Hay canales que dan a este rol permisos sobre otros, como «Gestionar mensajes», así que quien cumpla la regla también los tendrá allí. Si no es lo que quieres, quítalos en los permisos de esos canales.',
    'maybe-channel-power':
      'Discord no dijo si hay canales que dan a este rol permisos sobre otros, como «Gestionar mensajes». Si los hay, quien cumpla la regla también los tendrá allí.',
    'barred-namesake':
      'Hay miembros vetados de otro rol que tiene o tuvo ese nombre (/gate list). La regla les da este, salvo que también tengan un veto sobre él: /gate bar.',
  },
};
