using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Observing;
using CoAP.NET.Options;

namespace CoAP.NET.Requesting;

// Registering, and registering again (RFC 7641 sections 3.1 to 3.3).
internal sealed partial class ObservedResource
{
    private Phase _phase;
    private StandingRequest? _standing;
    private CoapTransmission? _transmission;
    private int _failures;
    private long _sentAt = long.MinValue;
    private bool _isAcknowledged;
    private bool _isStale;
    private bool _mayBeRegistered;

    private enum Phase : byte
    {
        /// <summary>The peer's address is being found.</summary>
        Finding,

        /// <summary>A registration is under way.</summary>
        Registering,

        /// <summary>The server notifies.</summary>
        Registered,

        /// <summary>The next registration is waited for.</summary>
        Waiting,

        /// <summary>Nobody observes any more, and the server is told.</summary>
        Cancelling,

        /// <summary>Ended.</summary>
        Over,
    }

    // With the rest of a representation, without which there is nothing to show yet.
    private bool IsTrying => _phase is Phase.Finding or Phase.Registering || _body is not null;

    private CoapTransmissionParameters Parameters => _standing!.Channel.Parameters;

    // How long a response may take after the peer has the registration.
    private TimeSpan ResponseTime => Parameters.ResponseTimeout is { } set && set != Timeout.InfiniteTimeSpan ? set : Parameters.MaxTransmitWait + (2 * Parameters.MaxLatency);

    private void Handle(in Happening happening, long now)
    {
        switch (happening.What)
        {
            case News.Begin:
                Find(now);
                break;
            case News.Due:
                OnDue(now);
                break;
            case News.Found:
                OnFound(happening, now);
                break;
            case News.Response:
                OnResponse(happening, (CoapResponse)happening.Subject!, now);
                break;
            case News.Rejected when happening.Request == _standing && _phase != Phase.Cancelling:
                Fail((CoapException)happening.Subject!, now);
                break;
            case News.Disconnected when happening.Request == _standing:
                OnDisconnected((CoapConnectionException)happening.Subject!, now);
                break;
            case News.Transmission:
                OnTransmission(happening, now);
                break;
            case News.Body:
                OnBody(happening, now);
                break;
            case News.ReadersChanged when _isStale && _phase == Phase.Registered && _due == long.MaxValue && Reregistration.IsEnabled:
                // Those who were there did not want it to be registered again; now somebody does.
                Find(now);
                break;
            case News.Refresh:
                (_refreshes ??= new ObservationRefreshes()).Add((TaskCompletionSource<CoapResponse>)happening.Subject!);
                if (_phase is Phase.Registered or Phase.Waiting)
                {
                    // Whoever asks for it has a reason to believe that it goes well now.
                    _failures = 0;
                    Find(now);
                }

                break;
            case News.Cancel:
                OnCancel(now);
                break;
            case News.Stop:
                End(CoapObserveState.Failed, (CoapException)happening.Subject!);
                break;
            default:
                break;
        }
    }

    private void OnDue(long now)
    {
        if (now < _due)
        {
            return;
        }

        _due = long.MaxValue;
        switch (_phase)
        {
            case Phase.Registered when _isStale:
            case Phase.Waiting:
                Find(now);
                break;
            case Phase.Registered:
                BecomeStale(now);
                break;
            case Phase.Finding:
                CancelSearch();
                Fail(new CoapException($"{Target} could not be found or connected to in time."), now);
                break;
            case Phase.Registering when Target.Timeout is null && !WaitsInVain(now) && _transmission is { IsQueued: true } or { IsOutstanding: true, Message.Type: CoapMessageType.Confirmable }:
                // It waits for its turn behind other messages to the peer, or did so; what becomes of it will be told.
                _due = now + Parameters.MaxTransmitWait.Ticks;
                break;
            case Phase.Registering:
                _triesNextAddress = true;
                TimeoutFacts facts = ExchangeTimes.Over(_transmission!, _isAcknowledged, new RequestTime(Target.Timeout), WaitsInVain(now));
                Fail(new CoapTimeoutException(facts, Target.Message.Code, _standing!.Channel.ToString()), now);
                break;
            case Phase.Cancelling:
                Free();
                break;
            default:
                break;
        }
    }

