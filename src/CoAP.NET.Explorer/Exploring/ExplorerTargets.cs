using System.Net;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>Whom the page may ask: what the options allow, and the server of the application at the addresses that it listens on.</summary>
internal sealed class ExplorerTargets(CoapExplorerOptions options, CoapServer? own)
{
    /// <summary>What the page shows first and offers; null where anybody may be asked.</summary>
    public IReadOnlyList<string>? Offered => options.AllowAnyTarget ? null : [.. OwnEndpoints().Select(Text)];

    /// <summary>What the page opens first; null for nothing.</summary>
    public string? First => options.FirstTarget ?? OwnEndpoints().Select(Text).FirstOrDefault();

    /// <summary>Reads a target.</summary>
    /// <exception cref="ExplorerException">It is no URI of CoAP, or may not be asked.</exception>
    public CoapUri Check(string text)
    {
        if (!CoapUri.TryParse(text, out CoapUri? uri, out string? error))
        {
            throw ExplorerException.Bad("Not a CoAP URI", error, "Write a URI such as coap://192.0.2.1/sensors/temp.");
        }

        if (uri.Port == 0)
        {
            throw ExplorerException.Bad("Not a CoAP URI", "Nothing can be sent to port 0.");
        }

        // Names are resolved later, and looked at again then.
        return IsOwn(uri) || options.AllowAnyTarget
            || (uri.HostAddress is { } address ? options.Targets.Allows(uri.Host, address) : options.Targets.MayAllow(uri.Host))
            ? uri
            : throw new ExplorerException(403, Problems.Denied($"{Shown(uri.Authority)} is not among the targets of this page."));
    }

    /// <summary>Has a client look at the addresses that a name resolved to.</summary>
    public void Guard(CoapEndpointOptions endpoint)
    {
        if (!options.AllowAnyTarget)
        {
            Func<string, CancellationToken, Task<IPAddress[]>> resolve = endpoint.ResolveHost;
            endpoint.ResolveHost = async (name, cancellationToken) =>
                options.Targets.Filter(name, await resolve(name, cancellationToken).ConfigureAwait(false));
        }
    }

    private bool IsOwn(CoapUri uri) => OwnEndpoints().Any(own => own.Scheme == uri.Scheme && own.Port == uri.Port
        && uri.HostAddress is { } address && address.Equals(own.HostAddress));

    // One that listens everywhere is asked by loopback.
    private IEnumerable<CoapUri> OwnEndpoints()
    {
        foreach (string text in options.AllowOwnServer && own is not null ? own.LocalEndpoints : [])
        {
            if (CoapUri.TryParse(text, out CoapUri? uri) && uri.HostAddress is { } address)
            {
                string? host = address.Equals(IPAddress.Any) ? "127.0.0.1" : address.Equals(IPAddress.IPv6Any) ? "[::1]" : null;
                yield return host is null ? uri : CoapUri.Parse($"{uri.Scheme}://{host}:{uri.Port}");
            }
        }
    }

    private static string Text(CoapUri uri) => uri.ToString().TrimEnd('/');

    private static string Shown(string text) => text.Length <= 200 ? text : text[..200] + "...";
}
