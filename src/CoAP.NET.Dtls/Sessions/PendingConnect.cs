using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Cryptography;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Errors;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>A pending handshake with a server: one thread at a time works on it, and none blocks for it.</summary>
/// <param name="owner">The client, which gets the result.</param>
/// <param name="path">The path to the server, with the socket.</param>
/// <param name="serverName">The name to request; null: its address.</param>
#pragma warning disable CA1001 // the source has no timer and no handle, and cancellation may come at any time
internal sealed class PendingConnect(DtlsClient owner, DtlsPath path, string? serverName)
#pragma warning restore CA1001
{
    private const byte WarningLevel = 1;

    // Retransmission timeouts without an answer after which a question for another cookie is believed, and how often one is.
    private const int SilentTimeouts = 3;
    private const int MaxAgain = 3;

    // A fully qualified name has no trailing dot in TLS (RFC 6066 section 3).
    private readonly string? _name = serverName?.TrimEnd('.');
    private long _resumedSince;
    private int _progress;
    private int _refusals;
    private int _questions;
    private int _again;
    private long _progressAt = owner.Time.GetTimestamp();
    private string? _distrust;
    private PeerCertificateValidator? _certificates;
    private readonly Lock _gate = new();
    private readonly HandshakeDatagramQueue _queue = new(ClientHandshake.MaxFlight);
    private readonly CancellationTokenSource _end = new();
    private readonly TaskCompletionSource<DtlsSession> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly long _since = owner.Time.GetTimestamp();
    private ClientHandshake? _handshake;
    private long? _refusedSince;
    private bool _hasHeard;
    private bool _isBusy;
    private bool _isTimeoutDue;
    private bool _isDecided;

    /// <summary>The requested name; null: the address.</summary>
    public string? ServerName => serverName;

    public DtlsPath Path => path;

    /// <summary>Ends with the session, or with the failure.</summary>
    public Task<DtlsSession> Ended => _ended.Task;

    /// <summary>The progress. Any thread may read it.</summary>
    public CoapConnectProgress Progress =>
        HandshakeFailureMessage.ProgressOf(_handshake, _hasHeard, path, owner.Time.GetElapsedTime(_since));

    /// <summary>Begins the handshake.</summary>
    public void Start()
    {
        lock (_gate)
        {
            if (_isDecided)
            {
                return;
            }

            _isBusy = true;
        }

        owner.Run(Pump);
    }

    /// <summary>Queues a datagram for a thread of the scheduler.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <returns>Whether there was room.</returns>
    public bool Post(ReadOnlySpan<byte> datagram)
    {
        lock (_gate)
        {
            if (_isDecided || !_queue.TryEnqueue(datagram))
            {
                return false;
            }

            _hasHeard = true;
            if (_isBusy)
            {
                return true;
            }

            _isBusy = true;
        }

        owner.Run(Pump);
        return true;
    }

    /// <summary>Checks the deadline and due retransmissions.</summary>
    public void Tick()
    {
        if (owner.Time.GetElapsedTime(_since) >= owner.Settings.HandshakeTimeout)
        {
            (CoapDtlsHandshakeFailure reason, string text) = HandshakeFailureMessage.OfSilence(_handshake, _hasHeard, path,
                owner.Settings.HandshakeTimeout);
            GiveUp(reason, text);
            return;
        }

        if (IsRefused() is { } alert)
        {
            (CoapDtlsHandshakeFailure reason, string text) = HandshakeFailureMessage.OfAlert(alert, _handshake!);
            GiveUp(reason, text);
            return;
        }

        lock (_gate)
        {
            _isTimeoutDue = true;
            if (_isDecided || _isBusy || _handshake is null)
            {
                return;
            }

            _isBusy = true;
        }

        owner.Run(Pump);
    }

    /// <summary>Gives up the handshake.</summary>
    /// <param name="reason">The reason.</param>
    /// <param name="text">The reason, as text.</param>
    /// <returns>False if it was already decided.</returns>
    public bool GiveUp(CoapDtlsHandshakeFailure reason, string text)
    {
        if (!TryDecide(isPump: false))
        {
            return false;
        }

        owner.Forget(this);
        _ended.TrySetException(new CoapDtlsException(reason, text));
        return true;
    }

    /// <inheritdoc cref="ClientHandshake.MayHaveSent"/>
    public bool MayHaveSent(ReadOnlySpan<byte> start) => _handshake?.MayHaveSent(start) == true;

    /// <summary>Gives up the handshake because no caller waits any more.</summary>
    /// <param name="cancellationToken">The token of the cancelled wait.</param>
    public void Cancel(CancellationToken cancellationToken)
    {
        if (TryDecide(isPump: false))
        {
            owner.Forget(this);
            _ended.TrySetCanceled(cancellationToken);
        }
    }

    /// <summary>Decides the result, once. The thread that works on the handshake then disposes it.</summary>
    private bool TryDecide(bool isPump)
    {
        lock (_gate)
        {
            if (_isDecided)
            {
                return false;
            }

            _isDecided = true;
            if (!isPump)
            {
                _queue.Clear();
                if (!_isBusy)
                {
                    _handshake?.Dispose();
                }
            }
        }

        // Code of the application may be pending.
        _end.Cancel();
        return true;
    }

    /// <summary>
    /// The fatal alert by which the server refuses, once a retransmission timeout has passed without any other message. Alerts are
    /// unprotected before the keys exist, so a forged one must not end a handshake that the server continues.
    /// </summary>
    private AlertDescription? IsRefused()
    {
        lock (_gate)
        {
            return _refusedSince is { } since && _handshake is { } handshake
                && owner.Time.GetElapsedTime(since) >= handshake.Settings.RetransmitTimeout ? handshake.Refusal : null;
        }
    }

    /// <summary>Whether it offers to resume a session.</summary>
    public bool OffersResumption { get; private set; }

    private void Pump() => _ = PumpAsync();

    private async Task PumpAsync()
    {
        try
        {
            if (_handshake is null)
            {
                if (Volatile.Read(ref _isDecided))
                {
                    return;
                }

                await BeginAsync().ConfigureAwait(false);
                if (!Volatile.Read(ref _isDecided))
                {
                    Flush();
                }
            }

            while (_handshake is { Status: HandshakeStatus.Running } handshake && TryTake(out byte[]? datagram))
            {
                if (datagram is null)
                {
                    handshake.OnTimeout();
                }
                else
                {
                    handshake.Receive(datagram);
                    NoteRefusals(handshake);
                    await BeginAgainIfForgottenAsync(handshake).ConfigureAwait(false);
                }

                await handshake.AskAsync(_end.Token).ConfigureAwait(false);
                Flush();
            }

            if (_handshake!.Status == HandshakeStatus.Done)
            {
                Finish();
            }
            else if (_handshake.Status == HandshakeStatus.Failed)
            {
                (CoapDtlsHandshakeFailure reason, string text) = HandshakeFailureMessage.Of(_handshake, _distrust);
                Fail(reason, text, _handshake.Failure?.Exception?.InnerException);
            }
        }
#pragma warning disable CA1031 // any exception ends this handshake and nothing else
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Fail(CoapDtlsHandshakeFailure.Other, exception.Message, (exception as CallbackException)?.InnerException ?? exception);
        }
    }

    // RFC 6347 section 4.2.1: a server that has forgotten the client asks for a cookie, and answers nothing else of the old handshake. A
    // forged question changes nothing while the server answers.
    private async ValueTask BeginAgainIfForgottenAsync(ClientHandshake handshake)
    {
        bool isAsked = handshake.LaterQuestions != _questions;
        _questions = handshake.LaterQuestions;
        if (!isAsked || handshake.Status != HandshakeStatus.Running || _again == MaxAgain
            || owner.Time.GetElapsedTime(_progressAt) < handshake.Settings.RetransmitTimeout * SilentTimeouts)
        {
            return;
        }

        _again++;
        (_progress, _refusals, _questions, OffersResumption) = (0, 0, 0, false);
        _progressAt = owner.Time.GetTimestamp();
        await BeginAsync().ConfigureAwait(false);
        handshake.Dispose();
    }

    private async ValueTask BeginAsync()
    {
        ClientHandshakeSettings rules = owner.RulesFor(serverName, path.Remote);
        _certificates = rules.Certificates;
        if (rules.Context.Settings.Missing is { } missing)
        {
            throw new CoapDtlsException(missing);
        }

        ClientHandshake handshake = owner.MakeHandshake(this, rules);
        using ResumableSession? resumable = owner.Resumptions.Take(path.Remote, serverName);
        if (resumable is not null && await TrustsAgainAsync(resumable).ConfigureAwait(false) && handshake.Resume(resumable))
        {
            _resumedSince = resumable.Since;
            OffersResumption = true;
        }

        lock (_gate)
        {
            _handshake = handshake;
        }

        handshake.Start(_name);
    }

    private bool TryTake(out byte[]? datagram)
    {
        lock (_gate)
        {
            datagram = null;
            if (!_isDecided)
            {
                if (_queue.TryDequeue(out datagram))
                {
                    return true;
                }

                if (_isTimeoutDue)
                {
                    _isTimeoutDue = false;
                    return true;
                }
            }
            else
            {
                // It was given up while a thread was here.
                _handshake!.Dispose();
            }

            _isBusy = false;
            return false;
        }
    }

    /// <summary>Selects the pre-shared key.</summary>
    /// <param name="hint">The server's hint.</param>
    /// <param name="cancellationToken">Cancels the selection.</param>
    public ValueTask<CoapPskCredential?> SelectKeyAsync(string? hint, CancellationToken cancellationToken) =>
        owner.Settings.SelectPsk?.Invoke(new CoapDtlsTargetServer(serverName, path.Remote, hint), cancellationToken) ?? default;

    /// <summary>Validates a raw public key.</summary>
    /// <param name="key">As SubjectPublicKeyInfo.</param>
    /// <param name="cancellationToken">Cancels the validation.</param>
    public async ValueTask<bool> TrustsKeyAsync(ReadOnlyMemory<byte> key, CancellationToken cancellationToken)
    {
        bool isTrusted = owner.Settings.ValidateRawPublicKey is { } validate
            && await validate(new CoapDtlsTargetServer(serverName, path.Remote, null), key, cancellationToken).ConfigureAwait(false);
        _distrust = isTrusted
            ? null
            : "This client does not trust the raw public key of the server (SHA-256 "
                + $"{Convert.ToHexStringLower(Sha256.HashData(key.Span))}).";
        return isTrusted;
    }

    /// <summary>Validates a certificate.</summary>
    /// <param name="leaf">The certificate.</param>
    /// <param name="sent">The certificates that came with it.</param>
    /// <param name="cancellationToken">Cancels the validation.</param>
    public async ValueTask<bool> TrustsAsync(
        X509Certificate2 leaf, X509Certificate2Collection sent, CancellationToken cancellationToken)
    {
        string name = _name ?? path.Remote.ToIPAddress().ToString();
        _distrust = _certificates is { } check
            ? await check.RefusesAsync(leaf, sent, name, owner.Time.GetUtcNow(), cancellationToken).ConfigureAwait(false)
            : "This client trusts no authority: name one in the options of the client.";
        return _distrust is null;
    }

    // The rules of the client may have changed since the full handshake, which a short one does not repeat.
    private async ValueTask<bool> TrustsAgainAsync(ResumableSession session)
    {
        try
        {
            return (session.PeerCertificate is not { } certificate
                    || await TrustsAsync(certificate, session.PeerChain, _end.Token).ConfigureAwait(false))
                && (session.PeerPublicKey.IsEmpty || await TrustsKeyAsync(session.PeerPublicKey, _end.Token).ConfigureAwait(false))
                && (session.PskIdentity is not { } identity
                    || (await SelectKeyAsync(session.PskHint, _end.Token).ConfigureAwait(false) is { } chosen && chosen.Identity == identity
                        && CryptographicOperations.FixedTimeEquals(chosen.Key.Span, session.PskKey)));
        }
#pragma warning disable CA1031 // the client makes a full handshake, which checks again and reports the reason
        catch (Exception)
#pragma warning restore CA1031
        {
            return false;
        }
        finally
        {
            _distrust = null;
        }
    }

    private void NoteRefusals(ClientHandshake handshake)
    {
        lock (_gate)
        {
            if (handshake.Refusals != _refusals)
            {
                _refusals = handshake.Refusals;
                _refusedSince ??= owner.Time.GetTimestamp();
            }
            else if (handshake.Progress != _progress)
            {
                _refusedSince = null;
                _progressAt = owner.Time.GetTimestamp();
            }

            _progress = handshake.Progress;
        }
    }

    private void Flush()
    {
        foreach (byte[] datagram in _handshake!.TakeOutput())
        {
            owner.Sink.Send(path, datagram);
        }
    }

    private void Fail(CoapDtlsHandshakeFailure reason, string text, Exception? exception)
    {
        bool isDecider = TryDecide(isPump: true);
        _handshake?.Dispose();
        if (isDecider)
        {
            owner.Forget(this);
            _ended.TrySetException(new CoapDtlsException(reason, text, exception));
        }
    }

    private void Finish()
    {
        ClientHandshake handshake = _handshake!;
        HandshakeResult established = handshake.Establish();
        if (!TryDecide(isPump: true))
        {
            SayGoodbye(established);
            handshake.Dispose();
            return;
        }

        try
        {
            Remember(handshake, established);
            DtlsSession session = owner.OnDone(this, established);
            owner.Forget(this);

            // Data after the end of the handshake is for the session.
            while (TryTakeRest(out byte[]? datagram))
            {
                owner.Receive(path, datagram);
            }

            _ended.TrySetResult(session);
        }
#pragma warning disable CA1031 // the waiting caller gets an exception from above
        catch (Exception exception)
#pragma warning restore CA1031
        {
            owner.Forget(this);
            _ended.TrySetException(exception);
        }
        finally
        {
            handshake.Dispose();
        }
    }

    private bool TryTakeRest([NotNullWhen(true)] out byte[]? datagram)
    {
        lock (_gate)
        {
            return _queue.TryDequeue(out datagram);
        }
    }

    private void Remember(ClientHandshake handshake, HandshakeResult established)
    {
        if (owner.Settings.MaxResumable > 0 && handshake.SaveSession() is { } bytes)
        {
            // Trust dates from the full handshake, however often the session resumes.
            long since = handshake.IsResumed ? _resumedSince : _since;
            owner.Resumptions.Put(path.Remote, serverName,
                new ResumableSession(bytes, since, established.PskIdentity, established.PeerCertificate, established.PeerPublicKey)
                {
                    PeerChain = handshake.PeerChain,
                    PskHint = handshake.PskHint,
                    PskKey = established.PskIdentity is null ? [] : handshake.PreSharedKey.ToArray(),
                });
        }
    }

    private void SayGoodbye(HandshakeResult established)
    {
        // No caller waits for the session that the server has.
        byte[] record = new byte[established.Records.RecordLength(2)];
        if (established.Records.Seal(ContentType.Alert, [WarningLevel, (byte)AlertDescription.CloseNotify], record) > 0)
        {
            owner.Sink.Send(path, record);
        }

        established.Records.Clear();
    }
}
