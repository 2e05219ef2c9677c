using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.SessionBackups;

/// <summary>The plaintext format of kept sessions.</summary>
internal static class SessionStateFormat
{
    /// <summary>Writes the state of a session other than its records. Under the lock of the session.</summary>
    /// <param name="writer">Receives the state.</param>
    /// <param name="session">The session.</param>
    /// <param name="seen">The state of received messages for the next server; empty for none.</param>
    /// <param name="via">The name of the server that receives from its client; empty for none.</param>
    public static void Write(StateWriter writer, DtlsSessionWithBackup session, ReadOnlySpan<byte> seen, ReadOnlySpan<byte> via)
    {
        DtlsPath path = session.ConfirmedPath;
        writer.WriteAddress(path.Remote);
        writer.WriteAddress(path.Local);
        writer.WriteNumber(path.Tag);
        writer.WriteNumber(session.Idle.Ticks);
        writer.WriteNumber(session.MaxContent);
        writer.WriteText(session.PskIdentity);
        writer.WriteBytes(session.PeerCertificate is { } certificate ? certificate.RawDataMemory.Span : default);
        writer.WriteBytes(session.PeerPublicKey.Span);
        writer.WriteBytes(session.ClientCredentials);
        writer.WriteFlag(session.ChecksPaths);
        if (!seen.IsEmpty || !via.IsEmpty)
        {
            writer.WriteBytes(seen);
        }

        if (!via.IsEmpty)
        {
            writer.WriteBytes(via);
        }
    }

    /// <summary>Reads a session that <see cref="DtlsSessionWithBackup.TryWrite"/> wrote.</summary>
    /// <param name="plain">The bytes that it wrote.</param>
    /// <param name="progress">The record numbers after later messages, or an older value.</param>
    /// <param name="backup">The backup of the session.</param>
    /// <param name="owner">Finds the session.</param>
    /// <param name="seen">The state of received messages from earlier owners, so that no duplicate runs. Null for none.</param>
    /// <returns>The session; its record numbers are not confirmed, and its client is not admitted.</returns>
    /// <exception cref="InvalidDataException">The bytes have another format.</exception>
    public static DtlsSessionWithBackup Read(
        ReadOnlySpan<byte> plain, SessionRecordNumbers progress, SessionBackup backup, IDtlsSessionOwner owner, out byte[]? seen)
    {
        StateReader reader = new(plain);
        long now = owner.Time.GetUtcNow().UtcTicks;
        long age = Math.Max(0, now - reader.ReadNumber());
        bool isExact = reader.ReadFlag();
        ulong id = (ulong)reader.ReadNumber();
        RecordLayer records = RecordLayer.Load(ref reader, progress);
        try
        {
            DtlsPath path = owner.Sink.PathFor(new DtlsPath(reader.ReadAddress(), reader.ReadAddress(), (int)reader.ReadNumber()));
            long idle = Math.Min(age + reader.ReadNumber(), Math.Max(0, now - progress.Heard));
            int maxContent = (int)Math.Clamp(reader.ReadNumber(), 0, RecordLayer.MaxPlaintext);
            string? identity = reader.ReadText();
            ReadOnlySpan<byte> certificate = reader.ReadBytes();
            byte[] publicKey = reader.ReadBytes().ToArray();
            byte[] credentials = reader.ReadBytes().ToArray();
            bool checksPaths = reader.ReadFlag();
            ReadOnlySpan<byte> came = reader.IsAtEnd ? default : reader.ReadBytes();
            ReadOnlySpan<byte> via = reader.IsAtEnd ? default : reader.ReadBytes();
            X509Certificate2? leaf = certificate.IsEmpty ? null : X509CertificateLoader.LoadCertificate(certificate);
            if (!reader.IsAtEnd || records.OwnCid.Length is not (0 or DtlsServer.CidLength))
            {
                throw new InvalidDataException("A saved session has another format.");
            }

            if (!via.IsEmpty && records.OwnCid.Length > 0 && owner.Steering is { } steering)
            {
                path = path with { Via = steering.ViaOf(via) };
            }

            DtlsSessionWithBackup session =
                new(new HandshakeResult(
                    records, [], 0, identity, leaf)
                {
                    PeerPublicKey = publicKey,
                    ClientCredentials = credentials,
                    MaxContent = maxContent,
                    ChecksPaths = checksPaths,
                }, path, owner, id)
                {
                    WasIdleFor = TimeSpan.FromTicks(idle),
                    IsInDoubt = !isExact,
                    IsLoaded = true,
                };
            seen = came.IsEmpty ? null : came.ToArray();
            if (!backup.IsForStopsOnly)
            {
                session.BeginWithoutNumbers();
            }

            return session;
        }
        catch (Exception exception) when (exception is CryptographicException or InvalidDataException)
        {
            records.Clear();
            throw new InvalidDataException("A saved session is not readable.", exception);
        }
    }
}
