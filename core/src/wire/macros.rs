//! Values that may contain another one, and are seen through.

/// Implements the methods of [`Value`](crate::schema::Value) that do the same for the value inside, which the two methods return.
macro_rules! forward_value {
    ($inner:ident, $inner_mut:ident) => {
        fn size(&self) -> u64 {
            self.$inner().map_or(0, Value::size)
        }
        fn node_mut(&mut self) -> NodeMut<'_> {
            self.$inner_mut().map_or(NodeMut::Absent, Value::node_mut)
        }
        fn prefix(&self, show: &mut dyn FnMut(&dyn Value) -> ControlFlow<()>) -> ControlFlow<()> {
            self.$inner().map_or(ControlFlow::Continue(()), |inner| inner.prefix(show))
        }
        fn inside(&self) -> Option<&dyn Value> {
            self.$inner()?.inside()
        }
        fn change_inside(
            &mut self,
            change: &mut dyn FnMut(&mut dyn Value) -> Result<(), EditError>,
        ) -> Result<(), EditError> {
            self.$inner_mut().ok_or(EditError::Absent)?.change_inside(change)
        }
        fn replace_inside(&mut self, plain: &[u8]) -> Result<(), EditError> {
            self.$inner_mut().ok_or(EditError::Absent)?.replace_inside(plain)
        }
    };
}

pub(super) use forward_value;
