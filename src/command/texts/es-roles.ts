import type { RoleTexts } from './en-roles.ts';

/** Requirements that servers can set in Discord's Linked Roles, in Spanish. */
export const esRoles: RoleTexts = {
  roles: {
    score: { name: 'Puntuación', about: 'Puntos mínimos de la mejor cartera vinculada' },
    tier: {
      name: 'Nivel',
      about: 'Nivel mínimo: 1 Camarón, 2 Delfín, 3 Tiburón, 4 Ballena, 5 Titán',
    },
    rank: {
      name: 'Puesto',
      about: 'Puesto máximo entre todas las carteras: 100 para las cien primeras',
    },
    badges: { name: 'Insignias', about: 'Número mínimo de insignias de una cartera vinculada' },
    linked: {
      name: 'Cartera vinculada',
      about: 'Días desde que se vinculó la cartera más antigua',
    },
  },

  rolePages: {
    title: 'Roles vinculados · Fathom',
    told: {
      title: 'Conectado',
      about:
        'Discord conoce ahora el nivel de tus carteras vinculadas. Recibe también su puntuación, puesto e insignias si cualquiera puede ver tus carteras: escribe /privacy para elegirlo. Si cumples los requisitos de un rol, Discord te lo da.',
    },
    noWallet: {
      title: 'Conectado. Ahora vincula una cartera',
      about:
        'Aún no has vinculado ninguna cartera. Escribe /link en Discord y le enviaremos lo que pide el rol.',
    },
    later: {
      title: 'Conectado',
      about:
        'Ahora mismo no podemos enviar tus datos a Discord. Los enviaremos automáticamente dentro de un rato.',
    },
    denied: {
      title: 'Sin conectar',
      about:
        'Lo rechazaste en Discord, así que no guardamos nada. Para conectar, empieza de nuevo desde el rol en Discord.',
    },
    expired: {
      title: 'Esta solicitud ha caducado',
      about:
        'Pasaron más de diez minutos, ya se usó o empezó en otro navegador. Empieza de nuevo en este.',
    },
    refused: {
      title: 'Sin conectar',
      about:
        'Discord no lo confirmó o no concediste todos los permisos necesarios. Empieza de nuevo y concédelos todos.',
    },
    unavailable: {
      title: 'No disponible por ahora',
      about:
        'No se puede contactar con Discord o con Fathom. No se ha perdido nada: inténtalo de nuevo en un minuto.',
    },
    limited: {
      title: 'Demasiadas peticiones',
      about: (seconds) => `Espera ${seconds} segundos e inténtalo de nuevo.`,
    },
    failed: {
      title: 'Algo ha salido mal',
      about:
        'El fallo es nuestro y lo hemos registrado. Inténtalo de nuevo; si se repite, avisa al operador de este bot.',
    },
    close: 'Puedes cerrar esta ventana.',
    again: 'Empezar de nuevo',
  },
};
