// The studio's page: connects its parts.

import { BlindTest } from "./blindtest.js";
import { carried } from "./carried.js";
import { CockpitView } from "./cockpit.js";
import { Connection } from "./connection.js";
import { Contacts } from "./contacts.js";
import { ControllerPanel } from "./controllers.js";
import { Deadlines } from "./deadlines.js";
import { Deflection } from "./deflection.js";
import { DevicePanel } from "./device.js";
import { byId, download, press } from "./dom.js";
import { farewell } from "./farewell.js";
import { Hand } from "./hand.js";
import { HandPanel } from "./handpanel.js";
import { HashLink } from "./hashlink.js";
import { Inputs } from "./inputs.js";
import { Inspector } from "./inspector.js";
import { startMenu } from "./menu.js";
import { POSES } from "./messages.js";
import { NoteDisplay } from "./note.js";
import { Notices } from "./notices.js";
import { unitName } from "./numbers.js";
import { Parameters } from "./parameters.js";
import { Picking } from "./picking.js";
import { Plots } from "./plots.js";
import { Pointer } from "./pointer.js";
import { Recordings, Rewind } from "./recordings.js";
import { Rulers } from "./rulers.js";
import { Sensors } from "./sensors.js";
import { Shortcuts } from "./shortcuts.js";
import { dialSocket } from "./socketlink.js";
import { Sound } from "./sound.js";
import { KeySource } from "./sources.js";
import { palette, startTheme } from "./theme.js";
import { TimelineBar } from "./timeline.js";
import { Touch } from "./touch.js";
import { TouchDrawing } from "./touchdrawing.js";
import { Transport } from "./transport.js";
import { Video } from "./video.js";
import { View } from "./view.js";
import { dialWorker } from "./workerlink.js";

startTheme((colours) => {
  view.setPalette(colours);
  plots.setPalette(colours);
});

const SELDOM = 500; // between plots for a riding viewer without a graphics card [ms]
const scheme = location.protocol === "https:" ? "wss" : "ws";
const dial = carried ? dialWorker(carried) : dialSocket(`${scheme}://${location.host}/ws`);
const connection = new Connection(dial, {
  open: () => notices.alarm("link", null),
  lost: (ending) => {
    notices.alarm("link", farewell(ending, transport.plant));
    transport.chip(ending === "ended" ? "ended" : "no link", "error");
    inputs.clear();
    touch.clear();
    handPanel.springBack();
  },
  text: (message) => receive(message),
  frame: (frame) => {
    if (frame.kind === POSES) {
      view.motion.add(frame, performance.now() / 1000);
      cockpit.see(frame);
    } else plots.add(frame);
  },
});

const notices = new Notices();
const view = new View(byId("view"), palette());
const picking = new Picking(view);
const deflection = new Deflection(view);
const inputs = new Inputs(connection);
const hand = new Hand(inputs);
const handPanel = new HandPanel(hand, inputs, notices);
const touch = new Touch(view, connection);
const pointer = new Pointer(view, hand, picking, touch);
new TouchDrawing(view, touch);
const keys = new KeySource(hand);
const cockpit = new CockpitView(view, inputs);
const transport = new Transport(connection, notices);
const parameters = new Parameters(connection);
cockpit.blind = new BlindTest(connection, parameters);
const link = carried && new HashLink(connection);
const plots = new Plots(connection, palette(), view.slow);
const contacts = new Contacts();
const sensors = new Sensors();
const deadlines = new Deadlines();
const recordings = new Recordings(connection);
const rewind = new Rewind(view, (t) => plots.pointAt(t));
const timeline = new TimelineBar(connection, (t) => plots.pointAt(t));
const note = new NoteDisplay();
const sound = new Sound(connection, notices);
cockpit.sound = sound;
const video = new Video(view, sound, notices);
const device = new DevicePanel(connection, notices);
const controllers = new ControllerPanel(connection, view);
const shortcuts = new Shortcuts(hand);
shortcuts.levers = () => cockpit.levers.states.map(({ lever }) => lever);
const inspector = new Inspector(connection, view, picking);
startMenu();
new Rulers(view);

/** @typedef {import("./messages.js").Message} Message */

/**
 * Handlers of all messages of the server.
 * @type {{ [K in Message["kind"]]: (message: Extract<Message, { kind: K }>) => void }}
 */
