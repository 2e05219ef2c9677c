using Spectre.Console;

namespace CoAP.NET.Cli.Proxying;

/// <summary>The two ways to ask a proxy for a URI (RFC 7252 section 5.10.2): some proxies know one of them only, and one has no room for
/// long URIs.</summary>
internal static class ProxyForms
{
    /// <summary>Sends a request to a proxy in the way that it understands, or to its target where there is no proxy.</summary>
    /// <param name="context">Where it is told.</param>
    /// <param name="request">The request, to its target.</param>
    /// <param name="proxy">The proxy; null for none.</param>
    /// <param name="send">Sends.</param>
    /// <returns>The response.</returns>
    public static async Task<CoapResponse?> SendAsync(
        CliContext context, CoapRequest request, CoapUri? proxy, Func<CoapRequest, Task<CoapResponse?>> send)
    {
        if (proxy is null)
        {
            return await send(request).ConfigureAwait(false);
        }

        CoapRequest byUri = Ask(request, proxy, CoapProxyForm.Uri);
        CoapResponse? response = await send(byUri).ConfigureAwait(false);
        return response is not null && IsRefused(byUri, response)
            ? await send(AskAgain(context, request, proxy, response)).ConfigureAwait(false) : response;
    }

    /// <summary>The request to a proxy.</summary>
    /// <param name="request">The request, to its target.</param>
    /// <param name="proxy">The proxy.</param>
    /// <param name="form">By which options the target is named.</param>
    /// <exception cref="UsageException">The proxy cannot be asked for that.</exception>
    public static CoapRequest Ask(CoapRequest request, CoapUri proxy, CoapProxyForm form)
    {
        try
        {
            return request.WithProxy(proxy, form);
        }
        catch (ArgumentException exception)
        {
            string message = exception.ParamName is null
                ? exception.Message
                : exception.Message[..exception.Message.LastIndexOf(" (Parameter", StringComparison.Ordinal)];
            throw new UsageException(message);
        }
    }

    /// <summary>Whether a proxy does not know the way in which it was asked, and so did nothing.</summary>
    /// <param name="request">What it was asked.</param>
    /// <param name="response">What it answered.</param>
    public static bool IsRefused(CoapRequest request, CoapResponse response) =>
        request.Options.ProxyUri is not null && (response.Code == CoapCode.BadOption || response.Code == CoapCode.NotImplemented);

    /// <summary>The request in the other way, which is told.</summary>
    /// <param name="context">Where it is told.</param>
    /// <param name="request">The request, to its target.</param>
    /// <param name="proxy">The proxy.</param>
    /// <param name="refusal">What it answered to the first way.</param>
    public static CoapRequest AskAgain(CliContext context, CoapRequest request, CoapUri proxy, CoapResponse refusal)
    {
        context.Error.MarkupLine($"[grey]{Markup.Escape(refusal.Code.ToString())} to Proxy-Uri; asking by Proxy-Scheme.[/]");
        return Ask(request, proxy, CoapProxyForm.Scheme);
    }
}
