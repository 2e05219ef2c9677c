namespace CoAP.NET.Hosting;

/// <summary>Metadata that <c>DisableRateLimit</c> attaches to routes and groups.</summary>
public sealed class CoapNoRateLimitMetadata
{
    internal CoapNoRateLimitMetadata()
    {
    }
}
