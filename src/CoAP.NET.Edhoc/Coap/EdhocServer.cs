using CoAP.NET.Edhoc.Coap;

namespace CoAP.NET.Edhoc;

/// <summary>
/// EDHOC over CoAP, on the side of the server (RFC 9528 appendix A.2): the Responder, or the Initiator where the client wants it so
/// (<see cref="EdhocServerOptions.ReverseMethod"/>). Map it with <see cref="EdhocMapping.MapEdhoc"/>. Bounded for strangers: nothing is
/// computed for a client before it has shown that it receives at its address, and sessions are shared among sources, with a deadline.
/// Thread-safe. Dispose it after the server.
/// </summary>
public sealed class EdhocServer : IDisposable
{
    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(5);

    private readonly EdhocServerOptions _options;
    private readonly EdhocOwnCredential[] _credentials;
    private readonly ServerCounts _counts = new();
    private readonly PendingSessions _sessions;

    /// <summary>Makes a server.</summary>
    /// <param name="options">How it works.</param>
    /// <exception cref="ArgumentException">There is no credential.</exception>
    public EdhocServer(EdhocServerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (options.Credentials.Count == 0)
        {
            throw new ArgumentException("Name one credential at least, by which the server authenticates.", nameof(options));
        }

        (_options, _credentials) = (options, [.. options.Credentials]);
        _sessions = new PendingSessions(options, _counts);
    }

    /// <summary>The longest request that is read, in bytes.</summary>
    internal int MaxRequestSize => _options.Settings.MaxMessageSize + _options.Settings.MaxConnectionIdLength + 3;

    /// <summary>Whether clients may have the server be the Initiator.</summary>
    internal bool IsReversible => _options.ReverseMethod is not null;

    /// <summary>What the server has done so far.</summary>
    /// <returns>The numbers at this moment.</returns>
    public EdhocServerCounters GetCounters() => new()
    {
        Sessions = _sessions.Count,
        Begun = _counts[ServerCount.Begun],
        Established = _counts[ServerCount.Established],
        Failed = _counts[ServerCount.Failed],
        Abandoned = _counts[ServerCount.Abandoned],
        Challenges = _counts[ServerCount.Challenges],
        Busy = _counts[ServerCount.Busy],
        Refused = _counts[ServerCount.Refused],
    };

    /// <summary>Answers a request. What <see cref="EdhocMapping.MapEdhoc"/> maps.</summary>
    /// <param name="request">The request as it was received.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answer.</returns>
    /// <exception cref="InvalidOperationException">The request was not received but made to be sent.</exception>
    public async ValueTask<CoapResult> HandleAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        CoapPeer peer = request.Peer;
        if (request.ContentFormat is { } format && format != CoapContentFormat.CidEdhocCborSequence)
        {
            return CoapResults.UnsupportedContentFormat("Messages of EDHOC come as application/cid-edhoc+cbor-seq (65).");
        }

        if (_options.RequireVerified && request.Channel is { IsReliable: false, IsVerified: false })
        {
            _counts.Add(ServerCount.Challenges);
            return CoapResults.FreshnessRequired();
        }

