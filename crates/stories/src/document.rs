//! The declaration of documents: parts of responses and files that are made from rows.

/// Declares a document and its constructor. Each field has its value, which is made from the arguments, after `=`.
macro_rules! document {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident $(<$life:lifetime>)?
            ($($argument:ident: $source:ty),+)
        {
            $($(#[$field_meta:meta])* $field:ident: $type:ty = $value:expr),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        $visibility struct $name $(<$life>)? {
            $($(#[$field_meta])* $field: $type),+
        }

        impl $(<$life>)? $name $(<$life>)? {
            /// Returns the document.
            $visibility fn new($($argument: $source),+) -> Self {
                Self {
                    $($field: $value),+
                }
            }
        }
    };
}

pub(crate) use document;
