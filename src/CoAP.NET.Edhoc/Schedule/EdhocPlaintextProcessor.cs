using CoAP.NET.Edhoc.Credentials;
using CoAP.NET.Edhoc.Messages;

namespace CoAP.NET.Edhoc.Schedule;

/// <summary>The common parts of both roles: proofs and the plaintexts that carry them.</summary>
internal static class EdhocPlaintextProcessor
{
    /// <summary>Maximum number of candidates for one claim.</summary>
    public const int MaxCandidates = 8;

    public static bool IsStatic(EdhocMethod method, EdhocRole role) => role == EdhocRole.Responder
        ? method is EdhocMethod.SignatureStatic or EdhocMethod.StaticStatic
        : method is EdhocMethod.StaticSignature or EdhocMethod.StaticStatic;

    public static void ThrowIfUnknown(EdhocMethod method)
    {
        if (!Enum.IsDefined(method))
        {
            throw new EdhocException("This side does not support the method of message_1.");
        }
    }

    /// <summary>PLAINTEXT_2 or PLAINTEXT_3.</summary>
    public static byte[] Write(SignatureOrMac proof, byte[] bytes) =>
        [.. proof.ConnectionId, .. proof.Id.ToPlaintext(), .. CborItemEncoder.Item(bytes), .. proof.Ead];

    /// <summary>Reads the part of PLAINTEXT_2 after C_R, or all of PLAINTEXT_3.</summary>
    public static (SignatureOrMac Proof, byte[] Bytes, EdhocClaimedPeerIdentity Claim) Read(
        ref SequenceReader reader, ReadOnlySpan<byte> plaintext, EdhocRole role, EdhocMethod method, EdhocCipherSuite suite,
        EdhocSettings settings)
    {
        byte[] connectionId = plaintext[..reader.Position].ToArray();
        EdhocCredentialId id = EdhocCredentialId.ReadFrom(ref reader);
        byte[] bytes = reader.ReadBytes("a signature or MAC").ToArray();
        byte[] ead = plaintext[reader.Position..].ToArray();
        SignatureOrMac proof = new(role == EdhocRole.Responder, IsStatic(method, role), id, ead, connectionId);
        return bytes.Length == proof.Length(suite)
            ? (proof, bytes, new EdhocClaimedPeerIdentity(id, EadItems.Read(ref reader, settings.EadLabels)))
            : throw reader.Fault("has a signature or MAC of a wrong length");
    }

    /// <summary>Finds the credential among the candidates that matches the peer's proof.</summary>
    /// <returns>The credential and the next key.</returns>
    /// <exception cref="EdhocException">There are no candidates, or none matches.</exception>
    public static (EdhocCredential Credential, byte[] Key) Verify(
        SignatureOrMac proof, byte[] bytes, KeySchedule schedule, EdhocPrivateKey ephemeral, IReadOnlyList<EdhocCredential> candidates,
        EdhocOwnCredential own)
    {
        if (candidates.Count == 0)
        {
            // The error for unknown credentials is not for kinds that are not supported (RFC 9528 section 6.4).
            throw proof.Id.Kind is EdhocCredentialIdKind.Other or EdhocCredentialIdKind.CertificateUri
                ? new EdhocException("This side does not support the kind of ID_CRED.")
                : proof.Id.IsByValue
                    ? new EdhocException("This side does not accept the credential.")
                    : new EdhocException(EdhocErrorCode.UnknownCredential, "This side does not know the credential.");
        }

        for (int i = 0; i < Math.Min(candidates.Count, MaxCandidates); i++)
        {
            // A reflection of this side's own credential does not authenticate a peer (RFC 9528 section 9.2).
            if (!candidates[i].IsSame(own.Credential) && proof.Verify(schedule, candidates[i], ephemeral, bytes) is { } key)
            {
                return (candidates[i], key);
            }
        }

        throw new EdhocException("The peer has not proven to have the private key of its credential.");
    }

    /// <summary>Returns the suites of the settings that this platform supports and that fit a credential.</summary>
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

    /// <summary>Reads a message that is one byte string.</summary>
    public static ReadOnlySpan<byte> ReadOnly(ReadOnlySpan<byte> message, string name)
    {
        SequenceReader reader = new(message, name);
        ReadOnlySpan<byte> bytes = reader.ReadBytes("its ciphertext");
        reader.End();
        return bytes;
    }
}
