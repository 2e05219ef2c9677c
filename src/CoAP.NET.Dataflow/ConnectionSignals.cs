using CoAP.NET.Channels;
using CoAP.NET.Connecting;
using CoAP.NET.Signalling;

namespace CoAP.NET;

/// <summary>What signalling knows of connections, told to those who choose them.</summary>
internal sealed class ConnectionSignals : IConnectionSignals
{
    public bool IsUsable(CoapChannel channel) => !channel.IsForgotten && channel.SignallingState is { IsOver: false, IsReleasing: false };

    /// <summary>Whether nothing more is sent or taken on a connection. Takes no lock.</summary>
    public static bool IsOver(CoapChannel channel) => channel.SignallingState is not { IsOver: false };

    public bool IsReady(CoapChannel channel) => channel.SignallingState is { } state && (state.IsPlain || state.IsReady);

    public async Task WhenReadyAsync(CoapChannel channel)
    {
        if (channel.SignallingState is null)
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
            throw new CoapConnectionException(reason?.Error ?? CoapConnectionError.Closed, $"Nothing was sent to {channel}: {reason?.Message ?? "the connection has ended."}", reason)
            {
                Diagnostic = reason?.Diagnostic,
                IsUnsent = true,
            };
        }
    }

    public ConnectionEnd EndOf(CoapChannel channel)
    {
        lock (channel.Shard.Gate)
        {
            return channel.SignallingState is { } state
                ? new ConnectionEnd(state.IsReady, state.Reason, (state as StreamState)?.HoldOff, (state as StreamState)?.AlternativeAddresses ?? [])
                : new ConnectionEnd(false, null, null, []);
        }
    }
}
