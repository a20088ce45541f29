// The description of an embedded plant for its worker, as written by io/page/facts.py.

/** @typedef {import("./messages.js").Look & { points?: number[], outline?: number[] }} UnplacedLook */

/**
 * Numbers of the points that a scene depends on.
 * @typedef {object} SceneParts
 * @property {UnplacedLook[][]} bodies
 * @property {UnplacedLook[]} ground
 * @property {Array<[number, number]>} connectors
 * @property {Array<{ origin: number, turn: number, along: number, rests: number[] }>} flexible
 */

/**
 * How records are drawn.
 * @typedef {object} DrawnFacts
 * @property {number[]} positions columns of q
 * @property {number[]} told columns that the cockpit shows
 * @property {Array<{ body: number, origin: number, turn: number, columns: number[] }>} contacts
 * @property {number} points number of points
 * @property {SceneParts} parts
 * @property {Array<{ mass: number, com: number, inertia: number[], frames: Array<[string, number]> }>} anatomy by number of the point
 */

/**
 * How bodies are held; the numbers are explained in studio/plants/touch.py.
 * @typedef {object} HeldFacts
 * @property {string[]} bodies that can be held
 * @property {number} size of the mechanism, as drawn [m]
 * @property {number} quick
 * @property {number} sag
 * @property {number} gravity
 * @property {number} damped
 * @property {[number, number]} firmness
 * @property {number} far
 */

/**
 * Inputs, in the order of the hello message.
 * @typedef {object} InputFacts
 * @property {number[]} start
 * @property {number[]} rest
 * @property {number[]} least
 * @property {number[]} most
 * @property {boolean[]} led by the controller of the plant
 * @property {Array<number | null>} safe null: the value stays
 */

/**
 * How notes are detected; see devices/midi/notes.py.
 * @typedef {object} NoteFacts
 * @property {[number, number, number]} columns speed, contact, damped
 * @property {[number, number]} above thresholds of contact and damped
 * @property {number} note
 * @property {number} least
 * @property {number} apart
 * @property {number} longest
 */

/**
 * @typedef {object} PlantFacts
 * @property {import("./messages.js").Hello} hello
 * @property {number} method number of the integrator
 * @property {number} step of it [s]
 * @property {number} substeps per period
 * @property {number} speed initially, in simulated seconds per second
 * @property {Record<string, number>} index columns of records by name
 * @property {InputFacts} inputs
 * @property {DrawnFacts} drawn
 * @property {HeldFacts} held
 * @property {NoteFacts | null} notes
 * @property {number[][]} contacts columns
 * @property {number[][]} sensors columns
 * @property {Record<string, { status: string, text: string, fix: string }>} failures by status
 * @property {Record<string, import("./messages.js").Told>} latched notices while inputs are ignored
 */

export {};
