using System.Buffers;
using System.Globalization;
using System.Net.WebSockets;
using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>
/// Observes a resource for an HTTP client (RFC 7641), which gets server-sent events or WebSocket messages. This is an extension of this
/// library, without an RFC.
/// </summary>
/// <param name="observer">Makes the observation.</param>
/// <param name="options">The options of the exchange.</param>
/// <param name="clock">The clock for keep-alive comments, and for clients that do not read.</param>
internal sealed class EventStream(ICoapClient observer, CoapHttpToCoapOptions options, TimeProvider clock)
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan s_closing = TimeSpan.FromSeconds(5);
    private static readonly string[] s_textTypes = ["application/json", "application/xml", "application/link-format"];

    /// <summary>Whether a request accepts events.</summary>
    public static bool IsAskedFor(HttpRequest request) =>
        HttpMethods.IsGet(request.Method)
        && request.GetTypedHeaders().Accept is { Count: > 0 } accept
        && accept.Any(static range =>
            range.MediaType.Equals(EventStreamMediaType.MediaType, StringComparison.OrdinalIgnoreCase) && range.Quality is not 0);

    /// <summary>Whether the page may open a WebSocket.</summary>
    public static bool MayOpen(HttpRequest request, CoapHttpToCoapOptions options) =>
        request.Headers.Origin is not [{ Length: > 0 } origin, ..]
        || (OriginHeaderCheck.IsOwn(request, origin)
            && HostHeaderCheck.AreAllowed(request.HttpContext, options.AllowedHosts, isAnonymous: false));

    public async Task SendEventsAsync(HttpContext context, CoapRequest request)
    {
        CancellationToken aborted = context.RequestAborted;
        CoapObservation observation = await ObserveAsync(request, aborted).ConfigureAwait(false);
        await using (observation.ConfigureAwait(false))
        {
            HttpResponse response = context.Response;
            response.ContentType = EventStreamMediaType.MediaType;
            response.Headers.CacheControl = "no-store";
            ProxyResponseWriter.Protect(response);
            await response.StartAsync(aborted).ConfigureAwait(false);
            long id = 0;
            bool wantsCbor = WantsCbor(context.Request);
            CancellationToken stopping = StoppingOf(context);
            using CancellationTokenSource ends = CancellationTokenSource.CreateLinkedTokenSource(aborted, stopping);
            IAsyncEnumerator<CoapResponse> notifications = observation.ReadAllAsync(ends.Token).GetAsyncEnumerator(CancellationToken.None);
            await using (notifications.ConfigureAwait(false))
            {
                Task<bool> next = notifications.MoveNextAsync().AsTask();
                try
                {
                    while (await WaitAsync(next, context, ends.Token).ConfigureAwait(false))
                    {
                        await WriteAsync(context, EventOf(notifications.Current, ++id, wantsCbor)).ConfigureAwait(false);
                        next = notifications.MoveNextAsync().AsTask();
                    }
                }
                catch (CoapException exception)
                {
                    await WriteAsync(context, Event("error", ++id, ProxyResponseWriter.TextOf(options, exception)))
                        .ConfigureAwait(false);
                }
                catch (OperationCanceledException) when (stopping.IsCancellationRequested && !aborted.IsCancellationRequested)
                {
                    // The response ends, and the page asks again.
                }
                finally
                {
                    // An iterator must not be disposed while it waits for the next notification.
                    await ends.CancelAsync().ConfigureAwait(false);
                    await ((Task)next).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                }
            }
        }
    }

    public async Task SendMessagesAsync(HttpContext context, CoapRequest request)
    {
        CoapObservation observation = await ObserveAsync(request, context.RequestAborted).ConfigureAwait(false);
        await using (observation.ConfigureAwait(false))
        {
            using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync().ConfigureAwait(false);
            CancellationToken stopping = StoppingOf(context);
            using CancellationTokenSource gone = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted);
            using CancellationTokenSource ends = CancellationTokenSource.CreateLinkedTokenSource(gone.Token, stopping);
            Task reading = ReadUntilClosedAsync(socket, gone);
            (WebSocketCloseStatus status, string reason) = (WebSocketCloseStatus.NormalClosure, "The observation has ended.");
            try
            {
                await foreach (CoapResponse notification in observation.ReadAllAsync(ends.Token).ConfigureAwait(false))
                {
                    notification.EnsureSuccess();
                    (ReadOnlyMemory<byte> message, bool isText) = Convert(notification, wantsCbor: false);
                    await InTimeAsync(
                        context,
                        token => socket.SendAsync(
                            message, isText ? WebSocketMessageType.Text : WebSocketMessageType.Binary, endOfMessage: true, token),
                        gone.Token).ConfigureAwait(false);
                }
            }
            catch (CoapException exception)
            {
                (status, reason) = ProxyResponseWriter.CloseOf(options, exception);
            }
            catch (Exception exception) when (exception is OperationCanceledException or WebSocketException)
            {
                // The client has disconnected, or the application stops.
                if (stopping.IsCancellationRequested)
                {
                    (status, reason) = (WebSocketCloseStatus.EndpointUnavailable, "The server stops.");
                }
            }
            finally
            {
                // The reader ends before its socket and its token are disposed. To cancel it aborts the connection, and could so overtake
                // the close frame: the client has some time to answer that.
                await CloseAsync(context, socket, status, reason).ConfigureAwait(false);
                await reading.WaitAsync(s_closing, clock).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                await gone.CancelAsync().ConfigureAwait(false);
                await reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    // The host waits for open responses, and these would never end.
    private static CancellationToken StoppingOf(HttpContext context) =>
        context.RequestServices?.GetService<IHostApplicationLifetime>()?.ApplicationStopping ?? CancellationToken.None;

    private async Task CloseAsync(HttpContext context, WebSocket socket, WebSocketCloseStatus status, string reason)
    {
        if (socket.State is not (WebSocketState.Open or WebSocketState.CloseReceived))
        {
            return;
        }

        try
        {
            await InTimeAsync(
                context, token => new ValueTask(socket.CloseOutputAsync(status, reason, token)), context.RequestAborted)
                .ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is OperationCanceledException or WebSocketException)
        {
            // It disconnected meanwhile.
        }
    }

    private static async Task ReadUntilClosedAsync(WebSocket socket, CancellationTokenSource gone)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(256);
        try
        {
            // Messages of the client are ignored.
            while ((await socket.ReceiveAsync(buffer, gone.Token).ConfigureAwait(false)).MessageType != WebSocketMessageType.Close)
            {
            }
        }
        catch (Exception exception) when (exception is OperationCanceledException or WebSocketException)
        {
            // It has disconnected, or everything was sent.
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }

        await gone.CancelAsync().ConfigureAwait(false);
    }

    private static bool IsText(CoapResponse notification)
    {
        string? type = notification.ContentFormat?.MediaType;
        bool isText = type is null
            ? notification.Code.IsError
            : notification.ContentFormat?.ContentCoding is null
                && (type.StartsWith("text/", StringComparison.Ordinal) || type.EndsWith("+json", StringComparison.Ordinal)
                    || type.EndsWith("+xml", StringComparison.Ordinal) || s_textTypes.Contains(type));
        return isText && System.Text.Unicode.Utf8.IsValid(notification.Payload.Span);
    }

    // Plain GETs get JSON, so events do, too.
    private (ReadOnlyMemory<byte> Data, bool IsText) Convert(CoapResponse notification, bool wantsCbor)
    {
        if (!wantsCbor && notification.ContentFormat is { } format)
        {
            try
            {
                if (options.Translator.Json.TryToJson(notification.Payload, format, out byte[]? json))
                {
                    return (json, true);
                }
            }
            catch (CoapContentException)
            {
                // The payload does not match its format: the client gets it unchanged.
            }
        }

        return (notification.Payload, IsText(notification));
    }

    private bool WantsCbor(HttpRequest request)
    {
        string[] types = [.. options.Translator.Json.MediaTypes.Keys.Select(
            format => options.Translator.MediaTypes.MediaTypeOf(format, out _))];
        return request.GetTypedHeaders().Accept.Any(range =>
            range.Quality is not 0 && types.Any(type => range.MediaType.Equals(type, StringComparison.OrdinalIgnoreCase)));
    }

    private string EventOf(CoapResponse notification, long id, bool wantsCbor)
    {
        (ReadOnlyMemory<byte> data, bool isText) = Convert(notification, wantsCbor);
        return !notification.IsSuccess
                ? Event("error", id, $"{notification.Code} {(isText ? Encoding.UTF8.GetString(data.Span) : string.Empty)}".TrimEnd())
            : isText ? Event("notification", id, Encoding.UTF8.GetString(data.Span))
            : Event("binary", id, System.Convert.ToBase64String(data.Span));
    }

    private static string Event(string name, long id, string data)
    {
        StringBuilder text = new();
        text.Append(CultureInfo.InvariantCulture, $"event: {name}\nid: {id}\n");
        foreach (string line in data.ReplaceLineEndings("\n").Split('\n'))
        {
            text.Append("data: ").Append(line).Append('\n');
        }

        return text.Append('\n').ToString();
    }

    // Sends comments until the next notification: sending detects a client that disconnected silently.
    private async Task<bool> WaitAsync(Task<bool> next, HttpContext context, CancellationToken ends)
    {
        while (true)
        {
            try
            {
                return await next.WaitAsync(s_interval, clock, ends).ConfigureAwait(false);
            }
            catch (TimeoutException) when (!next.IsCompleted)
            {
                await WriteAsync(context, ": observing\n\n").ConfigureAwait(false);
            }
        }
    }

    private Task WriteAsync(HttpContext context, string text) => InTimeAsync(
        context,
        async token =>
        {
            await context.Response.WriteAsync(text, token).ConfigureAwait(false);
            await context.Response.Body.FlushAsync(token).ConfigureAwait(false);
        },
        context.RequestAborted);

    // A client that does not read is disconnected: it occupies an observation, a place and send buffers.
    private async Task InTimeAsync(HttpContext context, Func<CancellationToken, ValueTask> send, CancellationToken gone)
    {
        using CancellationTokenSource late = new(options.StallTimeout, clock);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, gone);
        try
        {
            await send(either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (late.IsCancellationRequested && !gone.IsCancellationRequested)
        {
            options.Counters.CountStalled();
            context.Abort();
            throw new ClientStalledException();
        }
    }

    // The first registration must succeed: until then a status can report the error. Afterwards the observation continues.
    private async Task<CoapObservation> ObserveAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        CoapObservation observation = await observer.ObserveAsync(request, cancellationToken: cancellationToken).ConfigureAwait(false);
        try
        {
            observation.Latest?.EnsureSuccess();
            return observation is { Latest: null, Error: { } error } ? throw error : observation;
        }
        catch
        {
            await observation.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
