namespace CoAP.NET.Hosting;

/// <summary>What is attached to routes and groups that have a rate limit, for code that looks at routes.</summary>
public sealed class CoapRateLimitMetadata
{
    internal CoapRateLimitMetadata(string? limitName) => LimitName = limitName;

    /// <summary>The name of the limit; null for a limiter without a name.</summary>
    public string? LimitName { get; }
}
