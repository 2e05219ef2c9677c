namespace CoAP.NET.Oscore;

/// <summary>A security context of an <see cref="OscoreContextFile"/>.</summary>
/// <param name="Name">What the file calls the peer; null when it says nothing.</param>
/// <param name="Parameters">The context.</param>
public sealed record OscoreContextEntry(string? Name, OscoreParameters Parameters);
