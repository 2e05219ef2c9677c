using CoAP.NET.Channels;
using CoAP.NET.Options;

namespace CoAP.NET.Signalling;

// RFC 8323 section 5.3: what the peer can do.
internal sealed partial class SignallingLayer
{
    /// <summary>Waits until the peer's CSM came or the connection is over; the channel then tells which.</summary>
    public static Task WhenReady(CoapChannel channel) =>
        channel.SignallingState is not StreamState { IsReady: false, IsOver: false } state
            ? Task.CompletedTask
            : (state.Ready ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    // Each option holds until another CSM changes it, so that one without options changes nothing.
    private void OnCapabilities(StreamState state, CoapMessage csm, long now)
    {
        CoapChannel channel = state.Channel;
        if (csm.OptionsToRead is { } options)
        {
            if (options.TryGetUInt(MaxMessageSize.Definition.Number, out uint size))
            {
                channel.PeerMaxMessageSize = (int)Math.Min(size, int.MaxValue);
            }

            channel.TakesBlocks |= options.Contains(BlockWiseTransfer.Definition.Number);

            // RFC 8974 section 2.2.1: below 8 it says nothing.
            if (options.TryGetUInt(ExtendedTokenLength.Definition.Number, out uint length) && length >= CoapToken.MaxLength)
            {
                channel.PeerMaxTokenLength = (int)Math.Min(length, CoapToken.MaxExtendedLength);
            }
        }

        if (!state.IsReady)
        {
            state.IsReady = true;
            state.Ready?.TrySetResult();
            state.LastUsed = now;
            Arm(state, now);
            _shard.Raise(new CoapInbound { Channel = channel, Kind = CoapInboundKind.Connected });
        }
    }
}
