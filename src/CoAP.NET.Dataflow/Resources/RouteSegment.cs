namespace CoAP.NET.Resources;

/// <summary>One segment of a route template.</summary>
/// <param name="Kind">What it matches.</param>
/// <param name="Text">The decoded literal, or the name of the parameter.</param>
/// <param name="Utf8">The bytes of a literal as in the Uri-Path option; empty for parameters.</param>
internal readonly record struct RouteSegment(RouteSegmentKind Kind, string Text, byte[] Utf8);
