using CoAP.NET.Exchanges;
using CoAP.NET.Options;

namespace CoAP.NET.Observing;

/// <summary>
/// The registration of an observation (RFC 7641 sections 3.1 to 3.3 and 3.6; over connections RFC 8323 section 7): finds the peer,
/// registers, registers again after failures and when Max-Age is over,
/// and cancels. Belongs to whoever is busy with the observation; no lock may be held.
/// </summary>
internal sealed class ClientRegistration
{
    /// <summary>How long a search for the peer may take, with connecting to it, where the request gave no time.</summary>
    public static readonly TimeSpan SearchTime = TimeSpan.FromMinutes(2);

    // Whoever searches keeps that time; this is for a search that is lost.
    private static readonly long s_findingTime = (SearchTime + TimeSpan.FromSeconds(10)).Ticks;

    private readonly ClientObservation _observation;
    private readonly ClientObservations _all;
    private readonly PeerSearch _search;
    private readonly RegistrationRetries _retries;
    private readonly RegistrationAtPeer _peer;

    private long _sentAt = long.MinValue;
    private bool _isAcknowledged;
    private bool _isStale;
    private bool _isReleased;

    public ClientRegistration(ClientObservation observation, ClientObservations all, ObservationPort port)
    {
        _observation = observation;
        _all = all;
        _search = new PeerSearch(observation, port);
        _retries = new RegistrationRetries(observation);
        _peer = new RegistrationAtPeer(observation, port);
        Body = new BodyFetch(observation, port);
    }

    public RegistrationPhase Phase { get; private set; }

    /// <summary>The token towards the server; null when there is none.</summary>
    public StandingRequest? Standing => _peer.Standing;

    /// <summary>When <see cref="OnDue"/> is to be called, in units of 100 ns.</summary>
    public long DueAt { get; private set; } = long.MaxValue;

    /// <summary>What came last.</summary>
    public ObservedRepresentation Representation { get; } = new();

    /// <summary>The fetch of what a notification leaves out.</summary>
    public BodyFetch Body { get; }

    /// <summary>The Echo that the server asked for and the next registration carries (RFC 9175 section 2.3); null for none.</summary>
    public ReadOnlyMemory<byte>? Echo { get; set; }

    /// <summary>How many challenges were answered since the registration was begun.</summary>
    public int Challenges { get; set; }

    /// <summary>Whether a registration is under way, or the rest of a representation, without which there is nothing to show yet.</summary>
    public bool IsTrying => Phase is RegistrationPhase.Finding or RegistrationPhase.Registering || Body.IsUnderWay;

    private ObservationTarget Target => _observation.Target;

    private CoapTransmissionParameters Parameters => _peer.Parameters;

    /// <summary>Whether a message is the one whose answer is waited for.</summary>
    public bool IsCurrent(CoapTransmission? transmission) => transmission == _peer.Transmission;

    /// <summary>Looks for the peer, and registers there.</summary>
    public void Find(long now)
    {
        Phase = RegistrationPhase.Finding;
        Challenges = 0;
        DueAt = now + Math.Max(s_findingTime, Target.Timeout?.Ticks + TimeSpan.TicksPerSecond ?? 0);
        ObservationSnapshot snapshot = _observation.Snapshot;
        if (snapshot.State is not (CoapObserveState.Registering or CoapObserveState.NotObserving))
        {
            _observation.Publish(CoapObserveState.Reregistering, snapshot.Error);
        }

        if (_search.Begin() is { } found)
        {
            Register(_search.Choose(found, Standing), now);
        }
    }

    /// <summary>Goes on with a registration of a process before; where nothing was heard of it, makes it with its token.</summary>
    public void Adopt(AdoptedRegistration adopted, long now)
    {
        if (!_peer.TryAdopt(adopted))
        {
            _all.Abandon(_observation);
            End(CoapObserveState.Failed, new CoapTokenInUseException(adopted.Token, adopted.Channel.ToString()));
        }
        else if (adopted.Heard is null)
        {
            Register(Standing!.Channel, now);
        }
        else
        {
            _sentAt = Representation.Adopt(adopted.Heard, _observation.Environment.TimeProvider.GetUtcNow(), now);
            BecomeRegistered(_sentAt);
            _observation.Publish(CoapObserveState.Observing);
        }
    }

