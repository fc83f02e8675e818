import { readBox } from './point.js';

/**
 * Reads what the block says about a mesh.
 *
 * @param {import('./module.js').Module} module
 * @param {() => string | null} nameOf
 */
export function readMesh({ u32, block }, nameOf) {
  const [triangles, vertices, low, high, mask] = u32.subarray(block, block + 5);
  const userId = (BigInt(high) << 32n) | BigInt(low);
  return { name: nameOf() ?? '', triangles, vertices, userId, mask };
}

/**
 * What a tree knows about itself, for both classes of trees.
 *
 * @template {new (...args: any[]) => import('./ray_questions.js').RayQuestions} Base
 * @param {Base} Base
 */
export function withTreeData(Base) {
  return class extends Base {
    get meshCount() {
      return this._module.call('mesh_count', this._handle);
    }

    get triangleCount() {
      let count = 0;
      for (let i = 0; i < this.meshCount; i++) count += this.mesh(i)?.triangles ?? 0;
      return count;
    }

    bounds() {
      this._module.call('bounds', this._handle);
      return readBox(this._module.f32, this._module.block);
    }

    /** @param {number} mesh */
    mesh(mesh) {
      const found = this._module.call('mesh', this._handle, mesh);
      return found ? readMesh(this._module, () => this.meshName(mesh)) : null;
    }

    /** @param {number} mesh */
    meshName(mesh) {
      return this.#name('mesh_name', mesh);
    }

    /** @param {number} material */
    materialName(material) {
      return this.#name('material_name', material);
    }

    /**
     * @param {string} name
     * @param {number} number
     */
    #name(name, number) {
      const is = this._module.call(name, this._handle, number);
      return is ? this._module.outputText() : null;
    }

    /** @type {(mesh: number, triangle: number, out?: Float32Array) => Float32Array | null} */
    triangle(mesh, triangle, out = new Float32Array(9)) {
      const module = this._module;
      if (module.call('triangle', this._handle, mesh, triangle) === 0) return null;
      out.set(module.f32.subarray(module.block, module.block + 9));
      return out;
    }

    /**
     * @param {number} mesh
     * @param {number} mask
     */
    setMask(mesh, mask) {
      this._module.call('set_mesh_mask', this._handle, mesh, mask);
    }

    userData() {
      this._module.call('user_data', this._handle);
      return this._module.outputBytes();
    }
  };
}
