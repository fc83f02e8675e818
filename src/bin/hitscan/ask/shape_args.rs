//! The shapes that questions are asked about, as arguments.

use clap::Args;
use hitscan::geometry::ConvexHull;
use hitscan::{Aabb, Capsule, ConvexShape, Sphere};

use crate::terminal::args;
use crate::terminal::failure::Failure;

/// A shape: one of these.
#[derive(Args)]
#[group(id = "shape", multiple = false)]
pub(crate) struct ShapeArgs {
    /// A sphere: its middle, and its radius
    #[arg(long, value_name = "x,y,z,r", allow_hyphen_values = true, value_parser = sphere)]
    sphere: Option<Sphere>,
    /// A box along the axes: two corners that lie opposite each other
    #[arg(long = "box", value_name = "x,y,z,x,y,z", allow_hyphen_values = true,
        value_parser = aabb)]
    aabb: Option<Aabb>,
    /// A capsule: the ends of its middle line, and its radius
    #[arg(long, value_name = "x,y,z,x,y,z,r", allow_hyphen_values = true, value_parser = capsule)]
    capsule: Option<Capsule>,
    /// The convex hull of points, with up to 64 corners
    #[arg(long, value_name = "x,y,z;x,y,z;...", allow_hyphen_values = true, value_parser = hull)]
    hull: Option<ConvexHull>,
}

impl ShapeArgs {
    pub(crate) fn shape(&self) -> Result<ConvexShape, Failure> {
        self.given().ok_or_else(|| {
            let shapes = "give a shape: --sphere, --box, --capsule or --hull";
            Failure::Usage(shapes.to_owned())
        })
    }

    /// The shape, where there may be none.
    pub(crate) fn given(&self) -> Option<ConvexShape> {
        let shape = self.sphere.map(ConvexShape::from);
        let shape = shape.or_else(|| self.aabb.map(ConvexShape::from));
        let shape = shape.or_else(|| self.capsule.map(ConvexShape::from));
        shape.or_else(|| self.hull.as_ref().map(ConvexShape::from))
    }
}

fn sphere(text: &str) -> Result<Sphere, String> {
    let [x, y, z, radius] = args::numbers(text, "four numbers x,y,z,r such as 0,1,0,0.5")?;
    Ok(Sphere::new([x, y, z], not_negative(radius)?))
}

fn aabb(text: &str) -> Result<Aabb, String> {
    let expected = "six numbers x,y,z,x,y,z such as 0,0,0,1,2,1";
    let [ax, ay, az, bx, by, bz] = args::numbers(text, expected)?;
    Ok(Aabb::from_points([[ax, ay, az], [bx, by, bz]]))
}

fn capsule(text: &str) -> Result<Capsule, String> {
    let expected = "seven numbers x,y,z,x,y,z,r such as 0,0.5,0,0,1.5,0,0.5";
    let [ax, ay, az, bx, by, bz, radius] = args::numbers(text, expected)?;
    Ok(Capsule::new([ax, ay, az], [bx, by, bz], not_negative(radius)?))
}

fn hull(text: &str) -> Result<ConvexHull, String> {
    let points: Vec<_> = text.split(';').map(args::point).collect::<Result<_, _>>()?;
    ConvexHull::from_points(points).map_err(|error| error.to_string())
}

fn not_negative(radius: f32) -> Result<f32, String> {
    match radius >= 0.0 {
        true => Ok(radius),
        false => Err("expected a radius from zero on".to_owned()),
    }
}
