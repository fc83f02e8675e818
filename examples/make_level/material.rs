//! The level's materials.

/// What a part is made of; the order is the order in the file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Material {
    Stone,
    Plaster,
    Flagstones,
    Marble,
    Brick,
    RoofTiles,
    Oak,
    DarkWood,
    Iron,
    Brass,
    Glass,
    Cloth,
    Paper,
    Clay,
    Soil,
    Rock,
    Bark,
    Leaves,
    Grass,
    Water,
}

impl Material {
    /// Every material: its name, and its colour from 0 to 255.
    pub(crate) const ALL: [(Material, &'static str, [u8; 3]); 20] = [
        (Material::Stone, "stone", [168, 160, 146]),
        (Material::Plaster, "plaster", [214, 204, 182]),
        (Material::Flagstones, "flagstones", [140, 134, 126]),
        (Material::Marble, "marble", [226, 224, 218]),
        (Material::Brick, "brick", [146, 88, 70]),
        (Material::RoofTiles, "roof_tiles", [150, 82, 58]),
        (Material::Oak, "oak", [156, 112, 68]),
        (Material::DarkWood, "dark_wood", [92, 62, 40]),
        (Material::Iron, "iron", [78, 80, 86]),
        (Material::Brass, "brass", [186, 148, 70]),
        (Material::Glass, "glass", [92, 140, 104]),
        (Material::Cloth, "cloth", [132, 44, 48]),
        (Material::Paper, "paper", [176, 150, 110]),
        (Material::Clay, "clay", [176, 112, 78]),
        (Material::Soil, "soil", [96, 112, 58]),
        (Material::Rock, "rock", [124, 120, 112]),
        (Material::Bark, "bark", [96, 76, 58]),
        (Material::Leaves, "leaves", [74, 116, 50]),
        (Material::Grass, "grass_blades", [104, 136, 60]),
        (Material::Water, "water", [70, 108, 128]),
    ];

    /// Foliage cards are seen from both sides and cut out by their texture's alpha.
    pub(crate) fn is_foliage(self) -> bool {
        matches!(self, Material::Leaves | Material::Grass)
    }
}