const RECEIVE = {
  hello(message) {
    for (const named of [...message.parameters, ...message.signals, ...message.inputs])
      named.unit = unitName(named.unit);
    const same = transport.plant?.name === message.plant.name;
    inputs.clear();
    rewind.stop();
    timeline.clear(message.can);
    note.clear();
    sound.setPlant(message.sounds, message.cockpit?.voices ?? []);
    transport.setPlant(message);
    deadlines.setPlant(message.plant);
    view.scenery = message.cockpit?.scenery ?? null;
    view.setScene(message.scene, same);
    parameters.setPlant(message.parameters);
    deflection.setScene(message.scene);
    byId("side").hidden = !message.scene.planar;
    const index = message.inputs.findIndex(({ name }) => name === message.device?.input);
    const driven = message.device && { ...message.device, unit: unitName(message.device.unit) };
    hand.setDevice(driven, index);
    handPanel.setPlant(driven, message.inputs, measuresOf(message));
    device.setPlant(message.chain);
    touch.setPlant(message.can.includes("let_go"));
    if (!driven && touch.possible) byId("hand-hint").textContent = "Drag any body";
    cockpit.setPlant(
      message.plant.name,
      message.cockpit,
      message.inputs,
      message.can.includes("take_input"),
    );
    plots.least = view.slow && message.cockpit?.cameras.length ? SELDOM : 0;
    controllers.setPlant(message.controllers);
    link?.setPlant(message.parameters);
    contacts.setPlant(message.contacts);
    sensors.setPlant(message.sensors);
    inspector.setPlant(message);
    plots.setPlant(message.plant.name, message.signals, message.plots);
    recordings.show(message.record, message.can);
  },
  readings(message) {
    contacts.show(message.contacts);
    sensors.show(message.sensors);
    inspector.details?.touch(message.contacts);
  },
  watched: ({ values }) => inspector.show(values),
  refused({ text, fix }) {
    inputs.giveUp();
    cockpit.levers.giveUp();
    handPanel.springBack();
    notices.toast({ level: "warn", text, fix });
  },
  subscribed: (message) => plots.subscribed(message),
  parameters({ values }) {
    parameters.update(values);
    link?.show(values);
  },
  state(message) {
    transport.show(message);
    inspector.setState(message.state);
    recordings.playing(message.source);
    deadlines.count(message, connection.roundTrip);
  },
  histogram: (message) => deadlines.show(message),
  notice: (message) => notices.toast(message),
  scene({ scene, anatomy }) {
    view.changeScene(scene);
    inspector.change(anatomy);
  },
  record: (message) => recordings.show(message, transport.can),
  chain: (message) => device.setChain(message),
  panel: ({ data }) => device.show(data),
  held: (message) => touch.show(message),
  controllers: (message) => controllers.show(message.controllers),
  tracking: (message) => controllers.track(message),
  note(message) {
    note.show(message);
    sound.play(message);
  },
  timeline: (message) => timeline.setRecording(message),
  place: (message) => timeline.setPlace(message),
};

/**
 * Mass and size of a mechanism.
 * @param {import("./messages.js").Hello} hello
 */
function measuresOf({ anatomy, scene: { bounds } }) {
  const mass = anatomy.bodies.reduce((sum, body) => sum + body.mass, 0);
  const length = Math.max(...bounds.max.map((x, k) => x - bounds.min[k]));
  return { mass, length };
}

/** @param {Message} message */
function receive(message) {
  const read = /** @type {(message: Message) => void} */ (RECEIVE[message.kind]);
  read(message);
}

/**
 * @param {string} id
 * @returns {() => void}
 */
const click = (id) => () => byId(id).click();
byId("picture").onclick = async () => download(await view.picture(), `${byId("plant").value}.png`);
byId("fit").onclick = () => {
  view.eye.touched = false;
  view.eye.fit();
  cockpit.choose(cockpit.chosen);
};
byId("side").onclick = () => {
  view.eye.toggleFlat();
  view.build();
};
byId("forces").onclick = () => {
  view.showForces(!view.forcesShown);
  press(byId("forces"), view.forcesShown);
};

shortcuts.add(" ", "Pause or run", click("pause"));
shortcuts.add("k", "Pause or run", click("pause"));
shortcuts.add(".", "One step, or one record forward", () => {
  if (rewind.on) rewind.step(1);
  else byId("step").click();
});
shortcuts.add(",", "One record back, in a recording or looking back", () => {
  if (rewind.on) rewind.step(-1);
  else timeline.back();
});
shortcuts.add("Home", "Back to the start", click("reset"));
shortcuts.add("[", "Slower", () => transport.faster(-1));
shortcuts.add("]", "Faster", () => transport.faster(1));
shortcuts.add("b", "Look back at the last seconds, or return", () => rewind.toggle());
shortcuts.add("r", "Record or stop", click("record"));
shortcuts.add("p", "Save a picture", click("picture"));
shortcuts.add("o", "Record a video or stop", click("video"));
shortcuts.add("m", "Sound on or off", click("sound"));
shortcuts.add("l", "Hold or follow the plots", click("live"));
shortcuts.add("f", "Fit the view", click("fit"));
shortcuts.add("v", "From the side, or in space", click("side"));
shortcuts.add("c", "Next camera of the exhibit", () => cockpit.next());
shortcuts.add("n", "Obstacle at a random time, on or off", click("surprise"));
shortcuts.add("j", "Ghost of the previous run, on or off", click("ghost"));
shortcuts.add("g", "Show or hide forces", click("forces"));
shortcuts.add("h", "Pin the body that the pointer holds", () => touch.pin());
shortcuts.add("Escape", "Release all bodies", () => touch.letGo());
shortcuts.add("y", "Full or simple light", click("style"));
shortcuts.add("t", "Dark or light", click("theme"));
shortcuts.add("/", "Find a parameter", () => parameters.find());

/** For tests and the console: the parts, by name. */
Object.assign(window, {
  inloop: {
    connection,
    view,
    picking,
    hand,
    inputs,
    plots,
    parameters,
    notices,
    pointer,
    touch,
    keys,
    transport,
    rewind,
    timeline,
    sound,
    video,
    recordings,
    device,
    inspector,
    controllers,
    cockpit,
  },
});
