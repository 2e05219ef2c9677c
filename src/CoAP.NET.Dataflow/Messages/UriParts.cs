namespace CoAP.NET.Messages;

/// <summary>What a URI is made of, in its normal form.</summary>
/// <param name="Scheme">The scheme in lower case.</param>
/// <param name="Host">The host.</param>
/// <param name="Port">The port, 0 to 65,535.</param>
/// <param name="Path">The segments of the path, decoded. Not to be changed.</param>
/// <param name="Query">The arguments of the query, decoded. Not to be changed.</param>
internal readonly record struct UriParts(string Scheme, UriHostName Host, int Port, string[] Path, string[] Query);
