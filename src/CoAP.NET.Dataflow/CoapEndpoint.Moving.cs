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

    private void OnMoved(CoapChannel channel, CoapAddress from)
    {
        _ = AskWhereMovedAsync(channel, channel.MovedAt);
        Log.PeerMoved(_environment.Logger, channel, from.ToString());
        if (PeerMoved is { } handlers)
        {
            Raise(nameof(PeerMoved), handlers, static (endpoint, handler, move) => handler(endpoint, move), new CoapPeerMove(CoapPeer.Of(channel), from, channel.Remote));
        }
    }

    // Most devices know no Echo, but all know the Reset to an Empty message (RFC 7252 section 4.3).
    private async Task AskWhereMovedAsync(CoapChannel channel, long movedAt)
    {
        try
        {
            await PingOnAsync(channel, CancellationToken.None).ConfigureAwait(false);
            channel.Shard.Guard.OnAnswered(channel, movedAt);
        }
        catch (CoapException)
        {
            // Whatever else the peer acknowledges will do as well.
        }
    }
}
