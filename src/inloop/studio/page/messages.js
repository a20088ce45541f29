// All messages between page and server. Written by `python -m inloop.studio.messaging.page_types`:
// change message_types.py, request_types.py, scene_types.py or frames.py there instead.

/**
 * The running plant.
 * @typedef {object} Plant
 * @property {string} name
 * @property {string} title
 * @property {string} look_at what to look at
 * @property {Array<string>} remarks what was left out of its file, or added to it
 * @property {number} rate_hz steps per second [Hz]
 * @property {boolean} own the studio has started it, and it ends with the studio
 */

/**
 * An option that applies when a model is built.
 * @typedef {object} Option
 * @property {string} name
 * @property {boolean | number} default
 * @property {string} doc
 * @property {[number, number] | null} range smallest and largest value of a number
 * @property {string} allowed permitted values, in words
 */

/**
 * A plant that can be chosen.
 * @typedef {object} MenuEntry
 * @property {string} name
 * @property {string} title
 * @property {Array<Option>} options
 */

/**
 * Corners of a box around everything that may be seen, and points around the visible part.
 * @typedef {object} Bounds
 * @property {[number, number, number]} min
 * @property {[number, number, number]} max
 * @property {Array<[number, number, number]>} points if there are none, the corners of the box apply
 */

/**
 * About the origin.
 * @typedef {object} Sphere
 * @property {"sphere"} kind
 * @property {number} radius
 * @property {boolean} hollow
 */

/**
 * About the origin, along the axes.
 * @typedef {object} Box
 * @property {"box"} kind
 * @property {[number, number, number]} size
 */

/**
 * A cylinder with round ends.
 * @typedef {object} Capsule
 * @property {"capsule"} kind
 * @property {number} radius
 * @property {number} length without the ends
 * @property {[number, number, number]} axis
 * @property {boolean} hollow
 */

/**
 * About the origin.
 * @typedef {object} Cylinder
 * @property {"cylinder"} kind
 * @property {number} radius
 * @property {number} length
 * @property {[number, number, number]} axis
 * @property {boolean} hollow
 */

/**
 * A cone with its tip along the axis.
 * @typedef {object} Cone
 * @property {"cone"} kind
 * @property {number} radius
 * @property {number} length
 * @property {[number, number, number]} axis
 */

/**
 * A ring about its axis.
 * @typedef {object} Torus
 * @property {"torus"} kind
 * @property {number} radius
 * @property {number} tube radius of the section
 * @property {[number, number, number]} axis
 */

/**
 * An outline in a plane of the body.
 * @typedef {object} Plate
 * @property {"plate"} kind
 * @property {Array<[number, number]>} corners
 * @property {number} thickness
 * @property {"xy" | "xz" | "yz"} plane
 */

/**
 * Through points.
 * @typedef {object} Line
 * @property {"line"} kind
 * @property {Array<[number, number, number]>} points
 */

/**
 * A straight line about the origin.
 * @typedef {object} Segment
 * @property {"segment"} kind
 * @property {number} length
 * @property {[number, number, number]} along
 * @property {number} radius
 */

/**
 * A circle that touches others from outside or inside.
 * @typedef {object} Circle
 * @property {"circle"} kind
 * @property {number} radius
 * @property {[number, number, number]} axis
 * @property {boolean} hollow
 */

/**
 * The edge of a wheel.
 * @typedef {object} Rim
 * @property {"rim"} kind
 * @property {number} radius
 * @property {[number, number, number]} axis
 */

/**
 * The space below a plane; not drawn.
 * @typedef {object} HalfSpace
 * @property {"plane"} kind
 * @property {[number, number, number]} normal
 */

/**
 * A mesh that the page requests by name.
 * @typedef {object} Packed
 * @property {"packed"} kind
 * @property {string} name
 * @property {[number, number, number]} scale
 * @property {[[number, number, number], [number, number, number]]} bounds
 */

