namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Marks an endpoint of this package as HTTP-only.</summary>
/// <param name="Reason">The reason and the remedy.</param>
internal sealed record HttpOnlyMetadata(string Reason);
