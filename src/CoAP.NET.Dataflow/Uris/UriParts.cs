namespace CoAP.NET.Uris;

/// <summary>The parts of a URI, in its normal form.</summary>
/// <param name="Scheme">The scheme in lower case.</param>
/// <param name="Host">The host.</param>
/// <param name="Port">The port, 0 to 65,535.</param>
/// <param name="Path">The segments of the path, decoded. Do not change it.</param>
/// <param name="Query">The arguments of the query, decoded. Do not change it.</param>
internal readonly record struct UriParts(string Scheme, ParsedUriHost Host, int Port, string[] Path, string[] Query);