/**
 * A shape on a body.
 * @typedef {object} Look
 * @property {Sphere | Box | Capsule | Cylinder | Cone | Torus | Plate | Line | Segment | Circle | Rim | HalfSpace | Packed} shape
 * @property {[number, number, number]} position
 * @property {[[number, number, number], [number, number, number], [number, number, number]]} rotation rows: axes of the body
 * @property {Array<number> | null} color red, green, blue and perhaps opacity, 0 to 1
 * @property {"plastic" | "metal" | "paint" | "rubber" | "wood" | "felt" | "leather" | "glass"} material
 * @property {string} [picture] on it, requested by name
 */

/**
 * A body; bodies are in the order of the poses.
 * @typedef {object} Body
 * @property {string} name
 * @property {number} parent index of the body that carries it; -1: the ground
 * @property {Array<Look>} shapes
 */

/**
 * A point of a body.
 * @typedef {object} End
 * @property {string} body "ground" for the world
 * @property {[number, number, number]} p
 */

/**
 * @typedef {object} Connector
 * @property {string} name
 * @property {"spring" | "line"} look
 * @property {End} from
 * @property {End} to
 */

/**
 * A body along a flexible link.
 * @typedef {object} FlexibleNode
 * @property {number} body
 * @property {number} rest distance along the undeformed link
 */

/**
 * A flexible link.
 * @typedef {object} Flexible
 * @property {string} name
 * @property {number} body that carries its root; -1: the ground
 * @property {[number, number, number]} p
 * @property {[[number, number, number], [number, number, number], [number, number, number]]} axes x along it, z the axis of bending
 * @property {[number, number, number]} along in axes of the nodes
 * @property {Array<FlexibleNode>} nodes
 * @property {boolean} looped its tip is held by a loop
 * @property {number} radius
 */

/**
 * The parts to draw.
 * @typedef {object} Scene
 * @property {"xy" | "xz" | "yz" | null} planar plane of all motion
 * @property {"y" | "z"} up
 * @property {Bounds} bounds
 * @property {Array<Body>} bodies
 * @property {Array<Look>} ground
 * @property {Array<Connector>} connectors
 * @property {Array<Flexible>} flexible
 */

/**
 * A frame or a point of a body.
 * @typedef {object} NamedFrame
 * @property {string} name
 * @property {[number, number, number]} p in body axes [m]
 */

/**
 * The joint that connects a body to its parent.
 * @typedef {object} BodyJoint
 * @property {string} name of its coordinate: signals are <name>.q, <name>.qd, …
 * @property {string} kind
 * @property {string} unit of q
 * @property {[number, number, number]} axis in body axes
 * @property {number | null} low limit of q; null: none
 * @property {number | null} high limit of q; null: none
 * @property {number} start declared q
 * @property {number | null} effort largest of its drive [N·m or N]; null: unknown
 * @property {boolean} driven its motion is prescribed
 * @property {boolean} of_ball one of the three rotations of a ball joint
 */

/**
 * A body; bodies are in the order of the scene.
 * @typedef {object} InspectedBody
 * @property {string} name
 * @property {number} parent index of the body that carries it; -1: the ground
 * @property {string} doc
 * @property {boolean} node a node of a flexible link
 * @property {number} mass [kg]
 * @property {[number, number, number]} com center of mass in body axes [m]
 * @property {[number, number, number]} moments principal moments of inertia about it [kg·m²]
 * @property {[[number, number, number], [number, number, number], [number, number, number]]} axes their directions, in body axes
 * @property {Array<NamedFrame>} frames
 * @property {BodyJoint} joint
 */

/**
 * A loop, or a coupling between joints.
 * @typedef {object} InspectedLoop
 * @property {string} name
 * @property {string} kind
 * @property {Array<number>} bodies on its two sides, or moved by its joints; -1: the ground
 * @property {Array<number>} joints bodies whose joints it restricts
 */

/**
 * A contact or a sensor by its name.
 * @typedef {object} OnBodies
 * @property {string} name
 * @property {Array<number>} bodies -1: the ground
 */

/**
 * Bodies with their joints, loops, contacts and sensors.
 * @typedef {object} Anatomy
 * @property {Array<InspectedBody>} bodies
 * @property {Array<InspectedLoop>} loops
 * @property {Array<OnBodies>} contacts
 * @property {Array<OnBodies>} sensors
 */

