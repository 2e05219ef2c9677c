using CoAP.NET.Errors;
using CoAP.NET.Exchanges;
using CoAP.NET.RequestSteps;

namespace CoAP.NET.Observing.Client;

/// <summary>
/// The registration of an observation (RFC 7641 sections 3.1 to 3.3 and 3.6; over connections RFC 8323 section 7): finds the peer,
/// registers, registers again after failures and after Max-Age, and cancels. Used only on the thread that processes its events; the
/// caller must hold no lock.
/// </summary>
/// <remarks>
/// <see cref="Phase"/> says where the registration is, and <see cref="Become"/> makes each transition, with the time that ends the phase.
/// <see cref="MayFollow"/> is the table of them; docs/life-of-an-observation.md has it with the phases. The states that users see
/// (<see cref="CoapObserveState"/>) say what is known of the resource; an observation publishes them beside the phase.
/// </remarks>
internal sealed class ObserveClientRegistration
{
    /// <summary>The limit of a search for the peer, including connecting, if the request has no timeout.</summary>
    public static readonly TimeSpan SearchTime = TimeSpan.FromMinutes(2);

    // The search applies the limit itself; this is for a lost search.
    private static readonly long s_findingTime = (SearchTime + TimeSpan.FromSeconds(10)).Ticks;

    private readonly ClientObservation _observation;
    private readonly ClientObservations _all;
    private readonly ClientObservationContext _context;
    private readonly ReplaceableObservationTask<IReadOnlyList<CoapChannel>> _search;
    private readonly ObserveReregistrationSchedule _times;

    private long _sentAt = long.MinValue;
    private bool _isAcknowledged;

    public ObserveClientRegistration(ClientObservation observation, ClientObservations all, ClientObservationContext context)
    {
        _observation = observation;
        _all = all;
        _context = context;

        // It resolves names for every registration, because the server may have moved.
        _search = new(
            observation,
            static (observation, exception) => $"{observation.Target} could not be found: {exception.Message}",
            static (observation, found, error, now) => observation.Registration.OnFound(found, error, now));
        _times = new ObserveReregistrationSchedule(observation);
        Peer = new ClientObservationPeer(observation, context);
        Body = new(
            observation,
            static (observation, exception) =>
                $"The rest of a notification of {observation.Target} could not be fetched: {exception.Message}",
            static (observation, response, error, now) => observation.Notifications.OnBody(response, error, now));
    }

    /// <summary>The phase of the registration.</summary>
    public RegistrationPhase Phase { get; private set; }

    /// <summary>The peer, with the token and the message that is under way.</summary>
    public ClientObservationPeer Peer { get; }

    /// <summary>The token towards the server; null if there is none.</summary>
    public MultiResponseToken? MultiResponseToken => Peer.MultiResponseToken;

    /// <summary>The time of the next call of <see cref="OnDue"/>, in units of 100 ns.</summary>
    public long DueAt { get; private set; } = long.MaxValue;

    /// <summary>The last representation.</summary>
    public ObservedRepresentation Representation { get; } = new();

    /// <summary>
    /// The fetch of the rest of a large notification (RFC 7959 section 2.6): the notification carries the first block; separate requests
    /// fetch the rest. A newer notification restarts the fetch, so that no representation is assembled from two.
    /// </summary>
    public ReplaceableObservationTask<CoapResponse> Body { get; }

    /// <summary>The Echo that the server requested for the next registration (RFC 9175 section 2.3); null for none.</summary>
    public ReadOnlyMemory<byte>? Echo { get; set; }

    /// <summary>The number of answered challenges since the start of the registration.</summary>
    public int Challenges { get; set; }

    /// <summary>Whether a registration, or the fetch of the first representation, is running.</summary>
    public bool IsTrying => Phase is RegistrationPhase.Finding or RegistrationPhase.Registering || Body.IsRunning;

    // Whether nothing registers it again.
    private bool IsEnding => IsEnd(Phase);

    private ObservationTarget Target => _observation.Target;

    private CoapTransmissionParameters Parameters => Peer.Parameters;

