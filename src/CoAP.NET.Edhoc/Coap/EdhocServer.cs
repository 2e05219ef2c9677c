using CoAP.NET.Diagnostics;
using CoAP.NET.Edhoc.Coap;
using CoAP.NET.Edhoc.Messages;
using CoAP.NET.Settings;

namespace CoAP.NET.Edhoc;

/// <summary>EDHOC over CoAP on the server's side (RFC 9528 appendix A.2).</summary>
/// <remarks>
/// The server is the Responder, or the Initiator if the client requests it (<see cref="EdhocServerOptions.ReverseMethod"/>). Map it with
/// <see cref="CoapEdhocExtensions.MapEdhoc"/>. It computes nothing for a client before the client has proved its address, and limits
/// sessions per source and by a deadline. Thread-safe. Dispose it after the CoAP server.
/// </remarks>
public sealed class EdhocServer : IDisposable
{
    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(5);

    private readonly EdhocServerOptions _options;
    private readonly EdhocOwnCredential[] _credentials;
    private readonly EventCounter<EdhocServerCounter> _counts;
    private readonly PendingSessions _sessions;
    private readonly EstablishedContexts? _contexts;
    private readonly RateLimitedLog _applicationFailures;

    /// <summary>Creates a server.</summary>
    /// <param name="options">The options.</param>
    /// <exception cref="ArgumentException">There is no credential.</exception>
    public EdhocServer(EdhocServerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (options.Credentials.Count == 0)
        {
            throw new ArgumentException("Name one credential at least, by which the server authenticates.", nameof(options));
        }

        (_options, _credentials) = (options.MakeReadOnlyFor("an EDHOC server"), [.. options.Credentials]);
        _applicationFailures = new RateLimitedLog(options.TimeProvider);
        EdhocInstruments instruments = EdhocInstruments.Of(options.MeterFactory);
        _counts = new EventCounter<EdhocServerCounter>(instruments.Add);
        _sessions = new PendingSessions(options, _counts, instruments);
        if (options.Contexts is { } contexts)
        {
            _contexts = new EstablishedContexts(contexts, options);
            contexts.KeyExchange = new CombinedRequestReceiver(this);
        }
    }

    /// <summary>Maximum length of a request in bytes.</summary>
    internal int MaxRequestSize => _options.Settings.MaxMessageSize + _options.Settings.MaxConnectionIdLength + 3;

    /// <summary>The link attributes of the resource (RFC 9668 section 6).</summary>
    internal ServerAttributes Attributes => new(_options, _credentials);

    internal EdhocServerCounters GetCounters() => new()
    {
        Sessions = _sessions.Count,
        Begun = _counts[EdhocServerCounter.Begun],
        Established = _counts[EdhocServerCounter.Established],
        Combined = _counts[EdhocServerCounter.Combined],
        Contexts = _contexts?.Count ?? 0,
        Failed = _counts[EdhocServerCounter.Failed],
        Abandoned = _counts[EdhocServerCounter.Abandoned],
        Challenges = _counts[EdhocServerCounter.Challenges],
        Busy = _counts[EdhocServerCounter.Busy],
        Refused = _counts[EdhocServerCounter.Refused],
    };

    /// <summary>Answers a request; <see cref="CoapEdhocExtensions.MapEdhoc"/> maps this method.</summary>
    /// <exception cref="InvalidOperationException">The request was created for sending, not received.</exception>
    internal async ValueTask<CoapResult> HandleAsync(CoapRequestContext request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        CoapPeer peer = request.Peer;
        if (request.ContentFormat is { } format && format != CoapContentFormat.CidEdhocCborSequence)
        {
            return CoapResults.UnsupportedContentFormat("Messages of EDHOC come as application/cid-edhoc+cbor-seq (65).");
        }

        if (_options.RequireVerified && request.Channel is { IsReliable: false, IsVerified: false })
        {
            _counts.Add(EdhocServerCounter.Challenges);
            return CoapResults.FreshnessRequired();
        }

        try
        {
            if (request.Payload.IsEmpty)
            {
                return await BeginReverseAsync(peer, cancellationToken).ConfigureAwait(false);
            }

            ReadOnlyMemory<byte> message = RequestPayload.Read(request.Payload, out byte[]? identifier);
            return identifier is null
                ? await BeginAsync(peer, message, cancellationToken).ConfigureAwait(false)
                : await ContinueAsync(peer, identifier, message, isCombined: false, cancellationToken).ConfigureAwait(false);
        }
        catch (EdhocException exception)
        {
            OnFailed(peer, exception);

            // An error message gets no error message in return (RFC 9528 section 6).
            return exception.IsOfPeer ? CoapResults.Changed() : Refusal(exception);
        }
    }