    // As of a request: PROBING_RATE (RFC 7252 section 4.7) may hold it back from a peer that has long been silent for hours.
    private bool WaitsInVain(long now) => _transmission is { IsQueued: true } && now - _standing!.Channel.LastSeen >= Parameters.ExchangeLifetime.Ticks;

    private void BecomeStale(long now)
    {
        _isStale = true;
        if (Snapshot.Latest is not null)
        {
            Publish(CoapObserveState.Stale);
        }

        if (Reregistration is { IsEnabled: true } rule)
        {
            _due = Math.Max(now + RegistrationTimes.Patience(Chance()), _sentAt + rule.MinimumInterval.Ticks);
        }
    }

    private void Register(CoapChannel channel, long now)
    {
        StopTransmission();
        if (_standing is null || !_port.IsSamePeer(_standing.Channel, channel))
        {
            // Another peer: another token. If the one before still notifies it gets a Reset for it.
            CancelBody();
            CloseStanding();
            _standing = _port.Open(channel, this);
            _mayBeRegistered = false;
            _hasNumber = false;
            _stored = null;
            _echo = null;
        }

        if (_sentAt != long.MinValue)
        {
            Environment.Counters.Add(CoapCounter.Reregistrations);
        }

        CoapMessage message = ComposeStanding(0);
        if (_stored?.Options.ETag is { } tag)
        {
            message.Options.ETag = tag;
        }

        if (_echo is not null)
        {
            message.Options.Echo = _echo;
        }
        else if (_standing.Channel.TakeEchoToReturn() is { } owed)
        {
            message.Options.Echo = owed;
        }

        _phase = Phase.Registering;

        // What is given to a connection counts as delivered: only the response is waited for.
        _isAcknowledged = channel.IsReliable;
        _heardSinceSent = false;
        _sentAt = now;
        TimeSpan time = Target.Timeout
            ?? (_isAcknowledged ? ResponseTime
            : message.Type == CoapMessageType.Confirmable ? Parameters.MaxTransmitWait
            : Parameters.ResponseTimeout ?? Parameters.NonLifetime);
        _due = now + (time == Timeout.InfiniteTimeSpan ? Parameters.MaxTransmitWait : time).Ticks;
        Send(message, now);
    }

    /// <summary>A registration or cancellation. Both have the same options (RFC 7641 section 3.6), with the block size that all notifications shall have (RFC 7959 section 2.6).</summary>
    private CoapMessage ComposeStanding(uint observe)
    {
        CoapMessage message = Target.Compose(observe, _standing!.Token);
        if (TransferSizes.ProposedSize(_standing!.Channel, Target.BlockSize) is { } size && !message.Options.Contains(OptionNumber.Block2))
        {
            message.Options.Block2 = new BlockValue(0, more: false, BlockValue.GetSizeExponent(size));
        }

        return message;
    }

    private void Send(CoapMessage message, long now)
    {
        _transmission = new CoapTransmission(_standing!.Channel, message, _standing);
        if (_port.Send(_transmission) is { } error && _phase != Phase.Cancelling)
        {
            Fail(error, now);
        }
    }

