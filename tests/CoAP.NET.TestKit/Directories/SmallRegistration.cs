namespace CoAP.NET.Tests.Shared;

/// <summary>What somebody registered with a <see cref="SmallDirectory"/>.</summary>
/// <param name="Path">Its location, with the trailing slash that aiocoap's directory has.</param>
/// <param name="Name">The name.</param>
/// <param name="Sector">The sector.</param>
/// <param name="Base">Where the endpoint is.</param>
/// <param name="Lifetime">In seconds.</param>
/// <param name="Others">Further parameters.</param>
/// <param name="Links">The links as they came.</param>
/// <param name="Until">When it ends.</param>
internal sealed record SmallRegistration(
    string Path, string Name, string? Sector, string Base, uint Lifetime, IReadOnlyList<string> Others, IReadOnlyList<CoapLink> Links,
    DateTimeOffset Until);
