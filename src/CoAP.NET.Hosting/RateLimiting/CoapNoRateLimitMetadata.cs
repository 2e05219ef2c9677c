namespace CoAP.NET.Hosting;

/// <summary>What is attached to routes and groups by <c>DisableRateLimit</c>, for code that looks at routes.</summary>
public sealed class CoapNoRateLimitMetadata
{
    internal CoapNoRateLimitMetadata()
    {
    }
}
