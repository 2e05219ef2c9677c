using CoAP.NET.Signalling;

namespace CoAP.NET.Connecting;

/// <summary>Reads the signalling state of a connection (RFC 8323 section 5).</summary>
internal static class ConnectionStatusReader
{
    /// <summary>Whether new requests may use a connection: it is open, and neither side is about to end it. Takes no lock.</summary>
    public static bool IsUsable(CoapChannel channel) =>
        !channel.IsForgotten && ConnectionSignallingState.Of(channel) is { IsOver: false, IsReleasing: false };

    /// <summary>Whether a connection sends and receives no more messages. Takes no lock.</summary>
    public static bool IsOver(CoapChannel channel) => ConnectionSignallingState.Of(channel) is not { IsOver: false };

    /// <summary>Whether the peer's CSM has arrived and its capabilities are known. Takes no lock.</summary>
    public static bool IsReady(CoapChannel channel) => ConnectionSignallingState.Of(channel) is { } state
        && (state.IsPlain || state.IsReady);

    /// <summary>Waits for the peer's CSM.</summary>
    /// <exception cref="CoapConnectionException">The connection ended before.</exception>
    public static async Task WhenReadyAsync(CoapChannel channel)
    {
        if (ConnectionSignallingState.Of(channel) is null)
        {
            return;
        }

        Task ready;
        lock (channel.Shard.Gate)
        {
            ready = SignallingLayer.WhenReady(channel);
        }

        await ready.ConfigureAwait(false);
        if (!IsReady(channel))
        {
            CoapConnectionException? reason = EndOf(channel).Reason;
            throw new CoapConnectionException(
                reason?.Error ?? CoapError.Closed,
                $"Nothing was sent to {channel}: {reason?.Message ?? "the connection has ended."}",
                reason)
            {
                Diagnostic = reason?.Diagnostic,
                IsUnsent = true,
            };
        }
    }

    /// <summary>Returns how a connection ended, or is about to. Takes the lock of the channel's shard.</summary>
    public static ConnectionEnd EndOf(CoapChannel channel)
    {
        lock (channel.Shard.Gate)
        {
            return ConnectionSignallingState.Of(channel) is { } state
                ? new ConnectionEnd(state.IsReady, state.Reason, (state as StreamState)?.HoldOff,
                    (state as StreamState)?.AlternativeAddresses ?? [])
                : new ConnectionEnd(false, null, null, []);
        }
    }
}
