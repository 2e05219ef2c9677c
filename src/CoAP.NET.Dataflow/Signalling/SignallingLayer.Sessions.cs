using CoAP.NET.Channels;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Signalling;

// Sessions over datagrams (RFC 7252 section 9.1): they have no signalling of their own, but begin and end as connections do.
internal sealed partial class SignallingLayer
{
    // While something is under way in a session that is to end.
    private static readonly TimeSpan s_sessionPeriod = TimeSpan.FromMilliseconds(100);

    /// <summary>A session was opened: both ends know of each other what there is to know.</summary>
    /// <param name="channel">The channel of the session.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public void OpenSession(CoapChannel channel, long now)
    {
        channel.SignallingState = new ConnectionState(this, channel, now) { IsReady = true };
        _shard.Raise(new CoapInbound { Channel = channel, Kind = CoapInboundKind.Connected });
    }

    // There is no word that asks a peer to finish, so we do what we can: what is under way ends, then the session is closed.
    private void ReleaseSession(ConnectionState state, string text, long now, bool atOnce)
    {
        if (!state.IsReleasing)
        {
            state.Reason ??= new CoapConnectionException(CoapConnectionError.ClosedByUs, text);
            state.IsReleasing = true;
            state.EndsAt = After(now, _options.ReleaseTimeout);
        }

        CloseSessionIfDue(state, now, atOnce);
    }

    /// <summary>The time has come that a session waited for.</summary>
    public void JudgeSession(ConnectionState state, long now)
    {
        if (!state.IsOver)
        {
            CloseSessionIfDue(state, now, atOnce: false);
        }
    }

    private void CloseSessionIfDue(ConnectionState state, long now, bool atOnce)
    {
        CoapChannel channel = state.Channel;
        if (atOnce || now >= state.EndsAt || (_messages?.IsQuiet(channel) != false && ExchangeLayer.PendingOf(channel) == 0))
        {
            CloseAtOnce(state, state.Reason!);
        }
        else
        {
            _shard.Wheel.Schedule(state, Math.Min(state.EndsAt, After(now, s_sessionPeriod)));
        }
    }
}
