using System.Security.Cryptography;
using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>A session that clients may resume at this server, as a store keeps it.</summary>
internal sealed class SavedResumption : IDisposable
{
    /// <summary>When it becomes useless.</summary>
    public required DateTimeOffset Expires { get; init; }

    /// <summary>The state of the session (<see cref="ResumptionState"/>), with its secret. Overwritten at the end.</summary>
    public required byte[] Session { get; init; }

    /// <summary>The identity of the pre-shared key; null for none.</summary>
    public required string? PskIdentity { get; init; }

    /// <summary>The certificate of the client; empty for none.</summary>
    public required byte[] Certificate { get; init; }

    /// <summary>The raw public key of the client; empty for none.</summary>
    public required byte[] PublicKey { get; init; }

    /// <summary>What is kept about the credentials of the client (<see cref="ClientCredentialRecord"/>); empty for nothing.</summary>
    public required byte[] ClientCredentials { get; init; }

    /// <summary>The host name that the client requested, where the rules of the server depend on it; null otherwise.</summary>
    public required string? ServerName { get; init; }

    /// <summary>Reads the result of <see cref="ToBytes"/>.</summary>
    /// <param name="state">The bytes.</param>
    /// <returns>The session; null if the bytes have another format.</returns>
    public static SavedResumption? Read(ReadOnlySpan<byte> state)
    {
        try
        {
            StateReader reader = new(state);
            return new SavedResumption
            {
                Expires = new DateTimeOffset(reader.ReadNumber(), TimeSpan.Zero),
                Session = reader.ReadBytes().ToArray(),
                PskIdentity = reader.ReadText(),
                Certificate = reader.ReadBytes().ToArray(),
                PublicKey = reader.ReadBytes().ToArray(),
                ClientCredentials = reader.ReadBytes().ToArray(),
                ServerName = reader.ReadText(),
            };
        }
        catch (Exception exception) when (exception is InvalidDataException or ArgumentException)
        {
            return null;
        }
    }

    /// <summary>Writes the session for a store.</summary>
    public byte[] ToBytes()
    {
        using StateWriter writer = new();
        writer.WriteNumber(Expires.UtcTicks);
        writer.WriteBytes(Session);
        writer.WriteText(PskIdentity);
        writer.WriteBytes(Certificate);
        writer.WriteBytes(PublicKey);
        writer.WriteBytes(ClientCredentials);
        writer.WriteText(ServerName);
        return writer.Written.ToArray();
    }

    /// <summary>Overwrites the secret.</summary>
    public void Dispose() => CryptographicOperations.ZeroMemory(Session);
}
