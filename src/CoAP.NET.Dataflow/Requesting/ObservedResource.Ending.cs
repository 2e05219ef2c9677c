namespace CoAP.NET.Requesting;

// How an observation ends: cancelled (RFC 7641 section 3.6), or lost and not to be made again.
internal sealed partial class ObservedResource
{
    private bool _isReleased;

    private void End(CoapObserveState state, CoapException? error, CoapResponse? response = null)
    {
        CancelSearch();
        StopTransmission();
        CancelBody();
        CloseStanding();
        _phase = Phase.Over;
        _due = long.MaxValue;
        Publish(state, error, response, isOver: true);
    }

    private void OnCancel(long now)
    {
        CancelSearch();
        CancelBody();
        StopTransmission();
        if (_phase == Phase.Over || _standing is null || !_mayBeRegistered)
        {
            Free();
            return;
        }

        // The token stays until the server has said that it forgot us, or nothing that it sent before can come any more.
        _phase = Phase.Cancelling;
        _standing.RefusesNotifications = true;
        _due = now + Parameters.ExchangeLifetime.Ticks;
        CoapMessage message = ComposeStanding(1);
        message.Type = CoapMessageType.Confirmable;
        Send(message, now);
    }

    private void Free()
    {
        StopTransmission();
        CloseStanding();
        _phase = Phase.Over;
        _due = long.MaxValue;
        _stored = null;
        Release();
    }

    private void Release()
    {
        if (!_isReleased)
        {
            _isReleased = true;
            _all.Release();
        }
    }
}
