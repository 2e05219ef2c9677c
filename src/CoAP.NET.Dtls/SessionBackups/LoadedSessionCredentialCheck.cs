using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.SessionBackups;

/// <summary>
/// Checks, when a loaded session first receives or sends, whether this server still accepts the credentials of its client: the key store
/// has the same key for the identity, or the validation accepts the certificate or the raw public key. Otherwise the session ends. Start
/// and handover stay cheap, because the server does not check sleeping clients. Thread-safe; runs no callbacks under a lock.
/// </summary>
/// <param name="server">The server of the sessions.</param>
/// <param name="timeout">How long a check may take.</param>
/// <param name="time">The clock.</param>
#pragma warning disable CA1001 // no code uses the wait handle of the semaphore, which is all that it would dispose
internal sealed class LoadedSessionCredentialCheck(DtlsServer server, TimeSpan timeout, TimeProvider time)
#pragma warning restore CA1001
{
    /// <summary>Maximum number of concurrent checks; others wait. After a start, very many clients may speak at once.</summary>
    public const int MaxChecks = 256;

    private readonly ConcurrentDictionary<DtlsSessionWithBackup, bool> _asked = new();
    private readonly SemaphoreSlim _places = new(MaxChecks);

    /// <summary>Begins the check of a session, unless it has begun.</summary>
    /// <param name="session">The session.</param>
    public void Ask(DtlsSessionWithBackup session)
    {
        if (!session.IsClosed && _asked.TryAdd(session, true))
        {
            // User code: on a thread for that purpose.
            server.Run(session.Source, () => _ = AskAsync(session));
        }
    }

    private async Task AskAsync(DtlsSessionWithBackup session)
    {
        bool? isAccepted = null;
        await _places.WaitAsync().ConfigureAwait(false);
        try
        {
            isAccepted = !session.IsClosed && await AcceptsAsync(session).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // a store that fails must not end the sessions: the next record or message asks again
        catch (Exception exception)
#pragma warning restore CA1031
        {
            server.CheckFailed?.Invoke(session, exception);
        }
        finally
        {
            _places.Release();
        }

        // The rest runs user code as well.
        server.Run(session.Source, () => OnAnswered(session, isAccepted));
    }

    private void OnAnswered(DtlsSessionWithBackup session, bool? isAccepted)
    {
        if (isAccepted == true)
        {
            session.Admit();
        }
        else if (isAccepted == false)
        {
            session.End(DtlsSessionEndReason.Withdrawn, tells: true);
        }

        _asked.TryRemove(session, out _);
    }

    private async ValueTask<bool> AcceptsAsync(DtlsSessionWithBackup session)
    {
        using CancellationTokenSource end = new(timeout, time);
        if (session.PskIdentity is { } identity)
        {
            ReadOnlyMemory<byte> key = await FindKeyAsync(identity, end.Token).ConfigureAwait(false);
            return ClientCredentialRecord.IsOfKey(session.ClientCredentials, key.Span);
        }

        if (session.PeerCertificate is { } certificate)
        {
            return await AcceptsCertificateAsync(session, certificate, end.Token).ConfigureAwait(false);
        }

        return session.PeerPublicKey.IsEmpty
            ? !server.RequiresCredentials
            : server.ValidateRawPublicKey is { } validate && await validate(session.PeerPublicKey, end.Token).ConfigureAwait(false);
    }

    private async ValueTask<bool> AcceptsCertificateAsync(
        DtlsSessionWithBackup session, X509Certificate2 certificate, CancellationToken cancellationToken)
    {
        try
        {
            (string? serverName, X509Certificate2Collection sent) = ClientCredentialRecord.ReadCertificates(session.ClientCredentials);
            return server.RulesFor(serverName).Validate is { } validate
                && await validate(certificate, sent, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is CoapDtlsException or InvalidDataException or CryptographicException)
        {
            // The validation refuses by a CoapDtlsException that says why.
            return false;
        }
    }

    private async ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken)
    {
        try
        {
            return await server.FindKeyAsync(identity, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is not CallbackException)
        {
            // It was too slow.
            throw new CallbackException(DtlsServer.KeyStoreOption, exception);
        }
    }
}