    /// <summary>The search for the peer has ended.</summary>
    public void OnFound(in ObservationEvent happened, long now)
    {
        if (Phase != RegistrationPhase.Finding || !_search.IsCurrent(happened))
        {
            return;
        }

        if (happened.Found is { } found)
        {
            Register(_search.Choose(found, Standing), now);
        }
        else
        {
            Fail(happened.Error!, now);
        }
    }

    /// <summary>The time of what is waited for may be over.</summary>
    public void OnDue(long now)
    {
        if (now < DueAt)
        {
            return;
        }

        DueAt = long.MaxValue;
        switch (Phase)
        {
            case RegistrationPhase.Registered when _isStale:
            case RegistrationPhase.Waiting:
                Find(now);
                break;
            case RegistrationPhase.Registered:
                BecomeStale(now);
                break;
            case RegistrationPhase.Finding:
                _search.Cancel();
                Fail(new CoapException($"{Target} could not be found or connected to in time."), now);
                break;
            case RegistrationPhase.Registering when Target.Timeout is null && !_peer.WaitsInVain(now) && _peer.IsUnderWay:
                // It waits for its turn behind other messages to the peer, or did so; what becomes of it will be told.
                DueAt = now + Parameters.MaxTransmitWait.Ticks;
                break;
            case RegistrationPhase.Registering:
                _search.TriesNext = true;
                bool isInVain = _peer.WaitsInVain(now);
                TimeoutFacts facts = ExchangeTimes.Over(_peer.Transmission!, _isAcknowledged, new RequestTime(Target.Timeout), isInVain);
                Fail(new CoapTimeoutException(facts, Target.Message.Code, Standing!.Channel.ToString()), now);
                break;
            case RegistrationPhase.Cancelling:
                Free();
                break;
            default:
                break;
        }
    }

    /// <summary>
    /// Another one shares the observation: those who were there may not have wanted it to be registered again; now somebody may.
    /// </summary>
    public void OnReadersChanged(long now)
    {
        if (_isStale && Phase == RegistrationPhase.Registered && DueAt == long.MaxValue && _observation.Reregistration.IsEnabled)
        {
            Find(now);
        }
    }

    /// <summary>Registers again now. Whoever asks for it has a reason to believe that it goes well now.</summary>
    public void Refresh(long now)
    {
        if (Phase is RegistrationPhase.Registered or RegistrationPhase.Waiting)
        {
            _retries.Reset();
            Find(now);
        }
    }

    /// <summary>Registers with a peer.</summary>
    public void Register(CoapChannel channel, long now)
    {
        _peer.Stop();
        if (Standing is not { } standing || !_peer.IsAt(channel))
        {
            // Another peer: another token.
            Body.Cancel();
            standing = _peer.Open(channel);
            Representation.ForgetNumber();
            Representation.Stored = null;
            Echo = null;
        }

        if (_sentAt != long.MinValue)
        {
            _observation.Environment.Counters.Add(CoapCounter.Reregistrations);
        }

        CoapMessage message = Target.Compose(Observe.RegisterValue, standing);
        if (Representation.Stored?.Options.ETag is { } tag)
        {
            message.Options.ETag = tag;
        }

        if (Echo is not null)
        {
            message.Options.Echo = Echo;
        }
        else if (standing.Channel.TakeEchoToReturn() is { } owed)
        {
            message.Options.Echo = owed;
        }

        Phase = RegistrationPhase.Registering;

        // What is given to a connection counts as delivered: only the response is waited for.
        _isAcknowledged = channel.IsReliable;
        Representation.OnSent();
        _sentAt = now;
        TimeSpan time = Target.Timeout
            ?? (_isAcknowledged ? RegistrationTimes.ResponseTime(Parameters)
            : message.Type == CoapMessageType.Confirmable ? Parameters.MaxTransmitWait
            : Parameters.ResponseTimeout ?? Parameters.NonLifetime);
        DueAt = now + (time == Timeout.InfiniteTimeSpan ? Parameters.MaxTransmitWait : time).Ticks;
        Send(message, now);
    }

