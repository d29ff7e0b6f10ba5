#pragma once

namespace ulna {

/// The page of web/ as one HTML text, with @ULNA_TITLE@ and @ULNA_DATA@ to be replaced; empty when
/// it could not be built.
extern const char page_template[];

}  // namespace ulna
