using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Native;
using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Handshakes;

/// <content>Resumption of sessions.</content>
internal sealed partial class ServerHandshake
{
    private byte[]? _foundId;
    private SavedResumption? _found;
    private byte[]? _kept;
    private DateTimeOffset _keptUntil;
    private byte[]? _takenId;
    private (string? PskIdentity, X509Certificate2? PeerCertificate, byte[] PeerPublicKey, byte[] Shown) _taken;

    /// <summary>
    /// Whether the session outlives this handshake in a store or with a keeper, so that <see cref="Established.Shown"/> is necessary.
    /// </summary>
    public bool KeepsShown { get; init; }

    /// <summary>The host name that the client requested, if the rules of the server depend on it.</summary>
    public string? ServerName { get; init; }

    /// <summary>The naming of sessions that several servers may resume.</summary>
    public SessionNaming SessionNames { get; init; }

    /// <summary>Names the session.</summary>
    /// <param name="id">Receives the name.</param>
    public void NameSession(Span<byte> id) => SessionNames.Fill(id);

    /// <summary>Sets what a store has of the session that the client wants to resume. Call it before the start.</summary>
    /// <param name="id">Its name.</param>
    /// <param name="session">The session, which the handshake disposes; null for none.</param>
    public void Found(byte[] id, SavedResumption? session) => (_foundId, _found) = (id, session);

    /// <summary>Stores the new session for other servers too. Call it when the handshake is done.</summary>
    /// <param name="resumption">The shared store; null for none.</param>
    public void KeepBy(SharedResumption? resumption)
    {
        if (_kept is { } state && resumption is not null)
        {
            _kept = null;
            resumption.Add(ResumptionId!, state, _keptUntil);
        }
    }

    /// <summary>Finds the session that a client wants to resume; OpenSSL calls it.</summary>
    /// <param name="id">The session.</param>
    /// <returns>OpenSSL's object of it; 0 if it is unknown.</returns>
    public nint TakeSession(ReadOnlySpan<byte> id) => _found is { } session && id.SequenceEqual(_foundId) ? Open(id, session) : 0;

    protected override void OnDone()
    {
        if (IsResumed)
        {
            if (_takenId is not null)
            {
                // A short handshake shows none of them again.
                (PskIdentity, PeerCertificate, PeerPublicKey, Shown) = _taken;
                ResumptionId = _takenId;
            }

            return;
        }

        if (KeepsShown && PeerCertificate is { } certificate)
        {
            Shown = ShownCredentials.OfCertificate(ServerName, certificate, PeerChain);
        }

        if (HasExtendedMasterSecret && (Settings.SessionStore is not null || Settings.SharesSessions))
        {
            KeepSession();
        }
    }

    protected override void OnDisposed()
    {
        _found?.Dispose();
        CryptographicOperations.ZeroMemory(_kept);
    }

    private unsafe nint Open(ReadOnlySpan<byte> id, SavedResumption saved)
    {
        nint session = 0;
        X509Certificate2? leaf = saved.Certificate.Length == 0 ? null : X509CertificateLoader.LoadCertificate(saved.Certificate);
        if (saved.Expires > Settings.Time.GetUtcNow() && AcceptsAgain(leaf, saved.PublicKey, saved.Shown))
        {
            _taken = (saved.PskIdentity, leaf, saved.PublicKey, saved.Shown);
            _takenId = id.ToArray();
            fixed (byte* start = saved.Session)
            {
                byte* cursor = start;
                session = LibSsl.d2i_SSL_SESSION(0, &cursor, new CLong(saved.Session.Length));
                LibCrypto.ERR_clear_error();
            }
        }

        return session;
    }

    // A client that the rules no longer admit must not return by an earlier validation. The key of an identity was compared before.
    private bool AcceptsAgain(X509Certificate2? leaf, byte[] publicKey, byte[] shown)
    {
        try
        {
            return (leaf is null || Validate?.Invoke(leaf, ShownCredentials.ReadCertificates(shown).Sent) == true)
                && (publicKey.Length == 0 || ValidateRawPublicKey?.Invoke(publicKey) == true);
        }
#pragma warning disable CA1031 // the client makes a full handshake, which validates again and reports the reason
        catch (Exception)
#pragma warning restore CA1031
        {
            return false;
        }
    }

    private unsafe void KeepSession()
    {
        nint session = LibSsl.SSL_get_session(Ssl);
        uint length = 0;
        byte* id = session == 0 ? null : LibSsl.SSL_SESSION_get_id(session, &length);
        if (length == 0)
        {
            return;
        }

        byte[] bytes = new byte[LibSsl.i2d_SSL_SESSION(session, null)];
        fixed (byte* start = bytes)
        {
            byte* cursor = start;
            _ = LibSsl.i2d_SSL_SESSION(session, &cursor);
        }

        using SavedResumption saved = new()
        {
            Expires = Settings.Time.GetUtcNow() + Settings.ResumptionLifetime,
            Session = bytes,
            PskIdentity = PskIdentity,
            Certificate = PeerCertificate?.RawData ?? [],
            PublicKey = PeerPublicKey.ToArray(),
            Shown = Shown,
        };
        ResumptionId = new ReadOnlySpan<byte>(id, (int)length).ToArray();
        if (Settings.SessionStore is not null)
        {
            Settings.Store(ResumptionId, saved.ToBytes(), saved.Expires);
        }
        else
        {
            (_kept, _keptUntil) = (saved.ToBytes(), saved.Expires);
        }
    }
}
