using System.Buffers;
using System.Globalization;
using System.Net.WebSockets;
using System.Text;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>
/// Observes a resource for an HTTP client (RFC 7641), which gets server-sent events or messages of a WebSocket. No RFC says how; this is
/// our own.
/// </summary>
/// <param name="observer">Who observes.</param>
/// <param name="clock">For the comments that show the connection is alive.</param>
internal sealed class EventStream(ICoapObserver observer, TimeProvider clock)
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(15);
    private static readonly string[] s_textTypes = ["application/json", "application/xml", "application/link-format"];

    /// <summary>Whether a request asks for events.</summary>
    public static bool IsAskedFor(HttpRequest request) =>
        HttpMethods.IsGet(request.Method)
        && request.GetTypedHeaders().Accept is { Count: > 0 } accept
        && accept.Any(static range =>
            range.MediaType.Equals("text/event-stream", StringComparison.OrdinalIgnoreCase) && range.Quality is not 0);

    /// <summary>Whether a WebSocket may be opened by the page that asks for it.</summary>
    public static bool MayOpen(HttpRequest request) =>
        request.Headers.Origin is not [{ Length: > 0 } origin, ..]
        || (Uri.TryCreate(origin, UriKind.Absolute, out Uri? uri) && HostString.FromUriComponent(uri).Equals(request.Host));

    public async Task SendEventsAsync(HttpContext context, CoapUri target)
    {
        CancellationToken aborted = context.RequestAborted;
        CoapObservation observation = await ObserveAsync(target, aborted).ConfigureAwait(false);
        await using (observation.ConfigureAwait(false))
        {
            HttpResponse response = context.Response;
            response.ContentType = "text/event-stream";
            response.Headers.CacheControl = "no-store";
            ProxyRefusal.Protect(response);
            await response.StartAsync(aborted).ConfigureAwait(false);
            long id = 0;
            IAsyncEnumerator<CoapResponse> notifications = observation.ReadAllAsync(aborted).GetAsyncEnumerator(aborted);
            await using (notifications.ConfigureAwait(false))
            {
                try
                {
                    while (await NextAsync(notifications, response, aborted).ConfigureAwait(false))
                    {
                        await response.WriteAsync(EventOf(notifications.Current, ++id), aborted).ConfigureAwait(false);
                        await response.Body.FlushAsync(aborted).ConfigureAwait(false);
                    }
                }
                catch (CoapException exception)
                {
                    await response.WriteAsync(Event("error", ++id, exception.Message), aborted).ConfigureAwait(false);
                }
            }
        }
    }

    public async Task SendMessagesAsync(HttpContext context, CoapUri target)
    {
        CoapObservation observation = await ObserveAsync(target, context.RequestAborted).ConfigureAwait(false);
        await using (observation.ConfigureAwait(false))
        {
            using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync().ConfigureAwait(false);
            using CancellationTokenSource gone = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted);
            Task reading = ReadUntilClosedAsync(socket, gone);
            (WebSocketCloseStatus status, string reason) = (WebSocketCloseStatus.NormalClosure, "The observation has ended.");
            try
            {
                await foreach (CoapResponse notification in observation.ReadAllAsync(gone.Token).ConfigureAwait(false))
                {
                    notification.EnsureSuccess();
                    bool isText = IsText(notification);
                    await socket.SendAsync(
                        notification.Payload, isText ? WebSocketMessageType.Text : WebSocketMessageType.Binary, endOfMessage: true,
                            gone.Token).ConfigureAwait(false);
                }
            }
            catch (CoapException exception)
            {
                (status, reason) = (WebSocketCloseStatus.InternalServerError, exception.Message);
            }
            catch (Exception exception) when (exception is OperationCanceledException or WebSocketException)
            {
                // The client has gone.
            }

            if (socket.State is WebSocketState.Open or WebSocketState.CloseReceived)
            {
                try
                {
                    await socket.CloseOutputAsync(status, Shorten(reason), context.RequestAborted).ConfigureAwait(false);
                }
                catch (Exception exception) when (exception is OperationCanceledException or WebSocketException)
                {
                    // It went meanwhile.
                }
            }

            await gone.CancelAsync().ConfigureAwait(false);
            await reading.ConfigureAwait(false);
        }
    }

    private static async Task ReadUntilClosedAsync(WebSocket socket, CancellationTokenSource gone)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(256);
        try
        {
            // What the client says means nothing here.
            while ((await socket.ReceiveAsync(buffer, gone.Token).ConfigureAwait(false)).MessageType != WebSocketMessageType.Close)
            {
            }
        }
        catch (Exception exception) when (exception is OperationCanceledException or WebSocketException)
        {
            // It has gone, or everything was said.
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

    // A reason has 123 bytes at most (RFC 6455 section 5.5.1).
    private static string Shorten(string reason) => reason.Length > 60 ? reason[..60] : reason;

    private static string EventOf(CoapResponse notification, long id) =>
        !notification.IsSuccess
            ? Event("error", id, $"{notification.Code} {(IsText(notification) ? notification.GetText() : string.Empty)}".TrimEnd())
        : IsText(notification) ? Event("notification", id, notification.GetText())
        : Event("binary", id, Convert.ToBase64String(notification.Payload.Span));

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

    // A client that has gone without a word is noticed by what is sent to it.
    private async Task<bool> NextAsync(IAsyncEnumerator<CoapResponse> notifications, HttpResponse response, CancellationToken aborted)
    {
        Task<bool> next = notifications.MoveNextAsync().AsTask();
        while (true)
        {
            try
            {
                return await next.WaitAsync(s_interval, clock, aborted).ConfigureAwait(false);
            }
            catch (TimeoutException) when (!next.IsCompleted)
            {
                await response.WriteAsync(": observing\n\n", aborted).ConfigureAwait(false);
                await response.Body.FlushAsync(aborted).ConfigureAwait(false);
            }
        }
    }

    // The first registration has to succeed: until then a status can say what is wrong. Afterwards the observation goes on.
    private async Task<CoapObservation> ObserveAsync(CoapUri target, CancellationToken cancellationToken)
    {
        CoapObservation observation = await observer
            .ObserveAsync(new CoapRequest(CoapMethod.Get, target.ToString()), cancellationToken: cancellationToken).ConfigureAwait(false);
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