    /// <summary>Something became of a registration or cancellation.</summary>
    public void OnTransmission(in ObservationEvent happened, long now)
    {
        if (happened.Transmission != _peer.Transmission || Phase is RegistrationPhase.Over or RegistrationPhase.Waiting)
        {
            return;
        }

        string peer = Standing!.Channel.ToString();
        switch (happened.Fate)
        {
            case CoapInboundKind.Reset when Phase == RegistrationPhase.Cancelling:
                // The server knows of no such observation.
                Free();
                break;
            case var _ when Phase == RegistrationPhase.Cancelling:
                // Its time for late notifications is not over: they are rejected, which cancels as well (RFC 7641 section 3.6).
                break;
            case CoapInboundKind.Acknowledged:
                _isAcknowledged = true;
                if (Phase == RegistrationPhase.Registering && Target.Timeout is null)
                {
                    DueAt = now + RegistrationTimes.ResponseTime(Parameters).Ticks;
                }

                break;
            case CoapInboundKind.Reset:
                Fail(new CoapResetException(peer), now, clearsRegistration: true);
                break;
            case CoapInboundKind.Unreachable when _search.Next(Standing) is { } next:
                Register(next, now);
                break;
            case CoapInboundKind.Unreachable:
                Fail(new CoapUnreachableException(peer), now, clearsRegistration: true);
                break;
            case CoapInboundKind.NotSent:
                Fail(new CoapBusyException(peer, Parameters.MaxQueuedRequests), now);
                break;
            case CoapInboundKind.NotAcknowledged when Phase == RegistrationPhase.Registered:
                // Notifications came since it was sent, so the server has us as an observer: some devices answer by messages of their own
                // and acknowledge nothing.
                _peer.LetGo();
                break;
            default:
                _search.TriesNext = true;
                Fail(ExchangeTimes.GivenUp(_peer.Transmission!), now);
                break;
        }
    }

    /// <summary>A response with the token had to be rejected.</summary>
    public void OnRejected(StandingRequest request, CoapException error, long now)
    {
        if (request == Standing && Phase != RegistrationPhase.Cancelling)
        {
            Fail(error, now);
        }
    }

    /// <summary>The connection to the peer has ended, and with it the registration (RFC 8323 section 7.4).</summary>
    public void OnDisconnected(StandingRequest request, CoapConnectionException reason, long now)
    {
        if (request != Standing)
        {
            return;
        }

        switch (Phase)
        {
            case RegistrationPhase.Cancelling:
                // With the connection the server forgot us.
                Free();
                break;
            case RegistrationPhase.Registering or RegistrationPhase.Registered:
                _peer.Lose();
                Representation.ForgetNumber();
                Fail(reason, now, clearsRegistration: true);
                break;
            case RegistrationPhase.Finding or RegistrationPhase.Waiting:
                // What is waited for goes on, and finds another connection.
                Body.Cancel();
                _peer.Lose();
                Representation.ForgetNumber();
                break;
            default:
                break;
        }
    }

    /// <summary>The server notifies: the state is current for a Max-Age.</summary>
    /// <param name="heardAt">When it came, in units of 100 ns.</param>
    public void BecomeRegistered(long heardAt)
    {
        Phase = RegistrationPhase.Registered;
        _isStale = false;
        _retries.Reset();
        Echo = null;
        Challenges = 0;
        _peer.MayBeRegistered = true;

        // On a connection each end notices that the other is gone, so Max-Age asks for no new registration (RFC 8323 section 7.3). A
        // session of DTLS tells nothing: a server that crashed has
        // forgotten session and registration, and says no word.
        DueAt = Standing is { Channel.IsReliable: true } ? long.MaxValue : RegistrationTimes.StaleAt(heardAt, Representation.MaxAge);
    }

    /// <summary>
    /// The server answered and does not notify. It is asked again when the response is no longer current, and then ever more rarely.
    /// </summary>
    public void BecomeUnregistered(CoapResponse response, long now)
    {
        Phase = RegistrationPhase.Waiting;
        DueAt = _retries.After(now, _sentAt, response.MaxAge + TimeSpan.FromTicks(_retries.Patience()));
    }

    /// <summary>The server has us no longer, or never had.</summary>
    public void Unregister() => _peer.MayBeRegistered = false;

