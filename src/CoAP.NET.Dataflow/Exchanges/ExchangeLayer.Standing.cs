using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Channels;

namespace CoAP.NET.Exchanges;

// Tokens that stay: those of observations (RFC 7641). A token is never given twice, so that what comes late to a closed one meets nobody else's request.
internal sealed partial class ExchangeLayer
{
    /// <summary>The number of standing requests to a peer. Under Shard.Gate.</summary>
    public static int StandingOf(CoapChannel channel) => channel.ExchangeState?.Standing?.Count ?? 0;

    /// <summary>Gives a standing request its token and puts it into the table, so that a notification may overtake the answer.</summary>
    public void Open(StandingRequest request)
    {
        _shard.Enter();
        try
        {
            PeerExchanges peer = StateOf(request.Channel);
            request.Token = peer.NextToken(CoapToken.MaxLength);
            (peer.Standing ??= []).Add(request.Token, request);
            request.IsOpen = true;
            request.Channel.Pins++;
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>Finds whose token a response carries.</summary>
    public bool TryFind(CoapChannel channel, CoapToken token, [NotNullWhen(true)] out StandingRequest? request)
    {
        lock (_shard.Gate)
        {
            request = null;
            return channel.ExchangeState is { Standing: { } standing } && standing.TryGetValue(token, out request);
        }
    }

    /// <summary>The standing requests to a peer, as a list of its own.</summary>
    public List<StandingRequest> StandingAt(CoapChannel channel)
    {
        lock (_shard.Gate)
        {
            return channel.ExchangeState is { Standing: { } standing } ? [.. standing.Values] : [];
        }
    }

    /// <summary>Takes a standing request out of the table. Does nothing when it was closed already.</summary>
    public void Close(StandingRequest request)
    {
        lock (_shard.Gate)
        {
            if (request.IsOpen && request.Channel.ExchangeState is { Standing: { } standing } peer)
            {
                request.IsOpen = false;
                request.Channel.Pins--;
                standing.Remove(request.Token);
                if (standing.Count == 0)
                {
                    peer.Standing = null;
                }
            }
        }
    }
}