    /// <summary>Returns whether a registration can enter another phase: the table of its transitions.</summary>
    public static bool MayFollow(RegistrationPhase next, RegistrationPhase before) => next switch
    {
        RegistrationPhase.Finding => !IsEnd(before) && before is not RegistrationPhase.Registering,
        RegistrationPhase.Stale => before is RegistrationPhase.Registered,

        // A response to an earlier registration may arrive at any time.
        RegistrationPhase.Registering or RegistrationPhase.Registered or RegistrationPhase.Waiting or RegistrationPhase.Cancelling
            => !IsEnd(before),
        RegistrationPhase.Over => before is not (RegistrationPhase.Over or RegistrationPhase.Released),
        RegistrationPhase.Released => before is not RegistrationPhase.Released,
        _ => false,
    };

    /// <summary>Searches the peer, and registers there.</summary>
    public void Find(long now)
    {
        Become(RegistrationPhase.Finding, now + Math.Max(s_findingTime, Target.Timeout?.Ticks + TimeSpan.TicksPerSecond ?? 0));
        Challenges = 0;
        ObservationSnapshot snapshot = _observation.Snapshot;
        if (snapshot.State is not (CoapObserveState.Registering or CoapObserveState.NotObserving))
        {
            _observation.Publish(CoapObserveState.Reregistering, snapshot.Error);
        }

        ValueTask<IReadOnlyList<CoapChannel>> found = _context.FindAsync(Target, _search.Start());
        if (found.IsCompletedSuccessfully)
        {
            _search.Finish();
            Register(Peer.Choose(found.Result), now);
        }
        else
        {
            _search.Await(found);
        }
    }

    /// <summary>Takes over a registration of an earlier process; without a previous notification, it registers with the same
    /// token.</summary>
    public void Resume(CoapChannel channel, CoapToken token, CoapNotificationPosition? heard, long now)
    {
        if (!Peer.TryAdopt(channel, token))
        {
            _all.Abandon(_observation);
            End(CoapObserveState.Failed, RequestErrors.TokenInUse(token, channel.ToString()));
        }
        else if (heard is null)
        {
            Register(MultiResponseToken!.Channel, now);
        }
        else
        {
            _sentAt = Representation.Resume(heard, _observation.Environment.TimeProvider.GetUtcNow(), now);
            BecomeRegistered(_sentAt);
            _observation.Publish(CoapObserveState.Observing);
        }
    }

    /// <summary>
    /// Returns what another process needs to take over the observation; null if none can: registrations end with a connection (RFC 8323
    /// section 3.4), and notifications within OSCORE are bound to numbers of this process.
    /// </summary>
    public CoapExportedObservation? Export(long now)
    {
        if (IsEnding || MultiResponseToken is not { } standing
            || standing.Channel is not { IsReliable: false, Carried: null } channel)
        {
            return null;
        }

        CoapMessage request = Target.Compose(ObserveOption.RegisterValue, standing.Token);
        CoapNotificationPosition? heard = Phase is RegistrationPhase.Registered or RegistrationPhase.Stale
            ? Representation.Heard(_observation.Environment.TimeProvider.GetUtcNow(), now)
            : null;
        if (channel.IsConnection)
        {
            return channel.Connection!.DurableId.IsEmpty ? null
                : new CoapExportedObservation(CoapPeer.Of(channel), request) { Heard = heard };
        }

        CoapUri server = Target.Uri is { } uri && Target.Peer is null ? uri : CoapUri.FromString(channel.ToString());
        return new CoapExportedObservation(server, request)
        {
            Address = channel.Remote.ToIPEndPoint(),
            Heard = heard,
        };
    }