        try
        {
            if (request.Payload.IsEmpty)
            {
                return BeginReverse(peer.Source);
            }

            ReadOnlyMemory<byte> message = RequestPayload.Read(request.Payload, out byte[]? identifier);
            return identifier is null
                ? Begin(peer.Source, message)
                : await ContinueAsync(request, identifier, message, cancellationToken).ConfigureAwait(false);
        }
        catch (EdhocException exception)
        {
            // An error is not answered by another one (RFC 9528 section 6).
            return exception.IsOfPeer ? CoapResults.Changed() : Refusal(exception);
        }
    }

    /// <summary>
    /// Processes message_3 of a request that has OSCORE's ciphertext as well (RFC 9668 section 3.3.1, steps 1 to 5): splits the payload,
    /// finds the session by the kid, and establishes it. What is left is verified by OSCORE with the context that
    /// <see cref="EdhocServerOptions.Established"/> made, and the answer is protected by it.
    /// </summary>
    /// <param name="request">The request, with the EDHOC option.</param>
    /// <param name="kid">The kid of its OSCORE option, which is C_R.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>What OSCORE has to verify, or the answer to a request that failed; that one is not protected.</returns>
    internal async ValueTask<(ReadOnlyMemory<byte> Ciphertext, CoapResult? Refusal)> EstablishAsync(
        CoapRequest request, ReadOnlyMemory<byte> kid, CancellationToken cancellationToken)
    {
        try
        {
            ReadOnlyMemory<byte> message = CombinedPayload.Read(request.Payload, out ReadOnlyMemory<byte> ciphertext);
            if (_options.SendsMessage4)
            {
                throw new EdhocException("This server sends message_4, which a request together with OSCORE has no answer for.");
            }

            await ContinueAsync(request, kid.ToArray(), message, cancellationToken).ConfigureAwait(false);
            return (ciphertext, null);
        }
        catch (EdhocException exception)
        {
            return (default, Refusal(exception));
        }
    }

    /// <summary>Ends all sessions that are under way, and wipes their keys. Credentials are not disposed.</summary>
    public void Dispose() => _sessions.Dispose();

    private static CoapResult Refusal(EdhocException exception) =>
        new(CoapCode.BadRequest, exception.ToMessage(), CoapContentFormat.EdhocCborSequence);

    private static CoapResult Message(byte[] message) => CoapResults.Changed(new CoapContent(message, CoapContentFormat.EdhocCborSequence));

    private CoapResult Begin(CoapSource source, ReadOnlyMemory<byte> message)
    {
        EdhocResponder responder = new(_options.Settings, _credentials);
        try
        {
            responder.ReadMessage1(message);
        }
        catch (EdhocException)
        {
            _counts.Add(ServerCount.Refused);
            throw;
        }

        return Enter(source, responder.PeerConnectionId, responder, session => responder.CreateMessage2(session.Id));
    }

    private CoapResult BeginReverse(CoapSource source)
    {
        if (_options.ReverseMethod is not { } method)
        {
            _counts.Add(ServerCount.Refused);
            throw new EdhocException("The server is the Responder only: send message_1.");
        }

        PendingSession? session = _sessions.TryEnter(source, default);
        if (session is null)
        {
            return Busy();
        }

        return Start(session, () =>
        {
            EdhocInitiator initiator = new(_options.Settings, method, _credentials, session.Id);
            return (initiator, initiator.CreateMessage1());
        });
    }

    private CoapResult Enter(
        CoapSource source, ReadOnlyMemory<byte> peerId, IDisposable machine, Func<PendingSession, byte[]> answer) =>
        _sessions.TryEnter(source, peerId) is { } session ? Start(session, () => (machine, answer(session))) : Busy();

    private CoapResult Start(PendingSession session, Func<(IDisposable Machine, byte[] Message)> begin)
    {
        try
        {
            _counts.Add(ServerCount.Begun);
            (IDisposable machine, byte[] message) = begin();
            _sessions.Wait(session, machine);
            return Message(message);
        }
        catch (EdhocException)
        {
            // The place stays taken: the work was done.
            _counts.Add(ServerCount.Failed);
            throw;
        }
    }

    private CoapResult Busy()
    {
        _counts.Add(ServerCount.Busy);
        return CoapResults.ServiceUnavailable(s_retryAfter);
    }

    private async ValueTask<CoapResult> ContinueAsync(
        CoapRequest request, byte[] identifier, ReadOnlyMemory<byte> message, CancellationToken cancellationToken)
    {
        PendingSession? session = _sessions.Take(identifier, request.Peer.Source, out IDisposable? machine);
        if (session is null)
        {
            _counts.Add(ServerCount.Refused);
            throw new EdhocException("No session waits for this message.");
        }

        using (machine)
        {
            try
            {
                CoapResult result = machine is EdhocResponder responder
                    ? await FinishAsync(request, session, responder, message, cancellationToken).ConfigureAwait(false)
                    : await FinishAsync(request, session, (EdhocInitiator)machine!, message, cancellationToken).ConfigureAwait(false);
                _counts.Add(ServerCount.Established);
                _sessions.Complete(session);
                return result;
            }
            catch
            {
                _counts.Add(ServerCount.Failed);
                throw;
            }
        }
    }

    private async ValueTask<CoapResult> FinishAsync(
        CoapRequest request, PendingSession pending, EdhocResponder responder, ReadOnlyMemory<byte> message,
        CancellationToken cancellationToken)
    {
        EdhocClaim claim = responder.ReadMessage3(message);
        using EdhocSession session = responder.Complete(await FindAsync(pending, claim, cancellationToken).ConfigureAwait(false));
        byte[]? last = _options.SendsMessage4 ? responder.CreateMessage4() : null;
        await TellAsync(session, request, cancellationToken).ConfigureAwait(false);
        return last is null ? CoapResults.Changed() : Message(last);
    }

    private async ValueTask<CoapResult> FinishAsync(
        CoapRequest request, PendingSession pending, EdhocInitiator initiator, ReadOnlyMemory<byte> message,
        CancellationToken cancellationToken)
    {
        EdhocClaim claim = initiator.ReadMessage2(message);
        byte[] answer = initiator.CreateMessage3(await FindAsync(pending, claim, cancellationToken).ConfigureAwait(false));
        using EdhocSession session = initiator.Session;
        await TellAsync(session, request, cancellationToken).ConfigureAwait(false);
        return Message(answer);
    }

    private ValueTask TellAsync(EdhocSession session, CoapRequest request, CancellationToken cancellationToken) =>
        _options.Established is { } established ? established(session, request, cancellationToken) : ValueTask.CompletedTask;

    private async ValueTask<IReadOnlyList<EdhocCredential>> FindAsync(
        PendingSession pending, EdhocClaim claim, CancellationToken cancellationToken)
    {
        ValueTask<IReadOnlyList<EdhocCredential>> finding = _options.Trust.FindAsync(claim, cancellationToken);
        if (finding.IsCompletedSuccessfully)
        {
            return finding.Result;
        }

        long left = pending.Deadline - _options.TimeProvider.GetTimestamp();
        TimeSpan time = TimeSpan.FromSeconds((double)left / _options.TimeProvider.TimestampFrequency);
        if (time <= TimeSpan.Zero)
        {
            throw new EdhocException("The session took too long.");
        }

        try
        {
            return await finding.AsTask().WaitAsync(time, _options.TimeProvider, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException exception)
        {
            throw new EdhocException("Looking up the credential took too long.", exception);
        }
    }
}
