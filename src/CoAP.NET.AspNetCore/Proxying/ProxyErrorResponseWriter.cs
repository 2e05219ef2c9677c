using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>The responses of the proxy itself.</summary>
internal static class ProxyErrorResponseWriter
{
    public const string NotAsked = "This proxy does not forward to that host or port.";

    /// <summary>Whether the client named the target itself. Otherwise it must not learn addresses of an inner network.</summary>
    public static bool TellsTarget(CoapHttpToCoapOptions options) => options is CoapHttpProxyOptions;

    /// <summary>Returns what the client is told about a failure of the exchange with the target.</summary>
    public static string TextOf(CoapHttpToCoapOptions options, CoapException failure) =>
        failure is CoapResponseException || TellsTarget(options) ? failure.Message
        : failure is CoapTimeoutException ? "The CoAP server behind this resource did not answer in time."
        : "The CoAP server behind this resource cannot be reached, or sent an invalid answer.";

    public static async Task WriteAsync(HttpContext context, int status, string text)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "text/plain; charset=utf-8";
        Protect(context.Response);
        try
        {
            await context.Response.WriteAsync(text, context.RequestAborted).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // The client has disconnected.
        }
    }

    /// <summary>Marks the payload of a device as data, so that browsers do not run it as a script of this site.</summary>
    public static void Protect(HttpResponse response)
    {
        response.Headers.XContentTypeOptions = "nosniff";
        response.Headers.ContentSecurityPolicy = "default-src 'none'; sandbox";
    }
}