    /// <summary>Handles the possible end of a wait.</summary>
    public void OnDue(long now)
    {
        if (now < DueAt)
        {
            return;
        }

        DueAt = long.MaxValue;
        switch (Phase)
        {
            case RegistrationPhase.Stale:
            case RegistrationPhase.Waiting:
                Find(now);
                break;
            case RegistrationPhase.Registered:
                BecomeStale(now);
                break;
            case RegistrationPhase.Finding:
                _search.Cancel();
                Fail(new CoapException($"{Target} could not be found or connected in time."), now);
                break;
            case RegistrationPhase.Registering when Target.Timeout is null && !Peer.WaitsInVain(now) && Peer.IsInProgress:
                // It waits in the queue after other messages to the peer, or did so; its result will be reported.
                DueAt = now + Parameters.MaxTransmitWait.Ticks;
                break;
            case RegistrationPhase.Registering:
                Peer.TriesNext = true;
                bool isInVain = Peer.WaitsInVain(now);
                TimeoutFacts facts = RequestTimeouts.Over(
                    Peer.Transmission!, _isAcknowledged, new ClientRequestTimeLimit(Target.Timeout), isInVain);
                Fail(new CoapTimeoutException(facts, Target.Message.Code, MultiResponseToken!.Channel.ToString()), now);
                break;
            case RegistrationPhase.Cancelling:
                Free();
                break;
            default:
                break;
        }
    }

    /// <summary>Handles another reader of the observation: the previous ones may not have wanted another registration; now one
    /// may.</summary>
    public void OnReadersChanged(long now)
    {
        if (Phase == RegistrationPhase.Stale && DueAt == long.MaxValue && _observation.Reregistration.IsEnabled)
        {
            Find(now);
        }
    }

    /// <summary>Registers again now. The caller has a reason to expect success.</summary>
    public void Refresh(long now)
    {
        if (Phase is RegistrationPhase.Registered or RegistrationPhase.Stale or RegistrationPhase.Waiting)
        {
            _times.Reset();
            Find(now);
        }
    }

    public void Register(CoapChannel channel, long now)
    {
        Peer.Stop();
        if (MultiResponseToken is not { } standing || !Peer.IsAt(channel))
        {
            // Another peer needs another token.
            Body.Cancel();
            standing = Peer.Open(channel);
            Representation.ForgetNumber();
            Representation.Stored = null;
            Echo = null;
        }

        if (_sentAt != long.MinValue)
        {
            _observation.Environment.Counters.Add(CoapCounter.Reregistrations);
        }

        CoapMessage message = Target.Compose(ObserveOption.RegisterValue, standing);
        if (Representation.Stored?.Options.ETag is { } tag)
        {
            message.Options.ETag = tag;
        }

        if (Echo is not null)
        {
            message.Options.Echo = Echo;
        }
        else if (PeerRequestStepState.Of(standing.Channel)?.TakeEchoToReturn() is { } owed)
        {
            message.Options.Echo = owed;
        }

        // A message on a connection counts as delivered: only the response is awaited.
        _isAcknowledged = channel.IsReliable;
        Representation.OnSent();
        _sentAt = now;
        TimeSpan time = Target.Timeout
            ?? (_isAcknowledged ? ObserveReregistrationSchedule.ResponseTime(Parameters)
            : message.Type == CoapMessageType.Confirmable ? Parameters.MaxTransmitWait
            : Parameters.ResponseTimeout ?? Parameters.NonLifetime);
        Become(RegistrationPhase.Registering, now + (time == Timeout.InfiniteTimeSpan ? Parameters.MaxTransmitWait : time).Ticks);
        Send(message, now);
    }

    /// <summary>Handles the result of a registration or cancellation message.</summary>
    public void OnTransmission(in ClientObservationInput happened, long now)
    {
        if (happened.Transmission != Peer.Transmission
            || Phase is RegistrationPhase.Over or RegistrationPhase.Released or RegistrationPhase.Waiting)
        {
            return;
        }

        string peer = MultiResponseToken!.Channel.ToString();
        switch (happened.TransmissionEnd)
        {
            case CoapInboundKind.Reset when Phase == RegistrationPhase.Cancelling:
                // The server does not know such an observation.
                Free();
                break;
            case var _ when Phase == RegistrationPhase.Cancelling:
                // Its time for late notifications is not over: rejecting them cancels it too (RFC 7641 section 3.6).
                break;
            case CoapInboundKind.Acknowledged:
                _isAcknowledged = true;
                if (Phase == RegistrationPhase.Registering && Target.Timeout is null)
                {
                    DueAt = now + ObserveReregistrationSchedule.ResponseTime(Parameters).Ticks;
                }

                break;
            case CoapInboundKind.Reset:
                Fail(RequestErrors.Reset(peer), now, clearsRegistration: true);
                break;
            case CoapInboundKind.Unreachable when Peer.Next() is { } next:
                Register(next, now);
                break;
            case CoapInboundKind.Unreachable:
                Fail(RequestErrors.Unreachable(peer), now, clearsRegistration: true);
                break;
            case CoapInboundKind.NotSent:
                Fail(RequestErrors.Busy(peer, Parameters.MaxQueuedRequests), now);
                break;
            case CoapInboundKind.NotAcknowledged when Phase is RegistrationPhase.Registered or RegistrationPhase.Stale:
                // Notifications arrived since it was sent, so the server has the observer: some devices answer with separate messages and
                // acknowledge nothing.
                Peer.Forget();
                break;
            default:
                Peer.TriesNext = true;
                Fail(RequestTimeouts.GivenUp(Peer.Transmission!), now);
                break;
        }
    }

