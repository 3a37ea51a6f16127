//! Implementations that field types share.

/// Implements the methods of [`Value`](crate::schema::Value) that return the parts of a value which has this kind of node.
macro_rules! node {
    ($kind:ident) => {
        #[inline]
        fn node(&self) -> Node<'_> {
            Node::$kind(self)
        }
        fn node_mut(&mut self) -> NodeMut<'_> {
            NodeMut::$kind(self)
        }
    };
}

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

/// Implements the methods of [`Items`](crate::schema::Items) that a slice has, for a type that dereferences to one.
macro_rules! slice_items {
    ($item:ident) => {
        fn len(&self) -> usize {
            <[$item]>::len(self)
        }
        fn item(&self, index: usize) -> Option<&dyn Value> {
            <[$item]>::get(self, index).map(|item| item as &dyn Value)
        }
        fn item_mut(&mut self, index: usize) -> Option<&mut dyn Value> {
            <[$item]>::get_mut(self, index).map(|item| item as &mut dyn Value)
        }
        fn bytes(&self, range: Range<usize>, out: &mut Vec<u8>) {
            bytes_of_all(<[$item]>::get(self, range).unwrap_or_default(), out);
        }
        fn item_size(&self) -> Option<usize> {
            $item::FIXED
        }
    };
}

/// Implements `BinRead` with arguments of a type.
macro_rules! bin_read {
    (
        $(#[$attribute:meta])*
        [$($generics:tt)*] $type:ty, $args:ty, |$reader:pat_param, $endian:pat_param, $own:pat_param| $read:expr
    ) => {
        $(#[$attribute])*
        impl<$($generics)*> BinRead for $type {
            type Args<'a> = $args;

            fn read_options<R: Read + Seek>(
                $reader: &mut R,
                $endian: Endian,
                $own: Self::Args<'_>,
            ) -> BinResult<Self> {
                $read
            }
        }
    };
}

/// Implements `BinWrite` for a type that is written without arguments.
macro_rules! bin_write {
    (
        $(#[$attribute:meta])*
        [$($generics:tt)*] $type:ty, |$own:pat_param, $writer:pat_param, $endian:pat_param| $written:expr
    ) => {
        $(#[$attribute])*
        impl<$($generics)*> BinWrite for $type {
            type Args<'a> = ();

            fn write_options<W: Write + Seek>(
                &self,
                $writer: &mut W,
                $endian: Endian,
                (): (),
            ) -> BinResult<()> {
                let $own = self;
                $written
            }
        }
    };
}

/// Implements `Deref` and `DerefMut` by a field.
macro_rules! deref {
    ([$($generics:tt)*] $type:ty => $target:ty, $($field:tt).+) => {
        impl<$($generics)*> Deref for $type {
            type Target = $target;

            fn deref(&self) -> &$target {
                &self.$($field).+
            }
        }

        impl<$($generics)*> DerefMut for $type {
            fn deref_mut(&mut self) -> &mut $target {
                &mut self.$($field).+
            }
        }
    };
}

/// Implements `Deref` and `DerefMut` by a field with elements, and iteration over references to these.
macro_rules! deref_list {
    ([$($generics:ident),+] $type:ty, $($field:tt).+) => {
        deref!([$($generics),+] $type => Vec<T>, $($field).+);

        impl<'a, $($generics),+> IntoIterator for &'a $type {
            type Item = &'a T;
            type IntoIter = std::slice::Iter<'a, T>;

            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }
    };
}

/// Implements a leaf whose first field has its bytes, which are shown as such; `is_resizable` if their number follows from them.
macro_rules! bytes_leaf {
    (
        $type:ident $name:literal $class:ident $(, unless $is_known:path)?;
        $length:expr, $is_resizable:literal $(, $truncation:ident)?
    ) => {
        bin_write!([] $type, |own, writer, _| Ok(writer.write_all(&own.0)?));

        impl Value for $type {
            node!(Leaf);

            fn size(&self) -> u64 {
                self.0.len() as u64
            }
        }

        impl Leaf for $type {
            fn type_name(&self) -> &'static str {
                $name
            }
            fn class(&self) -> Class {
                $(if $is_known(&self.0) { return Class::Bytes; })?
                Class::$class
            }
            $(
                fn truncation(&self) -> Option<&Truncation> {
                    self.$truncation()
                }
                fn set_truncation(&mut self, truncation: Truncation) {
                    self.1 = Some(Box::new(truncation));
                }
            )?
            fn discard(&mut self) {
                if matches!(Class::$class, Class::Rest) {
                    *self = Self::default();
                }
            }
            fn bytes(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.0);
            }
            fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
                show_hex(&self.0, out)
            }
            fn assign(&mut self, _text: &str) -> Result<(), EditError> {
                Err("expected raw bytes, such as hex:00ff".into())
            }
            fn assign_bytes(&mut self, bytes: &[u8]) -> Result<(), EditError> {
                if !$is_resizable && bytes.len() != self.0.len() {
                    return Err(EditError::WrongSize { expected: self.0.len(), actual: bytes.len() });
                }
                self.0 = bytes.to_vec().into();
                Ok(())
            }
        }

        impl Schema for $type {
            fn shape() -> Shape {
                Shape::Bytes($length)
            }
            /// As many zeros: their number is that of other fields.
            fn blank(like: Option<&Self>) -> Self {
                let mut blank = Self::default();
                if let Some(like) = like.filter(|_| !matches!(Class::$class, Class::Rest)) {
                    blank.0 = vec![0; like.0.len()].into();
                }
                blank
            }
        }
    };
}

pub(super) use {bin_read, bin_write, bytes_leaf, deref, deref_list, forward_value, node, slice_items};
