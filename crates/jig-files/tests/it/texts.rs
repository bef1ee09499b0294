//! Text files through the engine: any text, any edit, any bytes.

mod any;
mod methods;