    public void OnRejected(MultiResponseToken request, CoapException error, long now)
    {
        if (request == MultiResponseToken && Phase != RegistrationPhase.Cancelling)
        {
            Fail(error, now);
        }
    }

    /// <summary>Handles the end of the connection to the peer, and with it of the registration (RFC 8323 section 7.4).</summary>
    public void OnDisconnected(MultiResponseToken request, CoapConnectionException reason, long now)
    {
        if (request != MultiResponseToken)
        {
            return;
        }

        switch (Phase)
        {
            case RegistrationPhase.Cancelling:
                // The server forgot us with the connection.
                Free();
                break;
            case RegistrationPhase.Registering or RegistrationPhase.Registered or RegistrationPhase.Stale:
                Peer.Lose();
                Representation.ForgetNumber();
                Fail(reason, now, clearsRegistration: true);
                break;
            case RegistrationPhase.Finding or RegistrationPhase.Waiting:
                // The current step continues, and finds another connection.
                Body.Cancel();
                Peer.Lose();
                Representation.ForgetNumber();
                break;
            default:
                break;
        }
    }

    /// <summary>Marks the observation as registered: the state is current for one Max-Age.</summary>
    /// <param name="heardAt">The time of the notification, in units of 100 ns.</param>
    public void BecomeRegistered(long heardAt)
    {
        // On a connection each end detects the loss of the other, so Max-Age needs no new registration (RFC 8323 section 7.3). A DTLS
        // session detects nothing: a crashed server has forgotten session and registration, and sends nothing.
        Become(RegistrationPhase.Registered,
            MultiResponseToken is { Channel.IsReliable: true } ? long.MaxValue : heardAt + Representation.MaxAge.Ticks);
        _times.Reset();
        Echo = null;
        Challenges = 0;
        Peer.MayBeRegistered = true;
    }

    /// <summary>
    /// Handles a server that answers without notifying. It gets another request when the response is no longer current, and then at growing
    /// intervals.
    /// </summary>
    public void BecomeUnregistered(CoapResponse response, long now)
    {
        Become(RegistrationPhase.Waiting, _times.After(now, _sentAt, response.MaxAge + TimeSpan.FromTicks(_times.Timeout())));
    }

    /// <summary>Handles a failure: registers again after a delay, unless no reader wants it.</summary>
    /// <param name="error">The reason.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="leastWait">The minimum delay that the server requested.</param>
    /// <param name="clearsRegistration">Whether the server certainly no longer has the registration.</param>
    /// <param name="response">The error response; null for none.</param>
    public void Fail(CoapException error, long now, TimeSpan leastWait = default, bool clearsRegistration = false,
        CoapResponse? response = null)
    {
        if (IsEnding)
        {
            return;
        }

        Peer.Stop();
        Body.Cancel();
        Peer.MayBeRegistered &= !clearsRegistration;
        _observation.ReportLost(error.Message);
        if (error is CoapConnectionException { IsOfConnection: true } && Peer.IsGoneForGood)
        {
            _all.Abandon(_observation);
            End(CoapObserveState.Failed, error, response);
            return;
        }

        if (EndsFor(CoapObserveState.Failed, error, response))
        {
            return;
        }

        Become(RegistrationPhase.Waiting, error is CoapConnectionException { IsOfConnection: true } lost
            ? _times.AfterConnection(lost, now, _sentAt)
            : _times.After(now, _sentAt, leastWait));

        // It is unknown whether the state from before the end of the connection is still current.
        bool isStale = error is CoapConnectionException { IsOfConnection: true } && _observation.Snapshot.Latest is not null;
        _observation.Publish(isStale ? CoapObserveState.Stale : CoapObserveState.Reregistering, error, response);
    }

