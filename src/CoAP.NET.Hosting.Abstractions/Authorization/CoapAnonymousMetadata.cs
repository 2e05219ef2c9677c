namespace CoAP.NET.Hosting.Authorization;

/// <summary>Metadata that <c>AllowAnonymous</c> attaches to routes and groups.</summary>
internal sealed class CoapAnonymousMetadata
{
    internal CoapAnonymousMetadata()
    {
    }
}
