namespace CoAP.NET.Hosting.RateLimiting;

internal sealed class CoapRateLimitMetadata
{
    internal CoapRateLimitMetadata(string? limitName) => LimitName = limitName;

    /// <summary>The name of the limit; null for a limiter without a name.</summary>
    public string? LimitName { get; }
}
