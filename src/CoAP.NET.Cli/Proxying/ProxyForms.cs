using Spectre.Console;

namespace CoAP.NET.Cli.Proxying;

/// <summary>
/// The two forms of a request to a proxy (RFC 7252 section 5.10.2): some proxies support only one, and one has no room for long URIs.
/// </summary>
internal static class ProxyForms
{
    /// <summary>Sends a request to a proxy in the form that it supports, or to its target without a proxy.</summary>
    /// <param name="context">Gets a message about the form.</param>
    /// <param name="request">The request, to its target.</param>
    /// <param name="proxy">The proxy; null for none.</param>
    /// <param name="send">Sends the request.</param>
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

    /// <summary>Creates the request to a proxy.</summary>
    /// <param name="request">The request, to its target.</param>
    /// <param name="proxy">The proxy.</param>
    /// <param name="form">The options that name the target.</param>
    /// <exception cref="UsageException">The proxy does not support the target.</exception>
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

    /// <summary>Whether a proxy does not support the form of a request, and so did nothing.</summary>
    /// <param name="request">The request.</param>
    /// <param name="response">Its response.</param>
    public static bool IsRefused(CoapRequest request, CoapResponse response) =>
        request.Options.ProxyUri is not null && (response.Code == CoapCode.BadOption || response.Code == CoapCode.NotImplemented);

    /// <summary>Creates the request in the other form, and reports it.</summary>
    /// <param name="context">Gets the message.</param>
    /// <param name="request">The request, to its target.</param>
    /// <param name="proxy">The proxy.</param>
    /// <param name="refusal">The response to the first form.</param>
    public static CoapRequest AskAgain(CliContext context, CoapRequest request, CoapUri proxy, CoapResponse refusal)
    {
        context.Error.MarkupLine($"[grey]{Markup.Escape(refusal.Code.ToString())} to Proxy-Uri; asking by Proxy-Scheme.[/]");
        return Ask(request, proxy, CoapProxyForm.Scheme);
    }
}
