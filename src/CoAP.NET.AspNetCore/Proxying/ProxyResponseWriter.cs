using System.Globalization;
using System.Net;
using System.Net.WebSockets;
using System.Text;
using CoAP.NET.Http.Translating;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>Writes the responses for HTTP clients: those of CoAP servers, and those of the proxy itself.</summary>
internal static class ProxyResponseWriter
{
    public const string NotAsked = "This proxy does not forward to that host or port.";

    // RFC 6455 section 5.5.1: 125 bytes, two of which are the status.
    private const int MaxReasonSize = 123;

    // "Try again later", of the registry of RFC 6455 section 11.7.
    private const WebSocketCloseStatus TryAgainLater = (WebSocketCloseStatus)1013;

    private static readonly string[] s_fields = ["ETag", "Cache-Control", "Retry-After", "Vary"];

    /// <summary>Whether the client named the target itself. Otherwise it must not learn addresses of an inner network.</summary>
    public static bool TellsTarget(CoapHttpToCoapOptions options) => options is CoapHttpProxyOptions;

    /// <summary>Returns the text for the client about a failure of the exchange with the target.</summary>
    public static string TextOf(CoapHttpToCoapOptions options, CoapException failure) =>
        failure is CoapResponseException || TellsTarget(options) ? failure.Message
        : failure is CoapTimeoutException ? "The CoAP server behind this resource did not answer in time."
        : "The CoAP server behind this resource cannot be reached, or sent an invalid answer.";

    /// <summary>Answers that the proxy refuses the request itself.</summary>
    public static Task RefuseAsync(HttpContext context, int status, string text, TimeSpan? retryAfter = null) =>
        WriteErrorAsync(context, HttpErrorResponse.Of((HttpStatusCode)status, text, retryAfter));

    /// <summary>Answers that the CoAP server did not answer.</summary>
    public static Task RefuseAsync(HttpContext context, CoapHttpToCoapOptions options, CoapException failure) =>
        WriteErrorAsync(context, HttpErrorResponse.Of(failure, TextOf(options, failure)));

    /// <summary>Writes an error, unless the client has disconnected.</summary>
    /// <param name="context">The request.</param>
    /// <param name="error">The error; disposed.</param>
    public static async Task WriteErrorAsync(HttpContext context, HttpResponseMessage error)
    {
        using (error)
        {
            try
            {
                await WriteAsync(context, error).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
            {
                // The client has disconnected.
            }
        }
    }

    /// <summary>Writes a response.</summary>
    /// <param name="context">The request.</param>
    /// <param name="response">The response. Its Location is not written: it is a URI of the CoAP server.</param>
    /// <param name="location">The Location for the client; null for none.</param>
    public static async Task WriteAsync(HttpContext context, HttpResponseMessage response, string? location = null)
    {
        HttpResponse http = context.Response;
        http.StatusCode = (int)response.StatusCode;
        if (response.StatusCode == HttpStatusCode.BadRequest && context.Features.Get<IHttpResponseFeature>() is { } feature)
        {
            // For 4.05; versions 2 and 3 of HTTP have no reason phrase, so the body contains it, too.
            feature.ReasonPhrase = response.ReasonPhrase;
        }

        Protect(http);
        foreach (string name in s_fields)
        {
            if (response.Headers.TryGetValues(name, out IEnumerable<string>? values))
            {
                http.Headers[name] = values.ToArray();
            }
        }

        if (location is not null)
        {
            http.Headers.Location = location;
        }

        if (response.StatusCode is HttpStatusCode.NoContent or HttpStatusCode.NotModified)
        {
            return;
        }

        // Computed on access; a body of unknown length is sent in chunks.
        http.ContentLength = response.Content.Headers.ContentLength;
        foreach ((string name, IEnumerable<string> values) in response.Content.Headers)
        {
            http.Headers[name] = values.ToArray();
        }

        try
        {
            await response.Content.CopyToAsync(http.Body, context.RequestAborted).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is IOException or HttpRequestException && http.HasStarted)
        {
            // A truncated body must not look complete.
            context.Abort();
        }
    }

    /// <summary>Marks the payload of a device as data, so that browsers do not run it as a script of this site.</summary>
    public static void Protect(HttpResponse response)
    {
        response.Headers.XContentTypeOptions = "nosniff";
        response.Headers.ContentSecurityPolicy = "default-src 'none'; sandbox";
    }

    /// <summary>Returns how a WebSocket is closed whose observation failed: a WebSocket has neither status nor Retry-After.</summary>
    public static (WebSocketCloseStatus Status, string Reason) CloseOf(CoapHttpToCoapOptions options, CoapException failure)
    {
        string text = TextOf(options, failure);
        if (failure.RetryAfter is not { } wait)
        {
            return (WebSocketCloseStatus.InternalServerError, Shorten(text));
        }

        double seconds = Math.Ceiling(wait.TotalSeconds);
        return (TryAgainLater, Shorten(string.Create(CultureInfo.InvariantCulture, $"Retry after {seconds} s. {text}")));
    }

    // Whole characters only: the reason is UTF-8.
    private static string Shorten(string reason)
    {
        int length = 0;
        int size = 0;
        foreach (Rune character in reason.EnumerateRunes())
        {
            size += character.Utf8SequenceLength;
            if (size > MaxReasonSize)
            {
                return reason[..length];
            }

            length += character.Utf16SequenceLength;
        }

        return reason;
    }
}
