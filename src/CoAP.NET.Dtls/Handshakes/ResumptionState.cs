using System.Security.Cryptography;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>The state of a session that either end needs to resume it (RFC 5246 section 7.3, RFC 5077).</summary>
/// <param name="Suite">The cipher suite.</param>
/// <param name="Master">The secret of the session, 48 bytes.</param>
/// <param name="SessionId">Its name at a client; the digest of the rules at a server (<see cref="SharedHandshakeContext.Rules"/>).</param>
/// <param name="Ticket">The ticket of a client; empty without one.</param>
internal readonly record struct ResumptionState(CipherSuite Suite, byte[] Master, byte[] SessionId, byte[] Ticket)
{
    private const int MasterLength = 48;

    /// <summary>Reads the result of <see cref="ToBytes"/>.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <returns>The state; null if the bytes have another format.</returns>
    public static ResumptionState? Read(ReadOnlySpan<byte> bytes)
    {
        try
        {
            MessageReader reader = new(bytes);
            CipherSuite? suite = CipherSuite.Find(reader.ReadUInt16());
            ResumptionState state = new(
                suite!, reader.Read(MasterLength).ToArray(), reader.ReadVector(1).ToArray(), reader.ReadVector(2).ToArray());
            if (suite is not null && reader.IsEmpty)
            {
                return state;
            }

            CryptographicOperations.ZeroMemory(state.Master);
            return null;
        }
        catch (AlertException)
        {
            return null;
        }
    }

    /// <summary>Writes the state.</summary>
    public byte[] ToBytes() =>
    [
        (byte)(Suite.Id >> 8), (byte)Suite.Id, .. Master, (byte)SessionId.Length, .. SessionId,
        (byte)(Ticket.Length >> 8), (byte)Ticket.Length, .. Ticket,
    ];
}
