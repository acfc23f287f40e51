//! The demo tells its story to the end.

use checkrein_testkit::Place;

#[test]
fn the_demo_comes_true() {
    let output = Place::new().run(&["demo"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}\n{complaints}");
    for line in [
        "✓ it ran to success",
        "✓ its log says why",
        "✓ the person was asked before it was deleted",
        "✓ a write is refused, and nobody is asked",
        "✓ the pipeline ran twice",
        "✓ the verdict is FAIL",
        "✓ the pipeline ran once",
        "✓ the verdict is PASS",
    ] {
        assert!(told.contains(line), "{line} is missing:\n{told}");
    }
    assert!(!told.contains('\u{1b}'), "colour without a terminal:\n{told}");
}
