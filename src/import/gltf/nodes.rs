//! The tree of nodes, walked without recursion, and the transforms along it.

use std::collections::HashMap;

use super::json::{Items, Json};
use super::matrix::Matrix;
use crate::import::ImportErrorKind::Invalid;
use crate::import::error::{Result, Warnings};
use crate::import::text::shown;

/// A node that shows a mesh.
pub(super) struct Instance {
    pub(super) node: usize,
    pub(super) mesh: usize,
    pub(super) skin: Option<usize>,
    /// The node's global transform.
    pub(super) global: Matrix,
}

/// The nodes, and the global transforms that are known.
pub(super) struct Nodes<'a> {
    pub(super) items: Items<'a>,
    /// The transform above the roots.
    root: Matrix,
    globals: HashMap<usize, Matrix>,
    /// The parent of each node, once it is needed.
    parents: Option<Vec<Option<usize>>>,
}

impl<'a> Nodes<'a> {
    pub(super) fn new(items: Items<'a>, root: Matrix) -> Self {
        Self { items, root, globals: HashMap::new(), parents: None }
    }

    /// The first parent of each node.
    fn parents(&self) -> Result<Vec<Option<usize>>> {
        let mut parents = vec![None; self.items.len()];
        for (parent, node) in self.items.iter().enumerate() {
            if let Some(children) = node?.member("children")? {
                for child in children.items()?.iter() {
                    parents[child?.index(self.items.len(), "nodes")?].get_or_insert(parent);
                }
            }
        }
        Ok(parents)
    }

    /// The global transform of a joint, which need not be part of the scene.
    pub(super) fn global(&mut self, joint: usize, warnings: &mut Warnings) -> Result<Matrix> {
        let mut chain = Vec::new();
        let (mut at, mut global) = (Some(joint), self.root);
        while let Some(node) = at {
            if let Some(known) = self.globals.get(&node) {
                global = *known;
                break;
            }
            if chain.len() == self.items.len() {
                let reason = "the node is part of a cycle, or below one";
                return Err(self.items.at(joint)?.error(Invalid, reason));
            }
            chain.push(node);
            if self.parents.is_none() {
                self.parents = Some(self.parents()?);
            }
            at = self.parents.as_ref().and_then(|parents| parents[node]);
        }
        for &node in chain.iter().rev() {
            global = global.after(&Matrix::of(&self.items.at(node)?.object()?, warnings)?);
            self.globals.insert(node, global);
        }
        Ok(global)
    }
}

/// All nodes that show a mesh, in the order that the module `import` states.
pub(super) fn walk<'a>(
    scene: Option<Json<'a>>,
    scenes: &Items<'a>,
    nodes: &mut Nodes<'a>,
    meshes: usize,
    skins: usize,
    warnings: &mut Warnings,
) -> Result<Vec<Instance>> {
    let scene = scene.filter(|scene| !scene.is_minus_one());
    let default = match &scene {
        Some(scene) if scenes.len() > 0 => Some(scenes.at(scene.index(scenes.len(), "scenes")?)?),
        Some(scene) => {
            scene.size()?;
            warnings.add(scene.place(), "the file has no scenes; all root nodes are read");
            None
        }
        None => None,
    };
    let mut walk = Walk {
        meshes,
        skins,
        reached: vec![None; nodes.items.len()],
        open: Vec::new(),
        instances: Vec::new(),
        nodes,
        warnings,
    };
    match &default {
        Some(scene) => {
            if let Some(roots) = scene.member("nodes")? {
                walk.open(&roots, From::Scene, walk.nodes.root, true)?;
                walk.finish()?;
            }
        }
        None => walk.all_roots(scenes)?,
    }
    Ok(walk.instances)
}

/// Where a node is reached from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Scene,
    Node(usize),
}

struct Walk<'n, 'a> {
    nodes: &'n mut Nodes<'a>,
    meshes: usize,
    skins: usize,
    /// Each node is visited once, so neither a cycle nor a shared node can make the walk
    /// longer than the file.
    reached: Vec<Option<From>>,
    open: Vec<Children<'a>>,
    instances: Vec<Instance>,
    warnings: &'n mut Warnings,
}

/// A list of children that is being visited.
struct Children<'a> {
    list: Items<'a>,
    next: usize,
    from: From,
    parent: Matrix,
    visible: bool,
}

