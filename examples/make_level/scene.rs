//! The scene as a tree of named nodes, many of which share a model.

use std::collections::HashMap;

use crate::{
    catalogue,
    material::Material,
    mesh::Mesh,
    place::{Place, at},
};

/// A named mesh: one primitive for every material.
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) parts: Vec<(Material, Mesh)>,
}

/// A node: a group of others, a model, or both.
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) model: Option<usize>,
    pub(crate) children: Vec<usize>,
}

/// A node to hang others from.
#[derive(Clone, Copy)]
pub(crate) struct Group(usize);

/// Models and nodes; node 0 is the root.
pub(crate) struct Scene {
    pub(crate) models: Vec<Model>,
    pub(crate) nodes: Vec<Node>,
    known: HashMap<String, usize>,
    placed: HashMap<String, usize>,
}

impl Scene {
    pub(crate) const ROOT: Group = Group(0);

    pub(crate) fn new(name: &str) -> Scene {
        let root =
            Node { name: name.into(), place: at(0.0, 0.0, 0.0), model: None, children: Vec::new() };
        Scene {
            models: Vec::new(),
            nodes: vec![root],
            known: HashMap::new(),
            placed: HashMap::new(),
        }
    }

    /// A new group.
    pub(crate) fn group(&mut self, parent: Group, name: &str, place: Place) -> Group {
        self.node(parent, name.into(), place, None)
    }

    /// A mesh of its own, where its coordinates say.
    pub(crate) fn add(&mut self, parent: Group, name: &str, material: Material, mesh: Mesh) {
        let model = self.model(name, vec![(material, mesh)]);
        self.node(parent, name.into(), at(0.0, 0.0, 0.0), Some(model));
    }

    /// One more of a model of the [`catalogue`].
    pub(crate) fn put(&mut self, parent: Group, name: &str, place: Place) {
        let model = match self.known.get(name) {
            Some(&model) => model,
            None => self.model(name, catalogue::build(name)),
        };
        let number = self.placed.entry(name.into()).or_default();
        *number += 1;
        let name = format!("{name}.{number:03}");
        self.node(parent, name, place, Some(model));
    }

    fn model(&mut self, name: &str, parts: Vec<(Material, Mesh)>) -> usize {
        let model = self.models.len();
        let before = self.known.insert(name.into(), model);
        assert!(before.is_none(), "two models are called {name}");
        self.models.push(Model { name: name.into(), parts });
        model
    }

    fn node(&mut self, parent: Group, name: String, place: Place, model: Option<usize>) -> Group {
        let node = self.nodes.len();
        self.nodes[parent.0].children.push(node);
        self.nodes.push(Node { name, place, model, children: Vec::new() });
        Group(node)
    }

    /// Triangles as drawn: a model counts once for every node that shows it.
    pub(crate) fn triangles(&self) -> usize {
        let shown = self.nodes.iter().filter_map(|node| node.model);
        shown.map(|model| self.models[model].triangles()).sum()
    }
}

impl Model {
    pub(crate) fn triangles(&self) -> usize {
        self.parts.iter().map(|(_, mesh)| mesh.triangles.len()).sum()
    }
}
