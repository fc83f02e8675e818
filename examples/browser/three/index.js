export { acceleratedRaycast } from './accelerated_raycast.js';
export { geometryInput } from './geometry_input.js';
export { raycastMesh } from './raycast_mesh.js';
