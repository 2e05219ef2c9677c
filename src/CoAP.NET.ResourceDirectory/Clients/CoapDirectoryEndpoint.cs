using CoAP.NET.Diagnostics;

namespace CoAP.NET.ResourceDirectory;

/// <summary>An endpoint that is registered with a resource directory, as the result of an endpoint lookup (RFC 9176 section 6.3).</summary>
/// <remarks>Names are untrusted text.</remarks>
public sealed class CoapDirectoryEndpoint
{
    internal CoapDirectoryEndpoint(CoapLink link) => Link = link;

    /// <summary>The link of the directory, with an absolute target.</summary>
    public CoapLink Link { get; }

    /// <summary>The absolute URI of the registration at the directory; null if its target is not a CoAP URI.</summary>
    public CoapUri? Location => CoapUri.TryParse(Link.Target, out CoapUri? uri) ? uri : null;

    /// <summary>The name of the endpoint (<c>ep</c>); null if the directory returned none.</summary>
    public string? Name => Link.GetValue("ep");

    /// <summary>The sector (<c>d</c>); null if there is none.</summary>
    public string? Sector => Link.GetValue("d");

    /// <summary>
    /// The base URI of the endpoint, such as <c>coap://[2001:db8::3]:61616</c> (<c>base</c>); null if the directory returned none, or one
    /// that is not a CoAP URI.
    /// </summary>
    public CoapUri? Base => CoapUri.TryParse(Link.GetValue("base"), out CoapUri? uri) ? uri : null;

    /// <summary>The types of the endpoint (<c>et</c>).</summary>
    public IReadOnlyList<string> Types =>
        [.. Link.Attributes.Where(static one => one.IsNamed("et")).Select(static one => one.Value).OfType<string>()];

    /// <summary>Returns name and base, human-readable.</summary>
    /// <returns>The text, safe for logs.</returns>
    public override string ToString() => CoapUntrustedText.LineOf($"{Name} {Link.GetValue("base")}");
}
