using System.Net.WebSockets;
using System.Runtime.CompilerServices;
using CoAP.NET.Transports.Streams;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Transports.WebSockets;

/// <summary>
/// A WebSocket (RFC 8323 section 4): each binary message is one CoAP message, in any number of fragments. Lower layers answer its own Ping
/// and Pong, which are never sent from here.
/// </summary>
/// <param name="webSocket">The WebSocket.</param>
/// <param name="remote">The peer.</param>
/// <param name="owned">Disposed with the link; null for nothing.</param>
/// <param name="abort">Closes the underlying connection, if the WebSocket cannot; null if it can.</param>
/// <param name="host">The host and port of the peer, if a browser opened the WebSocket; null elsewhere.</param>
internal sealed class WebSocketByteTransport(
    WebSocket webSocket, CoapAddress remote, IDisposable? owned = null, Action? abort = null, string? host = null)
    : ConnectionByteTransport
{
    // RFC 6455 section 5.5: a control frame has at most 125 bytes, two of them the status.
    private const int MaxReason = 123;

    // 7.05 (RFC 8323 section 5.6): the second byte of a message is its code.
    private const byte Abort = 0xe5;

    private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // A result of waiting that is not the beginning of a message; the next read returns it.
    private ValueWebSocketReceiveResult? _found;
    private bool _isMessageWhole;
    private bool _hasEnded;
    private bool _hasBytes;
    private string? _violation;
    private WebSocketCloseStatus _status = WebSocketCloseStatus.NormalClosure;

    /// <summary>Completes when the WebSocket is unused.</summary>
    public Task Released => _released.Task;

    public override bool HasMessages => true;

    public override bool IsMessageWhole => _isMessageWhole;

    public override string? Violation => _violation;

    public override bool HasEnded => _hasEnded;

    public override bool EndsBothWays => true;

    public override Exception? EndReason =>
        webSocket.CloseStatus is null or WebSocketCloseStatus.NormalClosure or WebSocketCloseStatus.EndpointUnavailable
            or WebSocketCloseStatus.Empty
            ? null
            : new CoapConnectionException(
                CoapError.Closed,
                $"{Peer} closed the WebSocket: {(int)webSocket.CloseStatus} {EndWords}".TrimEnd());

    private string Peer => host ?? remote.ToString();

    private string EndWords => CoapUntrustedText.LineOf(webSocket.CloseStatusDescription);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> WaitAsync()
    {
        ValueWebSocketReceiveResult result = await webSocket.ReceiveAsync(Memory<byte>.Empty, CancellationToken.None).ConfigureAwait(false);
        if (result.EndOfMessage || result.MessageType != WebSocketMessageType.Binary)
        {
            _found = result;
        }

        return 0;
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer)
    {
        if (_found is { } found)
        {
            _found = null;
            return ValueTask.FromResult(Take(found));
        }

        ValueTask<ValueWebSocketReceiveResult> read = webSocket.ReceiveAsync(buffer, CancellationToken.None);
        return read.IsCompletedSuccessfully ? ValueTask.FromResult(Take(read.Result)) : TakeAsync(read);
    }

    public override async ValueTask<int> DiscardAsync(Memory<byte> buffer)
    {
        while (true)
        {
            ValueWebSocketReceiveResult result = await webSocket.ReceiveAsync(buffer, CancellationToken.None).ConfigureAwait(false);
            if (result.MessageType == WebSocketMessageType.Close || result.Count > 0)
            {
                return result.Count;
            }
        }
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, bool endsMessage) =>
        webSocket.SendAsync(bytes, WebSocketMessageType.Binary, endsMessage, CancellationToken.None);

    public override void OnLast(ReadOnlySpan<byte> frame)
    {
        if (_status == WebSocketCloseStatus.NormalClosure && frame.Length > 1 && frame[1] == Abort)
        {
            _status = WebSocketCloseStatus.ProtocolError;
        }
    }

    public override void OnTooLarge() => _status = WebSocketCloseStatus.MessageTooBig;

    public override async ValueTask EndOutputAsync()
    {
        if (webSocket.State is WebSocketState.Open or WebSocketState.CloseReceived)
        {
            await webSocket.CloseOutputAsync(Sendable(_status), Shorten(_violation), CancellationToken.None).ConfigureAwait(false);
        }
    }

    public override void SayEnd()
    {
        try
        {
            Task said = webSocket.State == WebSocketState.Open
                ? webSocket.CloseOutputAsync(Sendable(WebSocketCloseStatus.EndpointUnavailable), null, CancellationToken.None)
                : Task.CompletedTask;
            if (!said.IsCompletedSuccessfully)
            {
                _ = said.ContinueWith(static task => _ = task.Exception, CancellationToken.None,
                    TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            }
        }
#pragma warning disable CA1031 // it is over anyway, and may be ending elsewhere too
        catch (Exception)
#pragma warning restore CA1031
        {
        }
    }

    public override void Close()
    {
        if (webSocket.State != WebSocketState.Closed)
        {
            webSocket.Abort();
            Quietly(abort);
        }
    }

    public override void Release()
    {
        webSocket.Dispose();
        owned?.Dispose();
        _released.TrySetResult();
    }

    public override Exception Explain(Exception error, bool hasHeard) => error is WebSocketException
        ? new CoapConnectionException(CoapError.Lost, $"The WebSocket to {Peer} broke: {TlsFailureMessage.Words(error)}", error)
        : error;

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> TakeAsync(ValueTask<ValueWebSocketReceiveResult> read) => Take(await read.ConfigureAwait(false));

    private int Take(in ValueWebSocketReceiveResult result)
    {
        _isMessageWhole = result.EndOfMessage;
        switch (result.MessageType)
        {
            case WebSocketMessageType.Close:
                _hasEnded = true;

                // RFC 6455 section 5.5.1: echoes the status, if it may be sent.
                _status = webSocket.CloseStatus is { } status and not WebSocketCloseStatus.Empty
                    ? status
                    : WebSocketCloseStatus.NormalClosure;
                return 0;
            case WebSocketMessageType.Text:
                _status = WebSocketCloseStatus.InvalidMessageType;
                _violation = "CoAP messages are binary WebSocket messages, and this one was text (RFC 8323 section 4.2).";
                return 0;
            default:
                _hasBytes |= result.Count > 0;
                if (result.EndOfMessage)
                {
                    _violation = _hasBytes ? null : "A WebSocket message without a byte is not a CoAP message (RFC 8323 section 4.2).";
                    _status = _hasBytes ? _status : WebSocketCloseStatus.ProtocolError;
                    _hasBytes = false;
                }

                return result.Count;
        }
    }

    // A browser lets a page close with 1000, or with a status from 3000 on, which no standard of CoAP has. Abort has reported the cause
    // before.
    private WebSocketCloseStatus Sendable(WebSocketCloseStatus status) => host is null ? status : WebSocketCloseStatus.NormalClosure;

    private static string? Shorten(string? text) => text is { Length: > MaxReason } ? text[..MaxReason] : text;
}
