() => {
  // runs in the page: notes when frames come, asks which inputs the loop has used
  const POSES = 1, ECHO = 3;
  const notes = { poses: [], used: new Map(), offsets: [], start: performance.now() };
  const { connection, view } = window.inloop;
  const asked = new Map();
  connection.socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") return;
    const now = performance.now();
    const frame = new DataView(data);
    const kind = frame.getUint8(0);
    const stamp = 1000 * frame.getFloat64(8, true); // the loop's or the server's clock [ms]
    if (kind === POSES) notes.poses.push([now, stamp]);
    if (kind !== ECHO) return;
    const token = frame.getBigUint64(24, true);
    const sent = asked.get(token);
    if (sent === undefined) return;
    asked.delete(token);
    // clocks: the server read its own between the question and the answer
    notes.offsets.push([now - sent, stamp - (now + sent) / 2]);
    const usedAt = 1000 * frame.getFloat64(32, true);
    if (usedAt > 0) notes.used.set(frame.getUint32(4, true), [usedAt, frame.getFloat64(40, true)]);
  });
  let token = 1n << 40n;
  const rendered = view.rendered;
  const timer = setInterval(() => {
    const question = new DataView(new ArrayBuffer(16));
    token += 1n;
    question.setUint8(0, 9);
    question.setBigUint64(8, token, true);
    asked.set(token, performance.now());
    connection.socket.send(question.buffer);
  }, 25);
  window.finish = () => {
    clearInterval(timer);
    const seconds = (performance.now() - notes.start) / 1000;
    return {
      seconds, poses: notes.poses, used: [...notes.used.values()], offsets: notes.offsets,
      rendered: view.rendered - rendered, lost: window.inloop.plots.samples.lost,
    };
  };
}
