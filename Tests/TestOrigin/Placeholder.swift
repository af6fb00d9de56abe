package enum TestOriginPlaceholder {}
