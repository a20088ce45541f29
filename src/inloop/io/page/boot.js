// Unpacks the content of the page and starts it.
(async () => {
  const lengths = @meshes@;
  const unpacked = (name) => {
    const base64 = document.getElementById(`carried-${name}`).textContent;
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  };
  const parsed = async (name) => JSON.parse(new TextDecoder().decode(await unpacked(name)));

  // modules follow those that they import, whose addresses are then known
  const load = (modules, addressOf) => {
    const addresses = {};
    for (const [name, text] of modules)
      addresses[name] = addressOf(
        text.replace(/"inloop\/([\w.]+)"/g, (_, other) => `"${addresses[`inloop/${other}`]}"`),
      );
    return addresses;
  };
  const asBlob = (code) => URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const asData = (code) => `data:text/javascript,${encodeURIComponent(code)}`;

  const modules = Object.entries(await parsed("modules"));
  const neededBy = (entry) => {
    const texts = new Map(modules);
    const found = new Set([entry]);
    for (const name of found)
      for (const [, other] of texts.get(name).matchAll(/"(inloop\/[\w.]+)"/g)) found.add(other);
    return modules.filter(([name]) => found.has(name));
  };
  // Chromium lets a worker of a local file import only blobs that this worker has created, and a
  // worklet only data URLs
  const workerOf = (entry) =>
    asBlob(`const waiting = [];
      self.onmessage = (message) => waiting.push(message);
      const addresses = (${load})(${JSON.stringify(neededBy(entry))}, ${asBlob});
      import(addresses["${entry}"]).then(
        () => { for (const message of waiting) self.onmessage(message); },
        (problem) => setTimeout(() => { throw problem; }),
      );`);

  const block = await unpacked("meshes");
  const meshes = {};
  let at = 0;
  for (const [name, length] of Object.entries(lengths)) {
    meshes[name] = block.slice(at, at + length);
    at += length;
  }
  window.inloopCarried = {
    addresses: {
      "draw.js": workerOf("inloop/draw.js"),
      "plantworker.js": workerOf("inloop/plantworker.js"),
      "stringprocessor.js": load(neededBy("inloop/stringprocessor.js"), asData)[
        "inloop/stringprocessor.js"
      ],
    },
    meshes,
    wasm: await unpacked("wasm"),
    facts: await parsed("facts"),
  };
  await import(load(neededBy("inloop/main.js"), asBlob)["inloop/main.js"]);
})().catch((problem) => {
  const words = document.createElement("p");
  words.textContent = `This browser cannot open the page: ${problem}`;
  document.body.replaceChildren(words);
});