/**
 * A number that can be changed while the plant runs.
 * @typedef {object} Parameter
 * @property {string} name
 * @property {number} value
 * @property {number} default
 * @property {string} unit
 * @property {number | null} low null: no bound
 * @property {number | null} high null: no bound
 * @property {string} doc
 */

/**
 * A signal that can be plotted.
 * @typedef {object} Signal
 * @property {string} name
 * @property {string} unit
 */

/**
 * A contact: two shapes that may touch.
 * @typedef {object} TouchingPair
 * @property {string} name
 * @property {[string, string]} between bodies, or frames on them
 * @property {[string, string]} shapes
 * @property {string} law of the normal force, with its coefficients
 * @property {string} friction "" for smooth surfaces
 */

/**
 * A sensor of the mechanism.
 * @typedef {object} WatchedSensor
 * @property {string} name
 * @property {string} quantity quantity that it measures
 * @property {Array<string>} at where it is mounted
 * @property {Array<Signal>} signals its signals, in the order of its readings
 */

/**
 * An input; inputs are in the order of the indices in input frames.
 * @typedef {object} Input
 * @property {string} name
 * @property {string} unit
 * @property {number | null} low null: no bound
 * @property {number | null} high null: no bound
 * @property {string} doc
 * @property {boolean} declared by the model, not the effort of a joint
 */

/**
 * The input driven by the user.
 * @typedef {object} Driven
 * @property {string} input
 * @property {string} unit
 * @property {number} low in the unit of the input
 * @property {number} high in the unit of the input
 * @property {number} rest value when released, in the unit of the input
 * @property {string} body body that is dragged; "ground" for a place in the world
 * @property {[number, number, number]} point point that is dragged, in axes of the body [m]
 * @property {[number, number, number]} axis dragging along it goes from low to high [m]
 * @property {string} hint
 * @property {Record<string, number>} keys values while keys are down, by KeyboardEvent.code
 * @property {boolean} midi
 */

/**
 * A camera that a body carries.
 * @typedef {object} Camera
 * @property {string} name
 * @property {string} body
 * @property {[number, number, number]} eye in body axes [m]
 * @property {[number, number, number]} look the point that it looks at, in body axes [m]
 * @property {number} field from top to bottom [deg]
 * @property {"fixed" | "heading"} follow turns with the body, or stays level
 * @property {[[number, number, number], [number, number, number]] | null} mirror eye and target point, in body axes [m]
 */

/**
 * An instrument.
 * @typedef {object} Gauge
 * @property {string} name
 * @property {Array<string>} signals one, or several combined
 * @property {number} low in the unit shown
 * @property {number} high in the unit shown
 * @property {string} unit
 * @property {number} scale factor from the signal to the unit shown
 * @property {"sum" | "size"} of of the signals; size: root of the sum of squares
 * @property {"dial" | "number" | "bar" | "gear"} look
 * @property {number | null} red larger magnitudes are marked, in the unit shown
 */

/**
 * Signals that reduce the range of a lever.
 * @typedef {object} Easing
 * @property {Array<string>} signals none: constant range
 * @property {number} half their size at which the range is halved
 */

/**
 * An input controlled by the user.
 * @typedef {object} Lever
 * @property {string} name
 * @property {string} input
 * @property {number} low in the unit of the input
 * @property {number} high in the unit of the input
 * @property {number} rest value when released, in the unit of the input
 * @property {"ramp" | "toggle" | "step"} way
 * @property {Array<string>} more keys that move it to high, by KeyboardEvent.code
 * @property {Array<string>} less keys that move it to low
 * @property {number} rise speed by keys [1/s]
 * @property {number} fall speed of the return to rest [1/s]
 * @property {string} axis of a game controller, as "-axis0" or "button7"; "" for none
 * @property {[number, number]} buttons of a game controller, for more and less; -1: none
 * @property {Easing} eased
 * @property {"left" | "right" | "up"} high_at side of its high end in the picture
 */

