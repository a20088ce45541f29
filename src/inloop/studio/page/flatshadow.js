// Cheap shadows: bodies projected onto the floor or the paper, along the light, in one shade that
// does not get darker where they overlap.

import { CASTERS } from "./contactshadow.js";
import * as THREE from "./three.js";

// faces towards the light are enough: after the projection they are the front faces
const PRESSED = new THREE.ShaderMaterial({
  blending: THREE.NoBlending,
  depthTest: false,
  depthWrite: false,
  uniforms: {
    plane: { value: new THREE.Vector4() }, // its normal, and its distance from the origin
    light: { value: new THREE.Vector3() },
    dark: { value: 0.2 },
  },
  vertexShader: `uniform vec4 plane; uniform vec3 light;
    void main() {
      vec4 at = vec4(position, 1.0);
      #ifdef USE_INSTANCING
        at = instanceMatrix * at;
      #endif
      at = modelMatrix * at;
      at.xyz -= light * ((dot(plane.xyz, at.xyz) - plane.w) / dot(plane.xyz, light));
      gl_Position = projectionMatrix * viewMatrix * at;
    }`,
  fragmentShader: "uniform float dark; void main() { gl_FragColor = vec4(0.0, 0.0, 0.0, dark); }",
});

/**
 * Draw a scene over its shadow.
 * @param {THREE.WebGLRenderer} renderer
 * @param {THREE.Scene} scene
 * @param {THREE.Camera} camera
 * @param {{ plane: THREE.Plane, light: THREE.Vector3, dark: number }} shadow the plane that it
 *   falls on, the direction to the lamp, its opacity
 */
export function renderWithShadow(renderer, scene, camera, { plane, light, dark }) {
  const { uniforms } = PRESSED;
  const { x, y, z } = plane.normal;
  uniforms.plane.value.set(x, y, z, -plane.constant);
  uniforms.light.value.copy(light);
  uniforms.dark.value = dark;
  const { mask } = camera.layers;
  renderer.autoClear = false;
  renderer.clear();
  scene.overrideMaterial = PRESSED;
  camera.layers.set(CASTERS);
  renderer.render(scene, camera);
  scene.overrideMaterial = null;
  camera.layers.mask = mask;
  renderer.render(scene, camera);
  renderer.autoClear = true;
}
