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
    private byte[]? _found;
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

    /// <summary>Sets the state that a store has for the session that the client wants to resume. Call it before the start.</summary>
    /// <param name="id">Its name.</param>
    /// <param name="state">The state from the store, which the handshake wipes; null for none.</param>
    public void Found(byte[] id, byte[]? state) => (_foundId, _found) = (id, state);

    /// <summary>Reads the state of a resumable session.</summary>
    /// <param name="state">The state from a store.</param>
    /// <returns>
    /// When it becomes useless, the identity of its pre-shared key (null for none), and what is kept about the credentials of its client;
    /// null if it is not readable.
    /// </returns>
    public static (DateTimeOffset Expires, string? PskIdentity, byte[] Shown)? Read(byte[] state)
    {
        try
        {
            StateReader reader = new(state);
            DateTimeOffset expires = new(reader.ReadNumber(), TimeSpan.Zero);
            _ = reader.ReadBytes();
            string? identity = reader.ReadText();
            _ = reader.ReadBytes();
            _ = reader.ReadBytes();
            return (expires, identity, reader.ReadBytes().ToArray());
        }
        catch (Exception exception) when (exception is InvalidDataException or ArgumentException)
        {
            return null;
        }
    }

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
    public nint TakeSession(ReadOnlySpan<byte> id) => _found is { } state && id.SequenceEqual(_foundId) ? Open(id, state) : 0;

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
        CryptographicOperations.ZeroMemory(_found);
        CryptographicOperations.ZeroMemory(_kept);
    }

    private unsafe nint Open(ReadOnlySpan<byte> id, byte[] state)
    {
        StateReader reader = new(state);
        DateTimeOffset expires = new(reader.ReadNumber(), TimeSpan.Zero);
        ReadOnlySpan<byte> bytes = reader.ReadBytes();
        string? identity = reader.ReadText();
        ReadOnlySpan<byte> certificate = reader.ReadBytes();
        nint session = 0;
        byte[] publicKey = reader.ReadBytes().ToArray();
        byte[] shown = reader.ReadBytes().ToArray();
        X509Certificate2? leaf = certificate.IsEmpty ? null : X509CertificateLoader.LoadCertificate(certificate);
        if (expires > Settings.Time.GetUtcNow() && AcceptsAgain(leaf, publicKey, shown))
        {
            _taken = (identity, leaf, publicKey, shown);
            _takenId = id.ToArray();
            fixed (byte* start = bytes)
            {
                byte* cursor = start;
                session = LibSsl.d2i_SSL_SESSION(0, &cursor, new CLong(bytes.Length));
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

    private void Put(ICoapDtlsSessionStore store, byte[] id, byte[] state, DateTimeOffset expires)
    {
        try
        {
            store.Add(id, state, expires);
        }
#pragma warning disable CA1031 // a failing store costs a full handshake later, and nothing now
        catch (Exception exception)
#pragma warning restore CA1031
        {
            CryptographicOperations.ZeroMemory(state);
            Settings.SessionStoreFailed?.Invoke(exception);
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

        DateTimeOffset expires = Settings.Time.GetUtcNow() + Settings.ResumptionLifetime;
        using StateWriter writer = new();
        writer.WriteNumber(expires.UtcTicks);
        writer.WriteBytes(bytes);
        CryptographicOperations.ZeroMemory(bytes);
        writer.WriteText(PskIdentity);
        writer.WriteBytes(PeerCertificate is null ? default : PeerCertificate.RawDataMemory.Span);
        writer.WriteBytes(PeerPublicKey.Span);
        writer.WriteBytes(Shown);
        ResumptionId = new ReadOnlySpan<byte>(id, (int)length).ToArray();
        if (Settings.SessionStore is { } store)
        {
            Put(store, ResumptionId, writer.Written.ToArray(), expires);
        }
        else
        {
            (_kept, _keptUntil) = (writer.Written.ToArray(), expires);
        }
    }
}