    private void OnTransmission(in Happening happening, long now)
    {
        if (happening.Transmission != _transmission || _phase is Phase.Over or Phase.Waiting)
        {
            return;
        }

        string peer = _standing!.Channel.ToString();
        switch (happening.Fate)
        {
            case CoapInboundKind.Reset when _phase == Phase.Cancelling:
                // The server knows of no such observation.
                Free();
                break;
            case var _ when _phase == Phase.Cancelling:
                // Its time for late notifications is not over: they are rejected, which cancels as well (RFC 7641 section 3.6).
                break;
            case CoapInboundKind.Acknowledged:
                _isAcknowledged = true;
                if (_phase == Phase.Registering && Target.Timeout is null)
                {
                    _due = now + ResponseTime.Ticks;
                }

                break;
            case CoapInboundKind.Reset:
                Fail(new CoapResetException(peer), now, clearsRegistration: true);
                break;
            case CoapInboundKind.Unreachable when _addressesLeft > 0 && _addresses is not null:
                // Nobody listens there: the next address of the name may be the right one.
                _addressesLeft--;
                Register(_addresses[(PlaceOf(_addresses) + 1) % _addresses.Count], now);
                break;
            case CoapInboundKind.Unreachable:
                Fail(new CoapUnreachableException(peer), now, clearsRegistration: true);
                break;
            case CoapInboundKind.NotSent:
                Fail(new CoapBusyException(peer, Parameters.MaxQueuedRequests), now);
                break;
            case CoapInboundKind.NotAcknowledged when _phase == Phase.Registered:
                // Notifications came since it was sent, so the server has us as an observer: some devices answer by messages of their own and acknowledge nothing.
                _transmission = null;
                break;
            default:
                _triesNextAddress = true;
                Fail(ExchangeTimes.GivenUp(_transmission!), now);
                break;
        }
    }

    /// <summary>It is not observed now. Registers again after a while, unless nobody wants that.</summary>
    private void Fail(CoapException error, long now, TimeSpan leastWait = default, bool clearsRegistration = false, CoapResponse? response = null)
    {
        if (_phase is Phase.Cancelling or Phase.Over)
        {
            return;
        }

        StopTransmission();
        CancelBody();
        _mayBeRegistered &= !clearsRegistration;
        Log.ObservationLost(Environment.Logger, Target, error.Message);
        if (IsGoneForGood(error))
        {
            _all.Abandon(this);
            End(CoapObserveState.Failed, error, response);
            return;
        }

        if (EndsFor(CoapObserveState.Failed, error, response))
        {
            return;
        }

        _phase = Phase.Waiting;
        if (error is CoapConnectionException lost)
        {
            WaitForConnection(lost, now);
        }
        else
        {
            WaitForNext(now, leastWait);
        }

        // Of what was current until the connection ended nobody knows whether it still is.
        Publish(error is CoapConnectionException && Snapshot.Latest is not null ? CoapObserveState.Stale : CoapObserveState.Reregistering, error, response);
    }

    private void WaitForNext(long now, TimeSpan leastWait)
    {
        CoapReregistration rule = Reregistration;
        long wait = Math.Max(RegistrationTimes.BackOff(_failures++, rule.MaximumBackOff, Chance()), leastWait.Ticks);
        _due = Math.Max(now + wait, _sentAt == long.MinValue ? 0 : _sentAt + rule.MinimumInterval.Ticks);
    }

    /// <summary>Ends the observation if nobody wants it to be registered again.</summary>
    private bool EndsFor(CoapObserveState state, CoapException? error, CoapResponse? response)
    {
        if (Reregistration.IsEnabled || !_all.TryEnd(this))
        {
            return false;
        }

        End(state, error, response);
        return true;
    }

    // Our own mistake, or a user's clock, source of chance or resolver that threw where none may.
    private void Recover(Exception exception)
    {
        if (_phase is not (Phase.Cancelling or Phase.Over))
        {
            _phase = Phase.Waiting;
            _due = _shard.Environment.Now + s_findingTime;
            Publish(CoapObserveState.Reregistering, new CoapException($"The observation of {Target} met an unexpected error: {exception.Message}", exception));
        }
    }

    private void StopTransmission()
    {
        if (_transmission is { } transmission)
        {
            _transmission = null;
            _mayBeRegistered |= transmission.Attempts > 0;
            if (!transmission.IsOver)
            {
                _port.Stop(transmission);
            }
        }
    }

    private void CloseStanding()
    {
        if (_standing is { } standing)
        {
            _standing = null;
            _port.Close(standing);
        }
    }

    // Not under a lock: the source may be a user's.
    private double Chance() => Environment.Random.NextDouble();
}
