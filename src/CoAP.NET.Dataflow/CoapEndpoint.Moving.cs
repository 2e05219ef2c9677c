using CoAP.NET.Channels;
using CoAP.NET.Transports;

namespace CoAP.NET;

// Peers whose address changes within a security session (RFC 9146 section 6).
public sealed partial class CoapEndpoint
{
    /// <summary>
    /// Raised when the address of a peer changed within its security session, as of a device behind a NAT that forgot it. The peer has already been asked whether it receives there; until it answered it gets no more than
    /// three times what it sends. Raised on the thread that receives, with no lock held; do not block in it. What a handler throws is logged.
    /// </summary>
    public event EventHandler<CoapPeerMove>? PeerMoved;

    internal void OnMoved(CoapChannel channel, CoapAddress from)
    {
        AskWhereMoved(channel);
        Log.PeerMoved(_environment.Logger, channel, from.ToString());
        if (PeerMoved is { } handlers)
        {
            Raise(nameof(PeerMoved), handlers, static (endpoint, handler, move) => handler(endpoint, move), new CoapPeerMove(CoapPeer.Of(channel), from, channel.Remote));
        }
    }

    // Most devices know no Echo, but all know the Reset to an Empty message (RFC 7252 section 4.3). One question at a time, however often the peer moves; when nothing of it
    // was answered, the next thing that the peer says is a reason for another.
    internal void AskWhereMoved(CoapChannel channel)
    {
        CancellationTokenSource probe = new();
        if (Interlocked.Exchange(ref channel.Probe, probe) is { } before)
        {
            try
            {
                before.Cancel();
            }
            catch (ObjectDisposedException)
            {
                // It has just been answered.
            }
        }

        // Threads may come here in another order than that of the moves. Whoever comes last asks where the peer is now.
        _ = AskWhereMovedAsync(channel, channel.MovedAt, probe);
    }

    private async Task AskWhereMovedAsync(CoapChannel channel, long movedAt, CancellationTokenSource probe)
    {
        using CancellationTokenSource until = probe;
        try
        {
            // It waits for nothing: what is outstanding may be what is held back until the answer comes.
            await _sender.PingAsync(channel, default, passesQueue: true, until.Token).ConfigureAwait(false);
            channel.Shard.Guard.OnAnswered(channel, movedAt);
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException)
        {
            // Whatever else the peer acknowledges will do as well.
        }
        finally
        {
            Interlocked.CompareExchange(ref channel.Probe, null, probe);
        }
    }
}