    /// <summary>It is not observed now. Registers again after a while, unless nobody wants that.</summary>
    /// <param name="error">Why.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="leastWait">How long the server asked to wait at least.</param>
    /// <param name="clearsRegistration">Whether the server surely has us no longer.</param>
    /// <param name="response">The error response; null for none.</param>
    public void Fail(CoapException error, long now, TimeSpan leastWait = default, bool clearsRegistration = false,
        CoapResponse? response = null)
    {
        if (Phase is RegistrationPhase.Cancelling or RegistrationPhase.Over)
        {
            return;
        }

        _peer.Stop();
        Body.Cancel();
        _peer.MayBeRegistered &= !clearsRegistration;
        Log.ObservationLost(_observation.Environment.Logger, Target, error.Message);
        if (error is CoapConnectionException && _search.IsGoneForGood)
        {
            _all.Abandon(_observation);
            End(CoapObserveState.Failed, error, response);
            return;
        }

        if (EndsFor(CoapObserveState.Failed, error, response))
        {
            return;
        }

        Phase = RegistrationPhase.Waiting;
        DueAt = error is CoapConnectionException lost
            ? _retries.AfterConnection(lost, now, _sentAt)
            : _retries.After(now, _sentAt, leastWait);

        // Of what was current until the connection ended nobody knows whether it still is.
        bool isStale = error is CoapConnectionException && _observation.Snapshot.Latest is not null;
        _observation.Publish(isStale ? CoapObserveState.Stale : CoapObserveState.Reregistering, error, response);
    }

    /// <summary>Ends the observation if nobody wants it to be registered again.</summary>
    /// <returns>Whether it has ended.</returns>
    public bool EndsFor(CoapObserveState state, CoapException? error, CoapResponse? response)
    {
        if (_observation.Reregistration.IsEnabled || !_all.TryEnd(_observation))
        {
            return false;
        }

        End(state, error, response);
        return true;
    }

    /// <summary>Ends the observation; nothing follows.</summary>
    public void End(CoapObserveState state, CoapException? error, CoapResponse? response = null)
    {
        _search.Cancel();
        _peer.Stop();
        Body.Cancel();
        _peer.Close();
        Phase = RegistrationPhase.Over;
        DueAt = long.MaxValue;
        _observation.Publish(state, error, response, isOver: true);
    }

    /// <summary>Nobody observes any more: tells the server (RFC 7641 section 3.6), unless another process goes on.</summary>
    public void Cancel(bool isLeft, long now)
    {
        _search.Cancel();
        Body.Cancel();
        _peer.Stop();
        if (Phase == RegistrationPhase.Over || Standing is not { } standing || !_peer.MayBeRegistered)
        {
            Free();
            return;
        }

        // The token stays until the server has said that it forgot us, or nothing that it sent before can come any more.
        Phase = RegistrationPhase.Cancelling;
        standing.Late = isLeft ? LateNotifications.Ignore : LateNotifications.Refuse;
        DueAt = now + Parameters.ExchangeLifetime.Ticks;
        if (isLeft)
        {
            return;
        }

        CoapMessage message = Target.Compose(Observe.DeregisterValue, standing);
        message.Type = CoapMessageType.Confirmable;
        Send(message, now);
    }

    /// <summary>The cancellation is over.</summary>
    public void Free()
    {
        _peer.Stop();
        _peer.Close();
        Phase = RegistrationPhase.Over;
        DueAt = long.MaxValue;
        Representation.Stored = null;
        if (!_isReleased)
        {
            _isReleased = true;
            _all.Release();
        }
    }

    /// <summary>
    /// Goes on after an exception: a mistake of ours, or a user's clock, source of chance or resolver that threw where none may.
    /// </summary>
    public void Recover(Exception exception)
    {
        if (Phase is not (RegistrationPhase.Cancelling or RegistrationPhase.Over))
        {
            Phase = RegistrationPhase.Waiting;
            DueAt = _observation.Environment.Now + s_findingTime;
            _observation.Publish(
                CoapObserveState.Reregistering,
                new CoapException($"The observation of {Target} met an unexpected error: {exception.Message}", exception));
        }
    }

    /// <summary>Sends no more copies of a registration.</summary>
    public void StopTransmission() => _peer.Stop();

    private void BecomeStale(long now)
    {
        _isStale = true;
        if (_observation.Snapshot is { Latest: not null } or { State: CoapObserveState.Observing })
        {
            _observation.Publish(CoapObserveState.Stale);
        }

        if (_observation.Reregistration is { IsEnabled: true } rule)
        {
            DueAt = Math.Max(now + _retries.Patience(), _sentAt + rule.MinimumInterval.Ticks);
        }
    }

    private void Send(CoapMessage message, long now)
    {
        if (_peer.Send(message) is { } error && Phase != RegistrationPhase.Cancelling)
        {
            Fail(error, now);
        }
    }
}
