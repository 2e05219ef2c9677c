namespace CoAP.NET;

/// <summary>An endpoint that is registered with a resource directory, as a look-up of endpoints gives it (RFC 9176 section 6.3). Names are
/// whatever somebody registered: show them as text of strangers (<see cref="CoapForeignText"/>).</summary>
public sealed class CoapDirectoryEndpoint
{
    internal CoapDirectoryEndpoint(CoapLink link) => Link = link;

    /// <summary>The link as the directory gave it, with an absolute target.</summary>
    public CoapLink Link { get; }

    /// <summary>The absolute URI of the registration at the directory.</summary>
    public string Location => Link.Target;

    /// <summary>The name of the endpoint (<c>ep</c>); null when the directory gave none.</summary>
    public string? Name => Link.GetValue("ep");

    /// <summary>The sector (<c>d</c>); null when there is none.</summary>
    public string? Sector => Link.GetValue("d");

    /// <summary>Where the endpoint is, such as <c>coap://[2001:db8::3]:61616</c> (<c>base</c>); null when the directory gave
    /// none.</summary>
    public string? Base => Link.GetValue("base");

    /// <summary>The types of the endpoint (<c>et</c>).</summary>
    public IReadOnlyList<string> Types =>
        [.. Link.Attributes.Where(static one => one.IsNamed("et")).Select(static one => one.Value).OfType<string>()];

    /// <summary>Name and base for people.</summary>
    /// <returns>The text, fit for logs.</returns>
    public override string ToString() => CoapForeignText.LineOf($"{Name} {Base}");
}
