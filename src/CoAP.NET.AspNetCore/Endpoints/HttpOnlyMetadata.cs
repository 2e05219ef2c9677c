namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Marks an endpoint of this package as HTTP-only.</summary>
internal sealed record HttpOnlyMetadata(string Reason);
