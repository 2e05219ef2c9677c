namespace CoAP.NET.Hosting;

/// <summary>Metadata that <c>AllowAnonymous</c> attaches to routes and groups.</summary>
public sealed class CoapAnonymousMetadata
{
    internal CoapAnonymousMetadata()
    {
    }
}
