namespace CoAP.NET.Hosting;

/// <summary>Metadata that <c>AllowAnonymous</c> attaches to routes and groups.</summary>
internal sealed class CoapAnonymousMetadata
{
    internal CoapAnonymousMetadata()
    {
    }
}