/**
 * A strip of ground between two lines.
 * @typedef {object} Ribbon
 * @property {"asphalt" | "gravel" | "verge" | "white" | "yellow"} surface
 * @property {Array<[number, number, number]>} left [m]
 * @property {Array<[number, number, number]>} right as many points [m]
 * @property {[number, number] | null} dash length of a dash and of a gap [m]
 */

/**
 * A box on the ground.
 * @typedef {object} Obstacle
 * @property {[number, number, number]} at middle of its base [m]
 * @property {[number, number, number]} size [m]
 * @property {string} color
 */

/**
 * The part of the ground that a body covers.
 * @typedef {object} Outline
 * @property {string} body "" for none
 * @property {number} rear from here along its x axis [m]
 * @property {number} front to here [m]
 * @property {number} half of its width [m]
 * @property {number} below depth of the ground below its origin [m]
 */

/**
 * A box that appears on the road ahead at a random time.
 * @typedef {object} Surprise
 * @property {number} ahead from the body's origin to its near end [m]
 * @property {number} speed minimum speed of the body [m/s]
 * @property {number} earliest after the body has reached this speed [s]
 * @property {number} latest [s]
 * @property {[number, number, number]} size length along the road, width and height [m]
 * @property {string} color
 */

/**
 * Ground to the horizon, and objects on it.
 * @typedef {object} Scenery
 * @property {number} ground height [m]
 * @property {Array<Ribbon>} ribbons
 * @property {Array<[number, number, number]>} cones [m]
 * @property {Array<Obstacle>} obstacles
 * @property {Outline} outline
 * @property {Surprise | null} surprise
 * @property {number} trees
 * @property {number} posts distance between them [m]; 0: none
 */

/**
 * A sound that follows signals.
 * @typedef {object} Voice
 * @property {"tone" | "noise"} kind
 * @property {Array<string>} effort whose size determines its loudness
 * @property {number} quiet size at minimum loudness
 * @property {number} loud size at maximum loudness
 * @property {number} least loudness, 0 to 1
 * @property {number} most
 * @property {Array<string>} signals of a tone, whose size determines its pitch
 * @property {number} hertz factor from that size to [Hz]
 * @property {number} pitch of a noise [Hz]
 */

/**
 * Runs that differ in one hidden parameter.
 * @typedef {object} BlindTest
 * @property {string} parameter
 * @property {Array<number>} values one for each run
 * @property {string} quantity name of the values
 * @property {number} scale factor from the values to the unit shown
 * @property {string} unit
 * @property {string} angle signal of the angle of the hand [rad]
 * @property {string} torque signal of the torque at the hand [N·m]
 * @property {string} task
 */

/**
 * Declarations for a riding viewer.
 * @typedef {object} Cockpit
 * @property {Array<Camera>} cameras
 * @property {Array<Gauge>} gauges
 * @property {Array<Lever>} levers
 * @property {Scenery | null} scenery
 * @property {Array<Voice>} voices
 * @property {BlindTest | null} blind
 * @property {Array<string>} signals whose values are sent with the poses, in this order
 */

/**
 * A haptic device that can hold the plant.
 * @typedef {object} Rig
 * @property {string} name
 * @property {string} title
 */

/**
 * Bounds of a setting of haptic devices.
 * @typedef {object} SettingRange
 * @property {"rate" | "lines" | "low_pass" | "damping" | "stiffness"} name
 * @property {number} low
 * @property {number} high
 * @property {string} unit
 * @property {string} doc
 */

/**
 * Settings of the haptic device that holds the plant.
 * @typedef {object} Settings
 * @property {number} rate of the servo [Hz]
 * @property {number} lines of the encoder [1/in]
 * @property {number} low_pass before the derivatives [Hz]; 0: plain differences
 * @property {number} damping of the handle [N·s/m]
 * @property {number} stiffness of the finger [N/m]
 * @property {boolean} controlled by a passivity controller
 */

/**
 * Haptic devices that can hold the plant, and the current one.
 * @typedef {object} Chain
 * @property {Array<Rig>} rigs
 * @property {Array<SettingRange>} ranges
 * @property {string} rig name of the device; "mouse" for none
 * @property {Settings | null} settings
 */