    /// <summary>
    /// Processes message_3 of a request that also contains OSCORE ciphertext (RFC 9668 section 3.3.1, steps 4 and 5): finds the session by
    /// the kid, and establishes it.
    /// </summary>
    /// <param name="peer">The sender.</param>
    /// <param name="kid">The kid of its OSCORE option, which is C_R.</param>
    /// <param name="message">message_3.</param>
    /// <exception cref="EdhocException">The message is invalid, or the peer is refused.</exception>
    internal async ValueTask EstablishAsync(CoapPeer peer, byte[] kid, ReadOnlyMemory<byte> message)
    {
        if (_options.SendsMessage4)
        {
            _counts.Add(EdhocServerCounter.Refused);
            throw new EdhocException("This server sends message_4, which a request together with OSCORE has no answer for.");
        }

        await ContinueAsync(peer, kid, message, isCombined: true, CancellationToken.None).ConfigureAwait(false);
        _counts.Add(EdhocServerCounter.Combined);
    }

    /// <summary>
    /// Ends all pending sessions, and wipes their keys. Security contexts remain, and the caller still owns the credentials.
    /// </summary>
    public void Dispose()
    {
        if (_options.Contexts is { } contexts)
        {
            contexts.KeyExchange = null;
        }

        _sessions.Dispose();
    }

    /// <summary>Handles an exception of the application's callback for a session.</summary>
    internal void OnApplicationFailed(CoapPeer peer, Exception exception)
    {
        if (_applicationFailures.IsDue(out long leftOut))
        {
            EdhocLog.ApplicationFailed(_options.Logger, exception, peer.ToString(), leftOut);
        }
    }

    /// <summary>Handles a session that failed or did not begin.</summary>
    internal void OnFailed(CoapPeer peer, EdhocException exception) =>
        EdhocLog.SessionFailed(_options.Logger, peer.ToString(), exception.Message);

    private static CoapResult Refusal(EdhocException exception) =>
        new(CoapCode.BadRequest, exception.ToMessage(), CoapContentFormat.EdhocCborSequence);

    private static CoapResult Message(byte[] message) => CoapResults.Changed(new CoapContent(message, CoapContentFormat.EdhocCborSequence));

    private async ValueTask<CoapResult> BeginAsync(CoapPeer peer, ReadOnlyMemory<byte> message, CancellationToken cancellationToken)
    {
        EdhocResponder responder = new(_options.Settings, _credentials);
        IReadOnlyList<EdhocEad> peerEad;
        try
        {
            peerEad = responder.ReadMessage1(message);
        }
        catch (EdhocException)
        {
            _counts.Add(EdhocServerCounter.Refused);
            throw;
        }

        return _sessions.TryEnter(peer.Source, responder.PeerConnectionId) is not { } session
            ? Busy(peer)
            : await StartAsync(session, responder, async () => responder.CreateMessage2(
                session.Id,
                await EadAsync(new EdhocEadRequest(2, peerEad, null), session, cancellationToken).ConfigureAwait(false)))
                .ConfigureAwait(false);
    }

    private async ValueTask<CoapResult> BeginReverseAsync(CoapPeer peer, CancellationToken cancellationToken)
    {
        if (_options.ReverseMethod is not { } method)
        {
            _counts.Add(EdhocServerCounter.Refused);
            throw new EdhocException("The server is the Responder only: send message_1.");
        }

        if (_sessions.TryEnter(peer.Source, default) is not { } session)
        {
            return Busy(peer);
        }

        EdhocInitiator initiator = new(_options.Settings, method, _credentials, session.Id);
        return await StartAsync(session, initiator, async () => initiator.CreateMessage1(
            await EadAsync(new EdhocEadRequest(1, [], null), session, cancellationToken).ConfigureAwait(false)))
            .ConfigureAwait(false);
    }

    private async ValueTask<CoapResult> StartAsync(PendingSession session, IDisposable machine, Func<ValueTask<byte[]>> answer)
    {
        bool isWaiting = false;
        try
        {
            _counts.Add(EdhocServerCounter.Begun);
            byte[] message = await answer().ConfigureAwait(false);
            _sessions.Wait(session, machine);
            isWaiting = true;
            return Message(message);
        }
        finally
        {
            if (!isWaiting)
            {
                // The session keeps its place, because the work was done.
                _counts.Add(EdhocServerCounter.Failed);
                machine.Dispose();
            }
        }
    }

    private CoapResult Busy(CoapPeer peer)
    {
        EdhocLog.Busy(_options.Logger, peer.ToString(), s_retryAfter);
        _counts.Add(EdhocServerCounter.Busy);
        return CoapResults.ServiceUnavailable(s_retryAfter);
    }

