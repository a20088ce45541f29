// The one place that knows where three.js lies.
export * from "/vendor/three.module.min.js";