/**
 * A number of a controller.
 * @typedef {object} Knob
 * @property {string} name
 * @property {number} value initial
 * @property {number} low
 * @property {number} high
 * @property {string} unit
 * @property {string} doc
 */

/**
 * A controller that can be chosen.
 * @typedef {object} OfferedController
 * @property {string} name
 * @property {string} doc
 * @property {Array<Knob>} sliders gains
 * @property {Array<Knob>} goals set-points of joints
 * @property {Record<string, Array<Array<number>>>} paths closed curves for its tool, points [m]
 */

/**
 * Controllers that can run next to the plant, and the active one.
 * @typedef {object} Controllers
 * @property {Array<OfferedController>} offered
 * @property {string} active name; "none" for none
 * @property {"none" | "starting" | "running" | "ended"} state
 * @property {string} said why it has ended; "" if nothing is wrong
 * @property {Record<string, number>} values of its settings, by name
 * @property {string} path "pose", "point", or the path that it follows; "" if it follows none
 * @property {Array<number> | null} target the dragged point [m]
 */

/**
 * A recording.
 * @typedef {object} File
 * @property {string} name
 * @property {number} bytes
 */

/**
 * State of the recorder, and existing recordings.
 * @typedef {object} Recording
 * @property {"off" | "starting" | "on" | "ending"} phase of the recorder
 * @property {string} file that it writes; "" for none
 * @property {number} bytes that it has written
 * @property {number} seconds since it began [s]
 * @property {string} problem why it has ended early; "" if it has not
 * @property {Array<File>} files
 */

/**
 * The first message: everything that the page needs before the plant moves.
 * @typedef {object} Hello
 * @property {"hello"} kind
 * @property {Plant} plant
 * @property {Array<MenuEntry>} menu
 * @property {Scene} scene
 * @property {Anatomy} anatomy
 * @property {Array<Parameter>} parameters
 * @property {Array<Signal>} signals
 * @property {Array<string> | null} plots signals to plot first
 * @property {Array<TouchingPair>} contacts
 * @property {Array<WatchedSensor>} sensors
 * @property {Array<Input>} inputs
 * @property {Driven | null} device
 * @property {Cockpit | null} cockpit
 * @property {Chain | null} chain
 * @property {Controllers} controllers
 * @property {Array<string>} can requests that are possible now
 * @property {Recording} record
 * @property {boolean} sounds it plays notes
 */

/**
 * A notice to the user.
 * @typedef {object} Told
 * @property {"info" | "warn" | "error"} level
 * @property {string} text
 * @property {string} fix what to do; "" for nothing
 */

/**
 * State of the loop.
 * @typedef {object} State
 * @property {"state"} kind
 * @property {"starting" | "running" | "paused" | "ended" | "lost"} state
 * @property {number | null} speed simulated seconds per second
 * @property {number} step successful steps since the start
 * @property {number | null} t simulated time [s]
 * @property {string} status how the last step ended
 * @property {string} latched status because of which inputs are ignored; "" if they are not
 * @property {number} overruns
 * @property {number} late late steps within the last seconds
 * @property {number} stale steps with inputs that were too old
 * @property {number} lost lost records of telemetry
 * @property {string} source "live", or the name of a recording
 * @property {boolean} driven a page drives the inputs
 * @property {Told | null} notice
 * @property {number} [pace_hz] recent steps per second of a plant in a page [Hz]
 */

/**
 * Readings of contacts and sensors, ten times per second, in the order of `Hello`.

    A number that a mode does not have is null.
    
 * @typedef {object} Readings
 * @property {"readings"} kind
 * @property {Array<Array<number | null>>} contacts gap [m], normal force and friction [N] of each
 * @property {Array<Array<number | null>>} sensors values of the signals of each
 */

/**
 * Newest values of the signals that a page watches, ten times per second.
 * @typedef {object} Watched
 * @property {"watched"} kind
 * @property {Record<string, number | null>} values null: the mode does not have it
 */

/**
 * This page cannot drive the inputs: it shows them at rest.
 * @typedef {object} Refused
 * @property {"refused"} kind
 * @property {string} text who drives
 * @property {string} fix
 */

