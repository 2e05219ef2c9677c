using System.Net;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>
/// The allowed targets of the page: those of the options, and the server of the application at the addresses that it listens on.
/// </summary>
internal sealed class ExplorerTargets(CoapExplorerOptions options, CoapServer? own)
{
    /// <summary>The targets that the page offers; null if all are allowed.</summary>
    public IReadOnlyList<string>? Offered => options.AllowAnyTarget ? null : [.. OwnEndpoints().Select(Text)];

    /// <summary>The target that the page opens first; null for none.</summary>
    public string? First => (options.FirstTarget ?? OwnEndpoints().FirstOrDefault()) is { } first ? Text(first) : null;

    /// <summary>Parses a target, which may be any.</summary>
    /// <exception cref="ExplorerException">The text is not a CoAP URI.</exception>
    public static CoapUri Parse(string text)
    {
        if (!CoapUri.TryParse(text, out CoapUri? uri, out string? error))
        {
            throw ExplorerException.Bad("Not a CoAP URI", error, "Write a URI such as coap://192.0.2.1/sensors/temp.");
        }

        if (uri.Port == 0)
        {
            throw ExplorerException.Bad("Not a CoAP URI", "Port 0 is not a valid destination port.");
        }

        return uri;
    }

    /// <summary>Parses and checks a target.</summary>
    /// <exception cref="ExplorerException">The text is not a CoAP URI, or the target is not allowed.</exception>
    public CoapUri Check(string text)
    {
        CoapUri uri = Parse(text);

        // Names are resolved later, and their addresses checked then.
        return IsOwn(uri) || options.AllowAnyTarget || options.Targets.MayAllow(uri)
            ? uri
            : throw new ExplorerException(
                403, ProblemDescriptions.Denied($"{Shown(uri.Authority)} is not among the targets of this page."));
    }

    /// <summary>Makes a client check the addresses that a name resolves to.</summary>
    public void Guard(CoapEndpointOptions endpoint)
    {
        if (!options.AllowAnyTarget)
        {
            Func<string, CancellationToken, Task<IPAddress[]>> resolve = endpoint.Transports.ResolveHost;
            endpoint.Transports.ResolveHost = async (name, cancellationToken) =>
                options.Targets.Filter(name, await resolve(name, cancellationToken).ConfigureAwait(false));
        }
    }

    private bool IsOwn(CoapUri uri) => OwnEndpoints().Any(own => own.Scheme == uri.Scheme && own.Port == uri.Port
        && uri.HostAddress is { } address && address.Equals(own.HostAddress));

    // A server on the wildcard address is reached by loopback.
    private IEnumerable<CoapUri> OwnEndpoints()
    {
        foreach (CoapUri uri in options.AllowOwnServer && own is not null ? own.LocalEndpoints : [])
        {
            if (uri.HostAddress is { } address)
            {
                string? host = address.Equals(IPAddress.Any) ? "127.0.0.1" : address.Equals(IPAddress.IPv6Any) ? "[::1]" : null;
                yield return host is null ? uri : CoapUri.Parse($"{uri.Scheme}://{host}:{uri.Port}");
            }
        }
    }

    private static string Text(CoapUri uri) => uri.ToString().TrimEnd('/');

    private static string Shown(string text) => text.Length <= 200 ? text : text[..200] + "...";
}
