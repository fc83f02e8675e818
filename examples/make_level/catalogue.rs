//! Every model that is placed more than once, by name.

use crate::{
    foliage, furniture, machines, masonry, material::Material, mesh::Mesh, props, stairs, statues,
};

/// Makes a model: a mesh for every material.
pub(crate) fn build(name: &str) -> Vec<(Material, Mesh)> {
    use Material::*;
    match name {
        "column" => vec![(Stone, masonry::column())],
        "colonnette" => vec![(Marble, masonry::colonnette())],
        "groin_vault" => vec![(Plaster, masonry::groin_vault())],
        "arch_rib" => vec![(Stone, masonry::arch_rib())],
        "diagonal_rib" => vec![(Stone, masonry::diagonal_rib())],
        "rose_tracery" => vec![(Stone, masonry::rose_tracery())],
        "window_bars" => vec![(Iron, masonry::window_bars())],
        "pilaster" => vec![(Stone, masonry::pilaster())],

        "barrel" => props::barrel(),
        "crate" => props::crate_box(),
        "bottle" => vec![(Glass, props::bottle())],
        "vase" => vec![(Clay, props::vase())],
        "bowl" => vec![(Clay, props::bowl())],
        "candlestick" => props::candlestick(),
        "wall_lamp" => props::wall_lamp(),
        "lantern" => props::lantern(),
        "chain" => vec![(Iron, props::chain(12))],
        "chandelier" => props::chandelier(),
        "door_leaf" => props::door_leaf(),
        "sack" => vec![(Cloth, props::sack())],
        "chest" => props::chest(),
        "book" => vec![(Cloth, props::book())],

        "table" => vec![(Oak, furniture::table())],
        "bench" => vec![(Oak, furniture::bench())],
        "chair" => vec![(DarkWood, furniture::chair())],
        "bed" => furniture::bed(),
        "shelf" => vec![(DarkWood, furniture::shelf())],
        "books_a" => vec![(Paper, furniture::books(1))],
        "books_b" => vec![(Paper, furniture::books(2))],
        "books_c" => vec![(Paper, furniture::books(3))],
        "bottle_rack" => vec![(DarkWood, furniture::bottle_rack())],
        "beam" => vec![(DarkWood, furniture::beam())],
        "truss" => vec![(DarkWood, furniture::truss())],

        "baluster" => vec![(Marble, stairs::baluster())],
        "handrail" => vec![(DarkWood, stairs::handrail())],
        "iron_post" => vec![(Iron, stairs::iron_post())],
        "iron_rail" => vec![(Iron, stairs::iron_rail())],
        "spiral_step" => vec![(Stone, stairs::spiral_step())],

        "saint" => vec![(Marble, statues::saint())],
        "guardian" => vec![(Marble, statues::guardian())],
        "bust" => vec![(Marble, statues::bust())],
        "pedestal" => vec![(Stone, statues::pedestal())],
        "sarcophagus" => vec![(Stone, statues::sarcophagus())],

        "tree_broad" => foliage::broad_tree(),
        "tree_slim" => foliage::slim_tree(),
        "bush" => vec![(Leaves, foliage::bush())],
        "grass_tuft" => vec![(Grass, foliage::grass_tuft())],
        "boulder" => vec![(Rock, foliage::boulder(5, 10, 6))],
        "stone_small" => vec![(Rock, foliage::boulder(11, 7, 4))],

        "tank" => machines::tank(),
        "pump" => machines::pump(),
        "valve_wheel" => vec![(Cloth, machines::valve_wheel())],
        "flange" => vec![(Iron, machines::flange())],
        "pipe_bend" => vec![(Iron, machines::pipe_bend())],
        "pipe_straight" => vec![(Iron, machines::pipe_straight())],
        "rivet_row" => vec![(Iron, machines::rivet_row())],
        "anvil" => vec![(Iron, machines::anvil())],
        "hook" => vec![(Iron, machines::hook())],
        _ => panic!("the catalogue has no {name}"),
    }
}