    private async ValueTask<CoapResult> ContinueAsync(
        CoapPeer peer, byte[] identifier, ReadOnlyMemory<byte> message, bool isCombined, CancellationToken cancellationToken)
    {
        PendingSession? session = _sessions.Take(identifier, peer.Source, out IDisposable? machine);
        if (session is null)
        {
            _counts.Add(EdhocServerCounter.Refused);
            EdhocException unknown = new("No session waits for this message.");
            if (!ErrorMessage.IsError(message.Span))
            {
                throw unknown;
            }

            // An error message gets no error message in return.
            OnFailed(peer, unknown);
            return CoapResults.BadRequest();
        }

        bool isWaiting = false;
        bool isEstablished = false;
        try
        {
            byte[] answer = [];
            switch (machine)
            {
                case EdhocResponder responder:
                    answer = await FinishAsync(peer, session, responder, message, cancellationToken).ConfigureAwait(false);
                    break;
                case ReverseSessionAwaitingMessage4 awaited when !isCombined:
                    using (EdhocResult established = awaited.Initiator.ReadMessage4(message))
                    {
                        await ReportAsync(established, peer, cancellationToken).ConfigureAwait(false);
                    }

                    break;
                case EdhocInitiator initiator when !isCombined:
                    answer = await AnswerSecondAsync(session, initiator, message, cancellationToken).ConfigureAwait(false);
                    if (_options.AwaitsMessage4)
                    {
                        isWaiting = true;
                        _sessions.Wait(session, new ReverseSessionAwaitingMessage4(initiator));
                        return Message(answer);
                    }

                    using (EdhocResult established = initiator.Session)
                    {
                        await ReportAsync(established, peer, cancellationToken).ConfigureAwait(false);
                    }

                    break;
                default:
                    // The client is the Responder, which sends no message_3 (RFC 9668 section 3).
                    throw new EdhocException("The session waits for another message.");
            }

            isEstablished = true;
            _counts.Add(EdhocServerCounter.Established);
            _sessions.Complete(session);
            return answer.Length == 0 ? CoapResults.Changed() : Message(answer);
        }
        finally
        {
            if (!isWaiting)
            {
                machine!.Dispose();
            }

            if (!isWaiting && !isEstablished)
            {
                _counts.Add(EdhocServerCounter.Failed);
            }
        }
    }

    private async ValueTask<byte[]> FinishAsync(
        CoapPeer peer, PendingSession pending, EdhocResponder responder, ReadOnlyMemory<byte> message, CancellationToken cancellationToken)
    {
        EdhocClaimedPeerIdentity claim = responder.ReadMessage3(message);
        using EdhocResult session = responder.Complete(await FindAsync(pending, claim, cancellationToken).ConfigureAwait(false));
        byte[] last = _options.SendsMessage4
            ? responder.CreateMessage4(
                await EadAsync(new EdhocEadRequest(4, session.PeerEad, session), pending, cancellationToken).ConfigureAwait(false))
            : [];
        await ReportAsync(session, peer, cancellationToken).ConfigureAwait(false);
        return last;
    }

    private async ValueTask<byte[]> AnswerSecondAsync(
        PendingSession pending, EdhocInitiator initiator, ReadOnlyMemory<byte> message, CancellationToken cancellationToken)
    {
        EdhocClaimedPeerIdentity claim = initiator.ReadMessage2(message);
        IReadOnlyList<EdhocCredential> candidates = await FindAsync(pending, claim, cancellationToken).ConfigureAwait(false);
        return initiator.CreateMessage3(
            candidates,
            await EadAsync(new EdhocEadRequest(3, claim.Ead, null), pending, cancellationToken).ConfigureAwait(false));
    }

    private async ValueTask ReportAsync(EdhocResult session, CoapPeer peer, CancellationToken cancellationToken)
    {
        if (_options.Established is { } established)
        {
            await established(session, peer, cancellationToken).ConfigureAwait(false);
        }

        _contexts?.Add(session);
        EdhocLog.SessionEstablished(
            _options.Logger, peer.ToString(), session.PeerIdentity, session.Method, session.CipherSuite.ToString());
    }

    private ValueTask<IReadOnlyList<EdhocEad>> EadAsync(
        EdhocEadRequest wanted, PendingSession pending, CancellationToken cancellationToken) =>
        _options.CreateEad is { } create
            ? InTimeAsync(create(wanted, cancellationToken), pending, "Making external authorization data", cancellationToken)
            : new ValueTask<IReadOnlyList<EdhocEad>>([]);

    private ValueTask<IReadOnlyList<EdhocCredential>> FindAsync(
        PendingSession pending, EdhocClaimedPeerIdentity claim, CancellationToken cancellationToken) =>
        InTimeAsync(
            _options.Trust.FindAsync(
                new EdhocClaimedPeerIdentity(claim.CredentialId, claim.Ead) { IsServer = false }, cancellationToken), pending,
            "Looking up the credential", cancellationToken);

    private async ValueTask<T> InTimeAsync<T>(ValueTask<T> work, PendingSession pending, string what, CancellationToken cancellationToken)
    {
        if (work.IsCompletedSuccessfully)
        {
            return work.Result;
        }

        long left = pending.Deadline - _options.TimeProvider.GetTimestamp();
        TimeSpan time = TimeSpan.FromSeconds((double)left / _options.TimeProvider.TimestampFrequency);
        if (time <= TimeSpan.Zero)
        {
            throw new EdhocException("The session took too long.");
        }

        try
        {
            return await work.AsTask().WaitAsync(time, _options.TimeProvider, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException exception)
        {
            throw new EdhocException($"{what} took too long.", exception);
        }
    }
}
