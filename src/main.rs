//! The command `bindpose`.
fn main() {
    for arg in std::env::args().skip(1) {
        let bytes = std::fs::read(&arg).unwrap();
        let o = bindpose::formats::FileKind::Ms3d.roundtrip(&bytes, &Default::default());
        println!("{arg}: {:?} {:?}", o.verdict.error().map(|e| e.to_string()), o.verdict);
        bindpose::formats::FileKind::Ms3d.law(&bytes, &Default::default());
    }
}
