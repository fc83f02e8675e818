//! `--from`, `--dir` and `--to`: a ray on the command line.

use clap::Args;
use hitscan::Ray;
use hitscan::glam::Vec3;

use crate::terminal::args;
use crate::terminal::failure::Failure;

/// A ray.
#[derive(Args)]
pub(crate) struct Aim {
    /// Where the ray starts
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point)]
    from: Option<Vec3>,
    /// Its direction, of any length; the ray is infinitely long
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point)]
    dir: Option<Vec3>,
    /// The point where it ends, in place of --dir
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point,
        conflicts_with = "dir")]
    to: Option<Vec3>,
}

impl Aim {
    pub(crate) fn is_given(&self) -> bool {
        self.from.is_some() || self.dir.is_some() || self.to.is_some()
    }

    pub(crate) fn ray(&self) -> Result<Ray, Failure> {
        match self.from {
            Some(from) => ray(from, self.dir, self.to),
            None => Err(Failure::Usage("give --from, where the ray starts".to_owned())),
        }
    }
}

/// The ray of these arguments, one of the last two.
pub(crate) fn ray(from: Vec3, dir: Option<Vec3>, to: Option<Vec3>) -> Result<Ray, Failure> {
    let (ray, zero) = match (dir, to) {
        (Some(dir), _) => (Ray::new(from, dir), "--dir is zero"),
        (None, Some(to)) => (Ray::between(from, to), "--from and --to are the same point"),
        (None, None) => return Err(Failure::Usage("give --dir or --to".to_owned())),
    };
    if ray.dir == Vec3::ZERO {
        let message = format!("{zero}: a ray that goes nowhere hits nothing");
        return Err(Failure::Usage(message));
    }
    if !ray.dir.is_finite() {
        let message = "--to is so far from --from that the distance is beyond the range of f32";
        return Err(Failure::Usage(message.to_owned()));
    }
    Ok(ray)
}
