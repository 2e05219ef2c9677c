using CoAP.NET.Channels;
using CoAP.NET.Options;
using CoAP.NET.Signalling;

namespace CoAP.NET;

// How connections end that we end ourselves (RFC 8323 section 5.5).
public sealed partial class CoapEndpoint
{
    private const string StoppedText = "The endpoint was stopped.";

    /// <summary>Ends a connection in order, and waits until it has ended.</summary>
    internal Task ReleaseAsync(CoapChannel channel, HoldOff? holdOff, IReadOnlyList<AlternativeAddress> alternativeAddresses, CancellationToken cancellationToken)
    {
        Release(channel, holdOff, alternativeAddresses, $"This end released the connection to {channel}.", atOnce: false);
        lock (channel.Shard.Gate)
        {
            return SignallingLayer.WhenEnded(channel).WaitAsync(cancellationToken);
        }
    }

    /// <summary>Asks all peers to close their connections, and waits for it as long as the grace period allows.</summary>
    private async Task ReleaseConnectionsAsync(long stopStarted)
    {
        TimeSpan left = _gracePeriod - TimeSpan.FromTicks(_environment.Now - stopStarted);
        TimeSpan most = _environment.Streams.ReleaseTimeout;
        left = most != Timeout.InfiniteTimeSpan && most < left ? most : left;
        if (left <= TimeSpan.Zero || _cutGrace.IsCancellationRequested)
        {
            return;
        }

        foreach (CoapChannel channel in _connections.All())
        {
            Release(channel, null, [], StoppedText, atOnce: false);
        }

        try
        {
            await _connections.WhenEmptyAsync().WaitAsync(left, _environment.TimeProvider, _cutGrace.Token).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is TimeoutException or OperationCanceledException)
        {
            // They are closed without waiting any longer.
        }
    }

    private void CloseConnections()
    {
        foreach (CoapChannel channel in _connections.All())
        {
            Release(channel, null, [], StoppedText, atOnce: true);
        }
    }

    private void Release(CoapChannel channel, HoldOff? holdOff, IReadOnlyList<AlternativeAddress> alternativeAddresses, string text, bool atOnce)
    {
        channel.Shard.Enter();
        try
        {
            SignallingOf(channel).Release(channel, holdOff, alternativeAddresses, text, _environment.Now, atOnce);
        }
        finally
        {
            channel.Shard.Exit();
        }
    }

    private SignallingLayer SignallingOf(CoapChannel channel) => _pipelines[channel.Shard.Index].Signalling;
}
