namespace CoAP.NET.Hosting;

/// <summary>What is attached to routes and groups by <c>AllowAnonymous</c>, for code that looks at routes.</summary>
public sealed class CoapAnonymousMetadata
{
    internal CoapAnonymousMetadata()
    {
    }
}
