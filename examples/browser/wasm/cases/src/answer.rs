//! Answers as words. `test/ask.js` makes the same words of what the package answers.

use hitscan::geometry::{Containment, Feature};
use hitscan::glam::Vec3;
use hitscan::{
    Bvh, Capsule, ClosestPoint, Contact, ConvexShape, Face, Hit, InstanceId, Layers, Overlap,
    PointLocation, Query, Scene, SceneError, Shape, Targets,
};

use crate::question::Question;

const NONE: u32 = u32::MAX;

/// The words of all answers so far.
#[derive(Default)]
pub(crate) struct Answers {
    pub(crate) words: Vec<u32>,
}

/// Asks all that a tree and a snapshot can be asked alike.
macro_rules! ask_all {
    ($answers:ident, $asked:expr, $question:expr) => {{
        let (asked, question, query) = ($asked, $question, &Query::new());
        let surface = |hit: &Hit| [asked.point(hit), asked.normal(hit)];
        let hit = asked.closest_hit(&question.ray, query);
        $answers.ray_hits(hit.as_slice(), surface);
        $answers.words.push(asked.any_hit(&question.ray, query).into());
        let mut hits = Vec::new();
        asked.all_hits(&question.ray, query, &mut hits);
        $answers.ray_hits(&hits, surface);
        let near = asked.closest_point(question.a, f32::INFINITY, query);
        $answers.near(near.as_slice());
        let mut near = Vec::new();
        asked.all_within(question.a, question.radius, query, &mut near);
        $answers.near(&near);
        $answers.words.push(asked.any_within(question.a, question.radius, query).into());
        for shape in question.shapes() {
            let mut found: Vec<Overlap> = Vec::new();
            asked.all_overlaps(&shape, query, &mut found);
            $answers.overlaps(&found);
            $answers.words.push(asked.any_overlap(&shape, query).into());
            let Some(shape) = convex(&shape) else { continue };
            let mut contacts = Vec::new();
            asked.all_contacts(&shape, question.motion, query, &mut contacts);
            $answers.contacts(&contacts);
            let first = asked.first_contact(&shape, question.motion, query);
            $answers.contacts(first.as_slice());
            asked.penetrations(&shape, query, &mut contacts);
            $answers.contacts(&contacts);
        }
    }};
}

fn convex(shape: &Shape) -> Option<ConvexShape> {
    Some(match shape {
        Shape::Aabb(shape) => (*shape).into(),
        Shape::Obb(shape) => (*shape).into(),
        Shape::Sphere(shape) => (*shape).into(),
        Shape::Capsule(shape) => Capsule::new(shape.a, shape.b, shape.radius).into(),
        Shape::Hull(hull) => hull.into(),
        _ => return None,
    })
}

impl Answers {
    pub(crate) fn of_tree(&mut self, tree: &Bvh, question: &Question) {
        ask_all!(self, tree, question);
    }

    /// Questions that need a closed mesh.
    pub(crate) fn inside(&mut self, tree: &Bvh, question: &Question) {
        let (at, layers) = (question.a * 0.1, Layers::ALL);
        let location = tree.contains(at, layers);
        self.words.push(location.map_or(NONE, |location| match location {
            PointLocation::Outside => 0,
            PointLocation::Inside => 1,
            PointLocation::OnSurface => 2,
        }));
        let distance = tree.signed_distance(at, f32::INFINITY, layers);
        self.words.push(distance.ok().flatten().map_or(NONE, f32::to_bits));
    }

    /// Moves two instances, commits, and asks the scene.
    pub(crate) fn of_scene(
        &mut self,
        scene: &mut Scene,
        question: &Question,
    ) -> Result<(), SceneError> {
        for name in ["cube 3", "ball"] {
            if let Some(instance) = scene.find(name) {
                scene.set_transform(instance, question.transform)?;
            }
        }
        let now = scene.commit();
        ask_all!(self, &now, question);
        let mut hits = Vec::new();
        now.all_volume_hits(&question.ray, Layers::ALL, &mut hits);
        let first = hits.first().copied();
        for hit in hits.into_iter().chain(first) {
            let inside = u32::from(hit.origin_inside);
            self.instance(hit.instance);
            self.words.extend([hit.enter.to_bits(), hit.exit.to_bits(), inside]);
        }
        let volumes = Query::new().targets(Targets::Volumes);
        for shape in question.shapes() {
            let mut found = Vec::new();
            now.all_overlaps(&shape, &volumes, &mut found);
            self.words.push(now.any_overlap(&shape, &volumes).into());
            found.iter().for_each(|overlap| self.instance(overlap.hit.instance));
        }
        Ok(())
    }

    fn hit(&mut self, hit: &Hit) {
        self.words.extend([hit.t, hit.u, hit.v].map(f32::to_bits));
        let front = u32::from(hit.face == Face::Front);
        self.words.extend([front, hit.mesh, hit.triangle, hit.material().unwrap_or(NONE)]);
        self.instance(hit.instance);
    }

    /// The place of an instance.
    fn instance(&mut self, instance: InstanceId) {
        self.words.push(instance.to_bits() as u32);
    }

    fn vector(&mut self, vector: Vec3) {
        self.words.extend(vector.to_array().map(f32::to_bits));
    }

    fn ray_hits(&mut self, hits: &[Hit], surface: impl Fn(&Hit) -> [Option<Vec3>; 2]) {
        self.words.push(hits.len() as u32);
        for hit in hits {
            self.hit(hit);
            surface(hit).into_iter().for_each(|part| self.vector(part.unwrap_or_default()));
        }
    }

    fn near(&mut self, near: &[ClosestPoint]) {
        self.words.push(near.len() as u32);
        for near in near {
            self.hit(&near.hit);
            self.vector(near.point);
            self.feature(near.feature);
            self.words.push(near.distance.to_bits());
        }
    }

    fn overlaps(&mut self, overlaps: &[Overlap]) {
        self.words.push(overlaps.len() as u32);
        for overlap in overlaps {
            self.hit(&overlap.hit);
            self.words.push((overlap.containment == Containment::Inside).into());
        }
    }

    fn contacts(&mut self, contacts: &[Contact]) {
        self.words.push(contacts.len() as u32);
        for contact in contacts {
            self.hit(&contact.hit);
            self.vector(contact.point);
            self.vector(contact.normal);
            self.vector(contact.face_normal);
            self.feature(contact.feature);
            self.words.push(contact.depth.to_bits());
        }
    }

    fn feature(&mut self, feature: Feature) {
        self.words.push(match feature {
            Feature::Face => 0,
            Feature::Edge(edge) => 1 + u32::from(edge),
            Feature::Vertex(vertex) => 4 + u32::from(vertex),
        });
    }
}
