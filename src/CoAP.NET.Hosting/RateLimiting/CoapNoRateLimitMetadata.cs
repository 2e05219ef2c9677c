namespace CoAP.NET.Hosting.RateLimiting;

/// <summary>Metadata that <c>DisableRateLimiting</c> attaches to routes and groups.</summary>
internal sealed class CoapNoRateLimitMetadata
{
    internal CoapNoRateLimitMetadata()
    {
    }
}
