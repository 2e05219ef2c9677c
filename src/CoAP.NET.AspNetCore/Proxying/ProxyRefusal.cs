using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>What the proxy itself answers.</summary>
internal static class ProxyRefusal
{
    public static Task WriteAsync(HttpContext context, int status, string text)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "text/plain; charset=utf-8";
        Protect(context.Response);
        return context.Response.WriteAsync(text, context.RequestAborted);
    }

    /// <summary>What a device says is data of that device, and no script of this site.</summary>
    public static void Protect(HttpResponse response)
    {
        response.Headers.XContentTypeOptions = "nosniff";
        response.Headers.ContentSecurityPolicy = "default-src 'none'; sandbox";
    }
}
