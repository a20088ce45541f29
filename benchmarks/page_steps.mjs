// Steps the piano in WebAssembly as a page does; the counterpart of page_steps.c.
import fs from "node:fs";

const [modules, folder, finger, rounds] = process.argv.slice(2);
const { WasmPlant } = await import(`${modules}/wasmplant.js`);
const facts = JSON.parse(fs.readFileSync(`${folder}/facts.json`));
const module = new WebAssembly.Module(fs.readFileSync(`${folder}/plant.wasm`));
const { hello, drawn, inputs } = facts;
const counts = {
  parameters: hello.parameters.length,
  inputs: hello.inputs.length,
  bodies: hello.scene.bodies.length,
  points: drawn.points,
  positions: drawn.positions.length,
};
const RECORDS = 5000;
const values = inputs.start.map((x, k) => (hello.inputs[k].name === "finger" ? Number(finger) : x));
for (let round = 0; round < Number(rounds); round++) {
  const plant = new WasmPlant(module, facts, counts);
  plant.setInputs(values);
  const kept = new Float64Array(RECORDS * plant.width);
  const begin = performance.now();
  for (let done = 0; done < RECORDS; ) {
    const good = plant.advance(RECORDS - done);
    if (!good) throw new Error(`status ${plant.status}`);
    if (round === 0) kept.set(plant.rows.subarray(0, good * plant.width), done * plant.width);
    done += good;
  }
  if (round === 0) fs.writeFileSync(`${folder}/wasm.f64`, Buffer.from(kept.buffer));
  else console.log((1e3 * (performance.now() - begin)) / RECORDS);
}
