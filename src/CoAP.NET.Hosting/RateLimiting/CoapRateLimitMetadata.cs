namespace CoAP.NET.Hosting;

/// <summary>Metadata of routes and groups with a rate limit.</summary>
internal sealed class CoapRateLimitMetadata
{
    internal CoapRateLimitMetadata(string? limitName) => LimitName = limitName;

    /// <summary>The name of the limit; null for a limiter without a name.</summary>
    public string? LimitName { get; }
}