/**
 * Columns of the following frames of samples.
 * @typedef {object} Subscribed
 * @property {"subscribed"} kind
 * @property {number} generation generation in the frames of samples
 * @property {number} rate_hz [Hz]
 * @property {Array<string>} signals
 * @property {boolean} fresh earlier samples are not continued: discard them
 */

/**
 * Values changed by any page.
 * @typedef {object} ParameterValues
 * @property {"parameters"} kind
 * @property {Record<string, number>} values
 */

/**
 * The same mechanism with other dimensions.
 * @typedef {object} SceneChange
 * @property {"scene"} kind
 * @property {Scene} scene
 * @property {Anatomy} anatomy
 */

/**
 * A histogram of times.
 * @typedef {object} Times
 * @property {Array<number>} edges_us of the bins, one more than counts [µs]
 * @property {Array<number>} counts
 * @property {number | null} p50 [µs]
 * @property {number | null} p99 [µs]
 * @property {number | null} p999 [µs]
 * @property {number | null} max [µs]
 */

/**
 * Times of the loop.
 * @typedef {object} Histograms
 * @property {"histogram"} kind
 * @property {Times} step_time from the beginning to the end of a step
 * @property {Times} reaction from inputs to outputs
 * @property {Times} wake_up from the period to the thread's wake-up
 * @property {Times} input_age of the inputs when a step uses them
 */

/**
 * A passing notice.
 * @typedef {object} Notice
 * @property {"notice"} kind
 * @property {"info" | "warn" | "error"} level
 * @property {string} text
 * @property {string} fix
 */

/**
 * A recording starts, continues or ends.
 * @typedef {object} RecordingChange
 * @property {"record"} kind
 * @property {"off" | "starting" | "on" | "ending"} phase of the recorder
 * @property {string} file that it writes; "" for none
 * @property {number} bytes that it has written
 * @property {number} seconds since it began [s]
 * @property {string} problem why it has ended early; "" if it has not
 * @property {Array<File>} files
 */

/**
 * Another haptic device, or other settings.
 * @typedef {object} ChainChange
 * @property {"chain"} kind
 * @property {Array<Rig>} rigs
 * @property {Array<SettingRange>} ranges
 * @property {string} rig
 * @property {Settings | null} settings
 */

/**
 * Limits of a haptic device; null: no limit.
 * @typedef {object} Limits
 * @property {number | null} passive stiffness that is never active [N/m]
 * @property {number | null} stable computed [N/m]
 * @property {number | null} measured [N/m]
 * @property {number | null} controlled measured with a passivity controller [N/m]
 * @property {number | null} held by the finger [N/m]
 * @property {number | null} mass held by the finger [kg]
 */

/**
 * State of the haptic device; least and most are since the last message.
 * @typedef {object} DeviceReadings
 * @property {number | null} t simulated time [s]
 * @property {number} rate_hz of the servo [Hz]
 * @property {number | null} handle position of the handle [m]
 * @property {number | null} force of the motor [N]
 * @property {number | null} most_force [N]
 * @property {number} limit of the motor [N]
 * @property {number | null} energy received by the display [J]
 * @property {number | null} least_energy [J]
 * @property {boolean} passive
 * @property {boolean} controlled
 * @property {boolean} acting the passivity controller acts
 * @property {number | null} dissipated by the controller [J]
 * @property {number} shown_stiffness of the mechanism [N/m]
 * @property {number} shown_mass of the mechanism [kg]
 * @property {number} left_out fraction of the periods
 * @property {Limits | null} limits null while they are being measured
 * @property {Told | null} notice
 */

/**
 * State of the haptic device, ten times per second.
 * @typedef {object} DevicePanel
 * @property {"panel"} kind
 * @property {DeviceReadings} data
 */

/**
 * Another controller, or other settings of it.
 * @typedef {object} ControllersChange
 * @property {"controllers"} kind
 * @property {Controllers} controllers
 */

/**
 * State of the controller, twenty times per second; null: not reported.
 * @typedef {object} Tracking
 * @property {"tracking"} kind
 * @property {number | null} t simulated time [s]
 * @property {number | null} error from the tool to its goal [m]
 * @property {Array<number> | null} tool position of the tool [m]
 * @property {Array<number> | null} wanted its goal [m]
 */

