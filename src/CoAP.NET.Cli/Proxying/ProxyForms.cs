using System.Text;
using CoAP.NET.Options;
using Spectre.Console;

namespace CoAP.NET.Cli.Proxying;

/// <summary>The two ways to ask a proxy for a URI (RFC 7252 section 5.10.2): some proxies know one of them only, and one has no room for
/// long URIs.</summary>
internal static class ProxyForms
{
    private const int LongestProxyUri = 1034;

    /// <summary>Sends a request in the way that the proxy understands; one that goes to no proxy as it is.</summary>
    /// <param name="context">Where it is told.</param>
    /// <param name="request">The request, with Proxy-Uri.</param>
    /// <param name="send">Sends.</param>
    /// <returns>The response.</returns>
    public static async Task<CoapResponse?> SendAsync(CliContext context, CoapRequest request, Func<CoapRequest, Task<CoapResponse?>> send)
    {
        if (TargetOf(request) is not { } target)
        {
            return await send(request).ConfigureAwait(false);
        }

        if (Encoding.UTF8.GetByteCount(target) > LongestProxyUri)
        {
            return await send(WithScheme(request, target)).ConfigureAwait(false);
        }

        // Neither answer says that anything was done: the option, or this way to ask, is not known.
        CoapResponse? response = await send(request).ConfigureAwait(false);
        if (response?.Code != CoapCode.BadOption && response?.Code != CoapCode.NotImplemented)
        {
            return response;
        }

        context.Error.MarkupLine($"[grey]{response.Code} to Proxy-Uri; asking by Proxy-Scheme.[/]");
        return await send(WithScheme(request, target)).ConfigureAwait(false);
    }

    // The bytes: a value that is too long for the option is none to the collection.
    private static string? TargetOf(CoapRequest request) =>
        request.Options.TryGetValue(OptionNumber.ProxyUri, out ReadOnlySpan<byte> bytes) ? Encoding.UTF8.GetString(bytes) : null;

    private static CoapRequest WithScheme(CoapRequest request, string target)
    {
        CoapUri proxy = CoapUri.Parse(request.UriText!);
        CoapUri asked = CoapUri.Parse(target);
        int path = asked.ToString().IndexOf('/', asked.Scheme.Length + "://".Length);
        CoapRequest split = request.WithUri($"{proxy.Scheme}://{proxy.Authority}{asked.ToString()[path..]}");
        split.Options.Remove(OptionNumber.ProxyUri);
        split.Options.Add(new ProxyScheme(asked.Scheme));
        split.Options.Add(OptionNumber.UriHost, Encoding.UTF8.GetBytes(asked.Host));
        if (asked.Port != proxy.Port)
        {
            split.Options.Add(new UriPort(asked.Port));
        }

        return split;
    }
}
