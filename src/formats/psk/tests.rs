use super::strategy::TYPED;
use super::*;

#[test]
fn every_known_record_is_read_as_what_it_is() {
    for &(id, size) in TYPED {
        let mut bytes = id.as_bytes().to_vec();
        bytes.resize(24, 0);
        bytes.extend(size.to_le_bytes());
        bytes.extend(2_i32.to_le_bytes());
        bytes.resize(32 + 2 * size.unsigned_abs() as usize, 0x3c);
        let file = Psk::decode_as(&bytes, ()).expect(id);
        let records = &file.chunks[0].records;
        assert!(!matches!(records, Records::Raw(_)), "{id} of {size} bytes");
        assert_eq!((records.data_size(), records.len()), (size, 2), "{id}");
        assert_eq!(file.encode().expect(id), bytes, "{id}");
    }
}
