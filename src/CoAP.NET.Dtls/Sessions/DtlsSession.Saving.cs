using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Sessions;

/// <content>To be saved, and loaded by another process.</content>
internal sealed partial class DtlsSession
{
    /// <summary>Whether it was saved, and may live on elsewhere.</summary>
    public bool IsSaved { get; private set; }

    /// <summary>Writes all of it, with its keys.</summary>
    /// <param name="writer">Takes it.</param>
    /// <returns>False when it has ended, or is near its end.</returns>
    public bool TrySave(StateWriter writer)
    {
        lock (_records)
        {
            if (_isClosed || !_records.TrySave(writer))
            {
                return false;
            }

            IsSaved = true;
            WriteAddress(writer, _path.Remote);
            WriteAddress(writer, _path.Local);
            writer.WriteNumber(_path.Tag);
            writer.WriteNumber(Idle.Ticks);
            writer.WriteText(PskIdentity);
            writer.WriteBytes(PeerCertificate is null ? default : PeerCertificate.RawDataMemory.Span);
            writer.WriteBytes(PeerPublicKey.Span);
            return true;
        }
    }

    /// <summary>Reads one that was saved.</summary>
    /// <param name="reader">Where from.</param>
    /// <param name="age">How long ago it was saved.</param>
    /// <param name="home">Who finds it.</param>
    /// <returns>The session.</returns>
    /// <exception cref="InvalidDataException">This was not saved by <see cref="TrySave"/>.</exception>
    public static DtlsSession Load(ref StateReader reader, TimeSpan age, IDtlsSessionHome home)
    {
        RecordLayer records = RecordLayer.Load(ref reader);
        DtlsPath path = new(ReadAddress(ref reader), ReadAddress(ref reader), (int)reader.ReadNumber());
        TimeSpan idle = new(reader.ReadNumber());
        string? identity = reader.ReadText();
        ReadOnlySpan<byte> certificate = reader.ReadBytes();
        byte[] publicKey = reader.ReadBytes().ToArray();
        try
        {
            Handshakes.Established established = new(records, [], 0, identity, certificate.IsEmpty ? null : X509CertificateLoader.LoadCertificate(certificate)) { PeerPublicKey = publicKey };
            DtlsSession session = new(established, path, home, isInitiator: false, null);
            session._lastReceived -= (long)((idle + age).TotalSeconds * home.Time.TimestampFrequency);
            return session;
        }
        catch (CryptographicException exception)
        {
            records.Clear();
            throw new InvalidDataException("A saved session has a certificate that cannot be read.", exception);
        }
    }

    /// <summary>Overwrites the keys of a session that nobody was told of.</summary>
    public void Discard()
    {
        lock (_records)
        {
            Volatile.Write(ref _isClosed, true);
            _records.Clear();
        }
    }

    private static void WriteAddress(StateWriter writer, in CoapAddress address)
    {
        writer.WriteNumber((long)address.High);
        writer.WriteNumber((long)address.Low);
        writer.WriteNumber(address.Port);
        writer.WriteNumber(address.ScopeId);
    }

    private static CoapAddress ReadAddress(ref StateReader reader) => new((ulong)reader.ReadNumber(), (ulong)reader.ReadNumber(), (ushort)reader.ReadNumber(), (uint)reader.ReadNumber());
}
