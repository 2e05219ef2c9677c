using CoAP.NET.Content.Cbor;
using CoAP.NET.Edhoc.Messages;

namespace CoAP.NET.Edhoc.Schedule;

/// <summary>What both roles do alike: proofs and the plaintexts that carry them.</summary>
internal static class Party
{
    /// <summary>How many candidates are tried for one claim.</summary>
    public const int MaxCandidates = 8;

    public static bool IsStatic(EdhocMethod method, EdhocRole role) => role == EdhocRole.Responder
        ? method is EdhocMethod.SignatureStatic or EdhocMethod.StaticStatic
        : method is EdhocMethod.StaticSignature or EdhocMethod.StaticStatic;

    public static void ThrowIfUnknown(EdhocMethod method)
    {
        if (!Enum.IsDefined(method))
        {
            throw new EdhocException("The method of message_1 is not known here.");
        }
    }

    /// <summary>PLAINTEXT_2 or PLAINTEXT_3.</summary>
    public static byte[] Write(Proof proof, byte[] bytes) => proof.Id.Write(new CborWriter().WriteEncoded(proof.ConnectionId))
        .WriteBytes(bytes).WriteEncoded(proof.Ead).ToArray();

    /// <summary>What follows C_R in PLAINTEXT_2, and all of PLAINTEXT_3.</summary>
    public static (Proof Proof, byte[] Bytes, EdhocClaim Claim) Read(
        ref SequenceReader reader, ReadOnlySpan<byte> plaintext, EdhocRole role, EdhocMethod method, EdhocCipherSuite suite,
        EdhocSettings settings)
    {
        byte[] connectionId = plaintext[..reader.Position].ToArray();
        EdhocCredentialId id = EdhocCredentialId.ReadFrom(ref reader);
        byte[] bytes = reader.ReadBytes("a signature or MAC").ToArray();
        byte[] ead = plaintext[reader.Position..].ToArray();
        Proof proof = new(role == EdhocRole.Responder, IsStatic(method, role), id, ead, connectionId);
        return bytes.Length == proof.Length(suite)
            ? (proof, bytes, new EdhocClaim(id, EadItems.Read(ref reader, settings.EadLabels)))
            : throw reader.Fault("has a signature or MAC of a wrong length");
    }

    /// <summary>Finds the credential among the candidates that the proof of the peer belongs to.</summary>
    /// <returns>The credential and the key to go on with.</returns>
    /// <exception cref="EdhocException">There are no candidates, or it is none of them.</exception>
    public static (EdhocCredential Credential, byte[] Key) Verify(
        Proof proof, byte[] bytes, KeySchedule schedule, EdhocPrivateKey ephemeral, IReadOnlyList<EdhocCredential> candidates,
        EdhocOwnCredential own)
    {
        if (candidates.Count == 0)
        {
            throw proof.Id.IsByValue
                ? new EdhocException("The credential is not accepted here.")
                : new EdhocException(EdhocErrorCode.UnknownCredential, "The credential is not known here.");
        }

        for (int i = 0; i < Math.Min(candidates.Count, MaxCandidates); i++)
        {
            // Whoever sends back what this side sent is not somebody else (RFC 9528 section 9.2).
            if (!candidates[i].IsSame(own.Credential) && proof.Verify(schedule, candidates[i], ephemeral, bytes) is { } key)
            {
                return (candidates[i], key);
            }
        }

        throw new EdhocException("The peer has not proven to have the private key of its credential.");
    }

    /// <summary>The suites of the settings that this platform supports and a credential fits.</summary>
    public static IEnumerable<EdhocCipherSuite> Usable(
        EdhocSettings settings, IReadOnlyList<EdhocOwnCredential> own, EdhocRole role, EdhocMethod method) =>
        settings.Suites.Where(suite => suite.IsSupported && Fitting(own, suite, IsStatic(method, role)) is not null);

    public static EdhocOwnCredential? Fitting(IReadOnlyList<EdhocOwnCredential> own, EdhocCipherSuite suite, bool isStatic) =>
        own.FirstOrDefault(credential => credential.Fits(suite, isStatic));

    public static void ThrowIfLong(ReadOnlySpan<byte> message, EdhocSettings settings)
    {
        if (message.Length > settings.MaxMessageSize)
        {
            throw new EdhocException($"A message has more than {settings.MaxMessageSize} bytes.");
        }
    }

    /// <summary>A message that is one byte string.</summary>
    public static ReadOnlySpan<byte> ReadOnly(ReadOnlySpan<byte> message, string name)
    {
        SequenceReader reader = new(message, name);
        ReadOnlySpan<byte> bytes = reader.ReadBytes("its ciphertext");
        reader.End();
        return bytes;
    }
}
