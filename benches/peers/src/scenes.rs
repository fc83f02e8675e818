//! The scenes: where they come from, where their cameras stand and where the light is.

use hitscan_levels::TERRAIN;

/// A camera.
#[derive(Clone, Copy, Debug)]
pub struct View {
    pub eye: [f32; 3],
    pub dir: [f32; 3],
}

/// Where the cameras of a scene stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Within the level, where triangles are seen from the front.
    Within,
    /// The same in a level whose triangles are the wrong way round.
    WithinReversed,
    /// Around it.
    Around,
}

/// A scene's fixed choices.
pub struct Scene {
    /// The file's name without `.tri`, or [`TERRAIN`].
    pub name: &'static str,
    /// Where `--find-cameras` looks for cameras.
    pub place: Place,
    pub views: [View; 4],
    pub light: [f32; 3],
}

/// A camera in short.
const fn view(eye: [f32; 3], dir: [f32; 3]) -> View {
    View { eye, dir }
}

/// How many scenes, the first ones, are measured unless others are asked for.
pub const BASIC_SCENES: usize = 11;

/// All scenes, in the order in which they are measured. Cameras and lights were found by
/// `--find-cameras`, rounded, and looked at (`--images`): those of `jam_city`, a small
/// town in a wide landscape, with a tenth of its distances and
/// the light moved by hand; those of `godot_occl_room`
/// with five times its `FAR`, over the whole room.
pub const SCENES: [Scene; 14] = [
    Scene {
        name: "sponza_crytek",
        place: Place::WithinReversed,
        views: [
            view([-2.2431, 1.7948, 0.82475], [0.0, -0.15, -1.0]),
            view([4.4644, 3.6316, -0.61378], [-1.0, -0.15, 0.0]),
            view([-5.7636, 4.2967, -1.1606], [0.7, -0.15, 0.7]),
            view([0.76265, 2.7598, -0.86248], [-0.7, -0.15, 0.7]),
        ],
        light: [-4.4903, 2.1435, 0.76775],
    },
    Scene {
        name: "pc_cave",
        place: Place::Within,
        views: [
            view([-3.0791, -1.2373, 5.9593], [1.0, -0.15, 0.0]),
            view([1.5251, -0.58725, 15.526], [-0.7, -0.15, -0.7]),
            view([0.6155, -0.25343, 0.37708], [-0.7, -0.15, 0.7]),
            view([3.597, -0.080426, 9.1146], [-0.7, -0.15, 0.7]),
        ],
        light: [2.0038, -0.24872, 1.8201],
    },
    Scene {
        name: "gk_sd_macross_city_standoff_diorama",
        place: Place::Within,
        views: [
            view([0.5324, -0.2712, 0.40981], [0.0, -0.15, -1.0]),
            view([-0.28719, 0.14082, -1.9324], [0.7, -0.15, 0.7]),
            view([1.5494, -0.57367, -1.4455], [-0.7, -0.15, 0.7]),
            view([-0.81049, 1.0961, 1.2123], [0.0, -0.15, -1.0]),
        ],
        light: [-0.2305, -0.47874, 1.259],
    },
    Scene {
        name: "jam_city",
        place: Place::Within,
        views: [
            view([-2722.1, 58.559, -531.98], [0.0, -0.15, 1.0]),
            view([1780.3, 39.021, 1887.1], [-1.0, -0.15, 0.0]),
            view([-2960.0, 197.36, -662.81], [0.7, -0.15, 0.7]),
            view([-2864.5, 67.47, -271.43], [0.7, -0.15, -0.7]),
        ],
        light: [-2780.0, 160.0, -480.0],
    },
    Scene {
        name: "sauer_zdm2",
        place: Place::Within,
        views: [
            view([-184.01, 115.93, 0.97459], [-1.0, -0.15, 0.0]),
            view([246.54, 88.516, 154.73], [-0.7, -0.15, -0.7]),
            view([46.118, 95.346, -132.62], [-0.7, -0.15, 0.7]),
            view([-120.36, 212.03, 258.09], [0.0, -0.15, -1.0]),
        ],
        light: [-213.99, 126.38, 81.817],
    },
    Scene {
        name: "re_fortitude",
        place: Place::Within,
        views: [
            view([75.289, 98.395, -86.911], [1.0, -0.15, 0.0]),
            view([-392.76, 121.22, 96.01], [1.0, -0.15, 0.0]),
            view([454.66, 135.49, -95.797], [-1.0, -0.15, 0.0]),
            view([-44.943, 176.48, 270.2], [-0.7, -0.15, -0.7]),
        ],
        light: [351.29, 127.77, -66.953],
    },
    Scene {
        name: "tess_steelribs",
        place: Place::Within,
        views: [
            view([-171.49, 81.32, -1.2242], [1.0, -0.15, 0.0]),
            view([426.79, 154.55, 40.164], [-0.7, -0.15, -0.7]),
            view([-505.56, 182.45, 68.954], [0.7, -0.15, -0.7]),
            view([155.4, 84.091, -10.335], [1.0, -0.15, 0.0]),
        ],
        light: [116.26, 98.754, -17.964],
    },
    Scene {
        name: "godot_occl_room",
        place: Place::Within,
        views: [
            view([-0.91631, 2.5652, -0.41235], [-0.7, -0.15, -0.7]),
            view([3.3206, 3.3199, 1.3706], [-1.0, -0.15, 0.0]),
            view([-2.0038, 2.4746, 3.5896], [0.0, -0.15, -1.0]),
            view([2.1489, 3.0998, -2.3764], [0.0, -0.15, 1.0]),
        ],
        light: [-1.1028, 2.3934, -1.5704],
    },
    Scene {
        name: "recast_dungeon",
        place: Place::Within,
        views: [
            view([20.315, 22.676, -80.641], [0.0, -0.15, 1.0]),
            view([-15.249, 7.0404, -3.2299], [-0.7, -0.15, -0.7]),
            view([43.738, 15.78, 1.4293], [-1.0, -0.15, 0.0]),
            view([4.1391, 12.497, -38.434], [-0.7, -0.15, 0.7]),
        ],
        light: [32.729, 13.583, 0.67755],
    },
    Scene {
        name: "tb_bunny",
        place: Place::Around,
        views: [
            view([6.1062, 6.7386, 2.0576], [-0.89443, -0.35777, -0.26833]),
            view([-3.2379, 6.7386, 7.0891], [0.26833, -0.35777, -0.89443]),
            view([-8.2694, 6.7386, -2.255], [0.89443, -0.35777, 0.26833]),
            view([1.0747, 6.7386, -7.2865], [-0.26833, -0.35777, 0.89443]),
        ],
        light: [6.2926, 16.572, -6.6131],
    },
    Scene {
        name: TERRAIN,
        place: Place::Within,
        views: [
            view([388.12, 46.695, 384.76], [0.0, -0.15, 1.0]),
            view([209.45, 80.595, 908.88], [1.0, -0.15, 0.0]),
            view([845.59, 75.64, 293.17], [0.7, -0.15, 0.7]),
            view([754.9, 100.74, 807.54], [-1.0, -0.15, 0.0]),
        ],
        light: [452.88, 96.278, 438.58],
    },
    Scene {
        name: "sauer_pandora",
        place: Place::Within,
        views: [
            view([240.33, 288.26, -215.73], [1.0, -0.15, 0.0]),
            view([-296.02, 335.65, 181.71], [-1.0, -0.15, 0.0]),
            view([672.91, 351.81, -193.19], [-1.0, -0.15, 0.0]),
            view([-20.177, 116.66, 106.83], [0.0, -0.15, -1.0]),
        ],
        light: [306.68, 319.71, -173.68],
    },
    Scene {
        name: "godot_trucktown",
        place: Place::Within,
        views: [
            view([-4.5583, 37.8, 18.178], [-0.7, -0.15, -0.7]),
            view([-2.9038, 132.99, -61.749], [0.0, -0.15, 1.0]),
            view([-50.847, 50.697, -72.232], [0.7, -0.15, 0.7]),
            view([48.008, 53.515, -59.663], [-0.7, -0.15, 0.7]),
        ],
        light: [23.687, 22.562, 26.94],
    },
    Scene {
        name: "sibenik",
        place: Place::Within,
        views: [
            view([4.9906, 14.092, 0.8628], [1.0, -0.15, 0.0]),
            view([23.912, 13.254, -0.15996], [-1.0, -0.15, 0.0]),
            view([-8.2364, 6.0112, 0.82853], [1.0, -0.15, 0.0]),
            view([14.017, 4.2651, -0.35854], [-1.0, -0.15, 0.0]),
        ],
        light: [0.93297, 21.374, -0.22817],
    },
];
