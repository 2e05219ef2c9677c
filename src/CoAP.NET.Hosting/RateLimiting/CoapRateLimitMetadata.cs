namespace CoAP.NET.Hosting.RateLimiting;

/// <summary>Metadata of a route: the limit of its request rate.</summary>
internal sealed class CoapRateLimitMetadata
{
    internal CoapRateLimitMetadata(string? limitName) => LimitName = limitName;

    /// <summary>The name of the limit; null for a limiter without a name.</summary>
    public string? LimitName { get; }
}
