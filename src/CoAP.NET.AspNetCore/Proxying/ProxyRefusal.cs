using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>What the proxy itself answers.</summary>
internal static class ProxyRefusal
{
    public const string NotAsked = "This proxy does not ask that host.";

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
            // Nobody waits for an answer.
        }
    }

    /// <summary>What a device says is data of that device, and no script of this site.</summary>
    public static void Protect(HttpResponse response)
    {
        response.Headers.XContentTypeOptions = "nosniff";
        response.Headers.ContentSecurityPolicy = "default-src 'none'; sandbox";
    }
}