/**
 * A body that a page holds.
 * @typedef {object} Hold
 * @property {number} grip 0: by the pointer; otherwise a pin
 * @property {number} body in the order of the scene
 * @property {[number, number, number]} point in body axes [m]
 * @property {[number, number, number]} target in the world [m]
 * @property {boolean} pushes by a constant force, without a spring
 * @property {number} firmness relative to the default for the body
 * @property {number} mass of the point [kg]; 0 until the plant has reported it
 * @property {number} stiffness [N/m]
 * @property {[number, number, number]} force on the body, in the world [N]
 * @property {number} limited 0; 1 stiffness, 2 force are as large as steps can follow; 3 refused
 */

/**
 * Bodies that are held; sent while there are any, and once when the last is released.
 * @typedef {object} Held
 * @property {"held"} kind
 * @property {boolean} mine by this page
 * @property {Array<Hold>} holds
 */

/**
 * A note begins or ends.
 * @typedef {object} PlayedNote
 * @property {"note"} kind
 * @property {number} t simulated time [s]
 * @property {boolean} on
 * @property {number} note of MIDI: 60 is C4
 * @property {number} velocity of MIDI: 1 to 127
 * @property {number | null} speed of the hammer at the string [m/s]
 */

/**
 * An event in a recording.
 * @typedef {object} TimelineMark
 * @property {"reset" | "late" | "safe" | "failed" | "mode" | "event" | "parameters" | "lost" | "damaged"} what
 * @property {number} at from the start of the recording [s]
 * @property {string} text
 * @property {number} count number of such events nearby
 */

/**
 * Length and events of the recording shown.
 * @typedef {object} Timeline
 * @property {"timeline"} kind
 * @property {string} file
 * @property {number} length [s]
 * @property {Array<TimelineMark>} marks
 * @property {number} scanned fraction of the file searched for marks
 * @property {boolean} grows it is being written now
 * @property {boolean} complete the file has its end
 */

/**
 * The time shown in the recording.
 * @typedef {object} ShownPlace
 * @property {"place"} kind
 * @property {number} at from the start of the recording [s]
 * @property {number} t simulated time [s]
 * @property {number} record its number
 */

/**
 * Send samples of these signals only.
 * @typedef {object} Subscribe
 * @property {"subscribe"} do
 * @property {Array<string>} signals
 * @property {number} [rate_hz] all samples by default [Hz]
 */

/**
 * Send the newest values of these signals only, periodically.
 * @typedef {object} Watch
 * @property {"watch"} do
 * @property {Array<string>} signals
 */

/**
 * Move a joint to a position while the plant is paused; refused if the loops cannot close.
 * @typedef {object} Place
 * @property {"place"} do
 * @property {string} coordinate
 * @property {number} q [rad or m]
 * @property {boolean} [keep_velocities] by default, everything is at rest afterwards
 */

/**
 * Set a parameter; the value is clipped to its range.
 * @typedef {object} SetParameter
 * @property {"set"} do
 * @property {string} parameter
 * @property {number} value
 */

/**
 * Set a parameter to its default.
 * @typedef {object} ResetParameter
 * @property {"reset_parameter"} do
 * @property {string} parameter
 */

/**
 * Set all parameters to their defaults.
 * @typedef {object} ResetParameters
 * @property {"reset_parameters"} do
 */

/**
 * Pause the plant.
 * @typedef {object} Pause
 * @property {"pause"} do
 */

/**
 * Continue, and use the inputs again.
 * @typedef {object} Go
 * @property {"go"} do
 */

/**
 * Do a number of steps, while paused.
 * @typedef {object} Step
 * @property {"step"} do
 * @property {number} [count]
 */

/**
 * Set the simulated seconds per second.
 * @typedef {object} Speed
 * @property {"speed"} do
 * @property {number} factor
 */

/**
 * Reset the plant to its start.
 * @typedef {object} Reset
 * @property {"reset"} do
 */

