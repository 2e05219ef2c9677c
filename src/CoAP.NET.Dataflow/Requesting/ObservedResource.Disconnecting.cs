using CoAP.NET.Channels;

namespace CoAP.NET.Requesting;

// Observations over connections (RFC 8323 section 7): nothing is lost on the way, and with the connection the registration ends.
internal sealed partial class ObservedResource
{
    private int _losses;

    // Whether each end notices by the connection that the other is gone. Then Max-Age asks for no new registration (RFC 8323 section 7.3). A session of DTLS
    // tells nothing: a server that crashed has forgotten session and registration, and says no word.
    private bool IsOnReliableConnection => _standing is { Channel.IsReliable: true };

    private void OnDisconnected(CoapConnectionException reason, long now)
    {
        switch (_phase)
        {
            case Phase.Cancelling:
                // With the connection the server forgot us.
                Free();
                break;
            case Phase.Registering or Phase.Registered:
                StopTransmission();
                CloseStanding();
                _mayBeRegistered = false;
                _hasNumber = false;
                Fail(reason, now, clearsRegistration: true);
                break;
            case Phase.Finding or Phase.Waiting:
                // What is waited for goes on, and finds another connection.
                StopTransmission();
                CancelBody();
                CloseStanding();
                _mayBeRegistered = false;
                _hasNumber = false;
                break;
            default:
                break;
        }
    }

    // The first time soon, as servers restart; then ever later, unless the registration lasted.
    private void WaitForConnection(CoapConnectionException reason, long now)
    {
        CoapStreamOptions options = Environment.Streams;
        CoapReregistration rule = Reregistration;
        if (_sentAt != long.MinValue && options.MaxReconnectDelay != Timeout.InfiniteTimeSpan && now - _sentAt > options.MaxReconnectDelay.Ticks && _failures == 0)
        {
            _losses = 0;
        }

        TimeSpan bound = options.MaxReconnectDelay != Timeout.InfiniteTimeSpan && options.MaxReconnectDelay < rule.MaximumBackOff ? options.MaxReconnectDelay : rule.MaximumBackOff;
        long wait = Math.Max(BackOffTimes.Of(_losses++, options.ReconnectDelay, bound, Chance()), reason.RetryAfter?.Ticks ?? 0);
        _due = Math.Max(now + wait, _sentAt == long.MinValue ? 0 : _sentAt + rule.MinimumInterval.Ticks);
    }

    // A peer that had connected to us comes back by a connection of its own, as another peer.
    private bool IsGoneForGood(CoapException error) =>
        error is CoapConnectionException && Target.Peer is { IsConnection: true } peer && !_port.MayConnect(peer);
}