    /// <summary>Ends the observation if no reader wants it to be registered again.</summary>
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

    public void End(CoapObserveState state, CoapException? error, CoapResponse? response = null)
    {
        if (Phase is RegistrationPhase.Over or RegistrationPhase.Released)
        {
            return;
        }

        _search.Cancel();
        Peer.Stop();
        Body.Cancel();
        Peer.Close();
        Become(RegistrationPhase.Over);
        _observation.Publish(state, error, response, isOver: true);
    }

    /// <summary>
    /// Ends the observation after its last reader: deregisters (RFC 7641 section 3.6), unless another process takes it over.
    /// </summary>
    public void Cancel(bool isLeft, long now)
    {
        _search.Cancel();
        Body.Cancel();
        Peer.Stop();
        _observation.StopCounting();
        if (Phase == RegistrationPhase.Over || MultiResponseToken is not { } standing || !Peer.MayBeRegistered)
        {
            Free();
            return;
        }

        // The token stays until the server has confirmed the end, or none of its earlier messages can arrive any more.
        Become(RegistrationPhase.Cancelling, now + Parameters.ExchangeLifetime.Ticks);
        standing.Notifications = isLeft ? NotificationHandling.Ignore : NotificationHandling.Reject;
        if (isLeft)
        {
            return;
        }

        CoapMessage message = Target.Compose(ObserveOption.DeregisterValue, standing);
        message.Type = CoapMessageType.Confirmable;
        Send(message, now);
    }

    /// <summary>Completes the cancellation.</summary>
    public void Free()
    {
        if (Phase == RegistrationPhase.Released)
        {
            return;
        }

        Peer.Stop();
        Peer.Close();
        Become(RegistrationPhase.Released);
        Representation.Stored = null;
        _all.Release();
    }

    /// <summary>
    /// Continues after an exception: an error of this library, or a user's clock, random source or resolver that threw where it must not.
    /// </summary>
    public void Recover(Exception exception)
    {
        if (!IsEnding)
        {
            Become(RegistrationPhase.Waiting, _observation.Environment.Now + s_findingTime);
            _observation.Publish(
                CoapObserveState.Reregistering,
                new CoapException($"The observation of {Target} had an unexpected error: {exception.Message}", exception));
        }
    }

    // The end of the search for the peer.
    private void OnFound(IReadOnlyList<CoapChannel>? found, CoapException? error, long now)
    {
        if (Phase == RegistrationPhase.Finding)
        {
            if (found is not null)
            {
                Register(Peer.Choose(found), now);
            }
            else
            {
                Fail(error!, now);
            }
        }
    }

    private void BecomeStale(long now)
    {
        if (_observation.Snapshot is { Latest: not null } or { State: CoapObserveState.Observing })
        {
            _observation.Publish(CoapObserveState.Stale);
        }

        Become(RegistrationPhase.Stale, _observation.Reregistration is { IsEnabled: true } rule
            ? Math.Max(now + _times.Timeout(), _sentAt + rule.MinimumInterval.Ticks)
            : long.MaxValue);
    }

    private static bool IsEnd(RegistrationPhase phase) =>
        phase is RegistrationPhase.Cancelling or RegistrationPhase.Over or RegistrationPhase.Released;

    private void Become(RegistrationPhase next, long dueAt = long.MaxValue)
    {
        Phase = MayFollow(next, Phase) ? next
            : throw new InvalidOperationException($"A registration that is {Phase} cannot become {next}.");
        DueAt = dueAt;
    }

    private void Send(CoapMessage message, long now)
    {
        if (Peer.Send(message) is { } error && Phase != RegistrationPhase.Cancelling)
        {
            Fail(error, now);
        }
    }
}
