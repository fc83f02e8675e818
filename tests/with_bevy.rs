//! The page `with_bevy` shows code of `examples/bevy_picking`, which `.ci/bevy` compiles and tests.

#[test]
fn the_page_shows_the_code_of_the_example() {
    let page = include_str!("../src/with_bevy.rs").replace("//! ", "").replace("//!", "");
    let example = concat!(
        include_str!("../examples/bevy_picking/src/lib.rs"),
        include_str!("../examples/bevy_picking/src/main.rs"),
    );
    let blocks: Vec<&str> = page.split("```ignore\n").skip(1).collect();
    assert_eq!(blocks.len(), 3);
    for block in blocks {
        let (code, _) = block.split_once("```").expect("the block ends");
        assert!(example.contains(code.trim()), "not in the example:\n{code}");
    }
}
