//! The state of the router of a function with pages.

/// Defines the state of a router, and `FromRef` for each of its parts. A handler takes the part of its area
/// (`State<Arc<ListState>>`). axum's derive macro does the same, but would need another dependency.
#[macro_export]
macro_rules! page_state {
    ($state:ident { $($name:ident: $part:ty,)* }) => {
        /// The state of the router: one part for each area of pages.
        #[derive(Clone, Debug)]
        pub struct $state {
            $($name: ::std::sync::Arc<$part>,)*
        }

        $(impl ::axum::extract::FromRef<$state> for ::std::sync::Arc<$part> {
            fn from_ref(state: &$state) -> Self {
                Self::clone(&state.$name)
            }
        })*
    };
}