impl<'a> Walk<'_, 'a> {
    fn open(&mut self, list: &Json<'a>, from: From, parent: Matrix, visible: bool) -> Result<()> {
        self.open.push(Children { list: list.items()?, next: 0, from, parent, visible });
        Ok(())
    }

    /// Visits all nodes in the open lists, and their descendants.
    fn finish(&mut self) -> Result<()> {
        while let Some(children) = self.open.last_mut() {
            if children.next == children.list.len() {
                self.open.pop();
                continue;
            }
            let entry = children.list.at(children.next)?;
            let (from, parent, visible) = (children.from, children.parent, children.visible);
            children.next += 1;
            let index = entry.index(self.nodes.items.len(), "nodes")?;
            match self.reached[index] {
                None => self.visit(index, from, &parent, visible)?,
                Some(first) if first == from || from == From::Scene => {
                    let reason = format_args!("nodes[{index}] is listed again; it is read once");
                    self.warnings.add(entry.place(), reason);
                }
                Some(_) => {
                    let reason = format_args!(
                        "nodes[{index}] is reached a second time: nodes must form a tree, \
                         without cycles or shared children"
                    );
                    return Err(entry.error(Invalid, reason));
                }
            }
        }
        Ok(())
    }

    fn visit(&mut self, index: usize, from: From, parent: &Matrix, visible: bool) -> Result<()> {
        self.reached[index] = Some(from);
        let node = self.nodes.items.at(index)?.object()?;
        let global = parent.after(&Matrix::of(&node, self.warnings)?);
        if self.skins > 0 {
            self.nodes.globals.insert(index, global);
        }
        let hidden = match node.get("extensions") {
            Some(extensions) if visible => self.hides(&extensions)?,
            _ => false,
        };
        let visible = visible && !hidden;
        if let Some(mesh) = node.reference("mesh")
            && visible
        {
            let skin = node.reference("skin").map(|skin| skin.index(self.skins, "skins"));
            self.instances.push(Instance {
                node: index,
                mesh: mesh.index(self.meshes, "meshes")?,
                skin: skin.transpose()?,
                global,
            });
        }
        match node.get("children") {
            Some(children) => self.open(&children, From::Node(index), global, visible),
            None => Ok(()),
        }
    }

    /// Whether the extensions of a node hide it and all that is below.
    fn hides(&mut self, extensions: &Json<'a>) -> Result<bool> {
        // Extensions that are not objects are as good as none.
        let visibility = extensions.member("KHR_node_visibility").ok().flatten();
        let visible = visibility.map(|visibility| visibility.member("visible")).transpose()?;
        let Some(visible) = visible.flatten() else { return Ok(false) };
        let hides = !visible.boolean()?;
        if hides {
            self.warnings.add(visible.place(), "the node and all below it are hidden: left out");
        }
        Ok(hides)
    }

    /// Visits all nodes without a parent, and their descendants.
    fn all_roots(&mut self, scenes: &Items<'a>) -> Result<()> {
        let parents = self.nodes.parents()?;
        let root = self.nodes.root;
        let roots: Vec<usize> =
            (0..parents.len()).filter(|&node| parents[node].is_none()).collect();
        self.warn_of_scenes(scenes, &roots);
        self.nodes.parents = Some(parents);
        for &node in &roots {
            self.visit(node, From::Scene, &root, true)?;
            self.finish()?;
        }
        match self.reached.iter().position(Option::is_none) {
            Some(unseen) => {
                let reason = "the node is part of a cycle, or below one";
                Err(self.nodes.items.at(unseen)?.error(Invalid, reason))
            }
            None => Ok(()),
        }
    }

    /// Says what the roots of all scenes are, if a viewer could show less.
    fn warn_of_scenes(&mut self, scenes: &Items<'a>, roots: &[usize]) {
        let mut names = Vec::new();
        let mut without = vec![true; self.nodes.items.len()];
        for (number, scene) in scenes.iter().enumerate() {
            let Ok([name, list]) = scene.and_then(|scene| scene.members(["name", "nodes"])) else {
                continue;
            };
            // Faults here do not matter: the scenes are not used.
            let list = Items::of(list).unwrap_or_default();
            for node in list.iter().flatten().flat_map(|node| node.size()) {
                if let Some(without) = without.get_mut(node as usize) {
                    *without = false;
                }
            }
            if number < 8 {
                let name = name.and_then(|name| name.string().ok());
                let name = name.map_or(String::new(), |name| format!(" '{}'", shown(name)));
                names.push(format!("scenes[{number}]{name}"));
            }
        }
        let without = roots.iter().filter(|&&root| without[root]).count();
        if scenes.len() == 0 || scenes.len() == 1 && without == 0 {
            return;
        }
        let mut list = names.join(", ");
        if scenes.len() > names.len() {
            list = format!("{list} and {} more", scenes.len() - names.len());
        }
        if without > 0 {
            list = format!("{list}, and {without} nodes of no scene");
        }
        let reason = format_args!("no scene is the default; all root nodes are read: {list}");
        self.warnings.add("scene", reason);
    }
}
