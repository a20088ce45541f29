// The shadow of bodies on the floor below them, or on the paper behind them: darkest where they
// touch it. They are drawn from behind the plane, darker the closer they are, and blurred.

import * as THREE from "./three.js";

/** Layer of objects that cast this shadow. */
export const CASTERS = 1;

const NEAR = new THREE.ShaderMaterial({
  side: THREE.DoubleSide,
  blending: THREE.NoBlending,
  vertexShader: `varying float away;
    void main() {
      #include <begin_vertex>
      #include <project_vertex>
      away = 0.5 * gl_Position.z / gl_Position.w + 0.5;
    }`,
  fragmentShader: `varying float away;
    void main() { float near = 1.0 - away; gl_FragColor = vec4(0.0, 0.0, 0.0, near * near); }`,
});

const BLUR = new THREE.ShaderMaterial({
  depthTest: false,
  depthWrite: false,
  blending: THREE.NoBlending,
  uniforms: { picture: { value: null }, step: { value: new THREE.Vector2() } },
  vertexShader:
    "varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }",
  // five samples of a Gaussian, between pixels
  fragmentShader: `varying vec2 at; uniform sampler2D picture; uniform vec2 step;
    void main() {
      float sum = 0.0;
      float weight = 0.0;
      for (float k = -2.0; k <= 2.0; k += 1.0) {
        float w = exp(-0.5 * k * k);
        sum += w * texture2D(picture, at + k * step).a;
        weight += w;
      }
      gl_FragColor = vec4(0.0, 0.0, 0.0, sum / weight);
    }`,
});

export class ContactShadow {
  /** @param {number} pixels of the shadow's texture */
  constructor(pixels) {
    const kept = { type: THREE.UnsignedByteType, generateMipmaps: false };
    this.shade = new THREE.WebGLRenderTarget(pixels, pixels, kept);
    this.half = new THREE.WebGLRenderTarget(pixels, pixels, { ...kept, depthBuffer: false });
    this.camera = new THREE.OrthographicCamera();
    this.camera.layers.set(CASTERS);
    this.material = new THREE.MeshBasicMaterial({
      map: this.shade.texture,
      transparent: true,
      depthWrite: false,
      toneMapped: false,
    });
    this.plane = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), this.material);
    this.plane.renderOrder = -1;
    this.plane.visible = false;
    this.sheet = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), BLUR);
    this.sheet.frustumCulled = false;
    this.sheet.layers.set(CASTERS); // the only ones visible to the camera
    this.blurred = new THREE.Vector2();
  }

  /**
   * Place the shadow in a plane.
   * @param {THREE.Vector3} center of the plane
   * @param {THREE.Quaternion} turn of it: x to its right, y up in it, z towards the bodies
   * @param {{ width: number, height: number, range: number, blur: number, shift: number[] }} how
   *   its size, the largest distance of bodies that cast a shadow, the width of the blur, and its
   *   offset in the plane [m]
   * @param {number} opacity
   */
  place(center, turn, { width, height, range, blur, shift }, opacity) {
    const { camera, plane } = this;
    const half = { left: -width / 2, right: width / 2, top: height / 2, bottom: -height / 2 };
    // seen from behind: right is left
    Object.assign(camera, { ...half, near: 0, far: range });
    camera.position.copy(center);
    camera.quaternion.copy(turn).multiply(HALF_TURN);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    plane.quaternion.copy(turn);
    plane.position.set(shift[0], shift[1], 0).applyQuaternion(turn).add(center);
    plane.scale.set(-width, height, 1);
    this.material.side = THREE.DoubleSide;
    this.material.opacity = opacity;
    this.blurred.set(blur / width / 2, blur / height / 2);
    plane.visible = true;
  }

  /**
   * Draw the shadow of a scene.
   * @param {THREE.WebGLRenderer} renderer
   * @param {THREE.Scene} scene
   */
  update(renderer, scene) {
    const { shade, half, sheet, camera } = this;
    if (!this.plane.visible) return;
    const { autoUpdate } = renderer.shadowMap;
    renderer.shadowMap.autoUpdate = false;
    scene.overrideMaterial = NEAR;
    renderer.setRenderTarget(shade);
    renderer.clear();
    renderer.render(scene, camera);
    scene.overrideMaterial = null;
    for (const [from, to, x, y] of /** @type {const} */ ([
      [shade, half, 1, 0],
      [half, shade, 0, 1],
    ])) {
      BLUR.uniforms.picture.value = from.texture;
      BLUR.uniforms.step.value.set(x, y).multiply(this.blurred);
      renderer.setRenderTarget(to);
      renderer.render(sheet, camera);
    }
    renderer.setRenderTarget(null);
    renderer.shadowMap.autoUpdate = autoUpdate;
  }

  dispose() {
    this.shade.dispose();
    this.half.dispose();
    this.plane.geometry.dispose();
    this.material.dispose();
  }
}

const HALF_TURN = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 1, 0), Math.PI);
