namespace CoAP.NET.Oscore.Provisioning;

/// <summary>A security context of an <see cref="OscoreContextFile"/>.</summary>
/// <param name="Name">The name of the peer in the file; null for none.</param>
/// <param name="Parameters">The context.</param>
internal sealed record OscoreContextFileEntry(string? Name, OscoreParameters Parameters);
