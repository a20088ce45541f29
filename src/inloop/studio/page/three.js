// The only module that knows the address of three.js.
export * from "/vendor/three.module.min.js";