/**
 * Go back a number of records in a recording, and pause.
 * @typedef {object} StepBack
 * @property {"step_back"} do
 * @property {number} [count]
 */

/**
 * Go to another place of a recording.
 * @typedef {object} Seek
 * @property {"seek"} do
 * @property {number} at from the start of the recording [s]
 */

/**
 * Start or end a recording.
 * @typedef {object} SwitchRecording
 * @property {"record"} do
 * @property {boolean} on
 */

/**
 * Show a recording.
 * @typedef {object} Replay
 * @property {"replay"} do
 * @property {string} file
 */

/**
 * Return to the plant.
 * @typedef {object} ShowLive
 * @property {"live"} do
 */

/**
 * Start another plant of the menu.
 * @typedef {object} Choose
 * @property {"choose"} do
 * @property {string} name
 * @property {Record<string, boolean | number | string>} [options]
 */

/**
 * Start the plant again, with the same options.
 * @typedef {object} Restart
 * @property {"restart"} do
 */

/**
 * Drive the inputs from this page.
 * @typedef {object} TakeInput
 * @property {"take_input"} do
 */

/**
 * Let other pages drive the inputs.
 * @typedef {object} ReleaseInput
 * @property {"release_input"} do
 */

/**
 * Hold the plant with a haptic device, or change its settings.
 * @typedef {object} HoldDevice
 * @property {"device"} do
 * @property {string} rig
 * @property {Record<string, boolean | number | string>} [settings]
 */

/**
 * Start a controller of the list; "none" stops the active one.
 * @typedef {object} UseController
 * @property {"control"} do
 * @property {string} name
 */

/**
 * Change a setting of the active controller; the value is clipped to its range.
 * @typedef {object} TuneController
 * @property {"tune"} do
 * @property {string} setting
 * @property {number} value
 */

/**
 * Move the tool along a path of the list, or the joints to the pose.
 * @typedef {object} FollowPath
 * @property {"follow"} do
 * @property {string} path
 */

/**
 * Hold the current position.
 * @typedef {object} HoldPose
 * @property {"hold"} do
 */

/**
 * Move the tool to a point in the world.
 * @typedef {object} AimAt
 * @property {"aim"} do
 * @property {number} x [m]
 * @property {number} y [m]
 * @property {number} z [m]
 */

/**
 * Pin the body that the pointer holds.
 * @typedef {object} Pin
 * @property {"pin"} do
 */

/**
 * Release a body held by this page, or all.
 * @typedef {object} LetGo
 * @property {"let_go"} do
 * @property {number} [grip] of a pin, from 1; all by default
 */

/** @typedef {Hello | State | Readings | Watched | Refused | Subscribed | ParameterValues | SceneChange | Histograms | Notice | RecordingChange | ChainChange | DevicePanel | ControllersChange | Tracking | Held | PlayedNote | Timeline | ShownPlace} Message */

/** @typedef {Subscribe | Watch | Place | SetParameter | ResetParameter | ResetParameters | Pause | Go | Step | Speed | Reset | StepBack | Seek | SwitchRecording | Replay | ShowLive | Choose | Restart | TakeInput | ReleaseInput | HoldDevice | UseController | TuneController | FollowPath | HoldPose | AimAt | Pin | LetGo} Request */

// kinds of binary frames
export const POSES = 1;
export const SAMPLES = 2;
export const ECHO = 3;
export const INPUT = 8;
export const PING = 9;
export const TOUCH = 10;

// bytes at which their fields begin
export const HEADER = { kind: 0, count: 2, sequence: 4, stamp: 8, t: 16, size: 24 };
export const ROWS = { first: 0, lost: 4, size: 8 };
export const ECHOED = { token: 0, used_at: 8, page_time: 16, size: 24 };
export const INPUT_FRAME = { kind: 0, index: 2, sequence: 4, value: 8, page_time: 16, size: 24 };
export const PING_FRAME = { kind: 0, token: 8, size: 16 };
export const TOUCH_FRAME = {
  kind: 0,
  body: 2,
  sequence: 4,
  page_time: 8,
  firmness: 16,
  point: 24,
  target: 48,
  push: 72,
  size: 96,
};
