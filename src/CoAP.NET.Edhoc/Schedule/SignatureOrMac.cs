using System.Formats.Cbor;
using System.Security.Cryptography;
using CoAP.NET.Content.Cbor;
using CoAP.NET.Edhoc.Messages;

namespace CoAP.NET.Edhoc.Schedule;

/// <summary>
/// Signature_or_MAC_2 or Signature_or_MAC_3, by which a party proves that it has the private key of its credential (RFC 9528 sections 5.3.2
/// and 5.4.2).
/// </summary>
/// <param name="IsResponder">Whether it is the Responder's.</param>
/// <param name="IsStatic">Whether the party has a static Diffie-Hellman key, and does not sign.</param>
/// <param name="Id">ID_CRED.</param>
/// <param name="Ead">EAD_2 or EAD_3 as a sequence.</param>
/// <param name="ConnectionId">C_R as in the plaintext, which only the Responder's proof includes.</param>
internal readonly record struct SignatureOrMac(bool IsResponder, bool IsStatic, EdhocCredentialId Id, byte[] Ead, byte[] ConnectionId)
{
    private int SaltLabel => IsResponder ? 1 : 5;

    private int MacLabel => IsResponder ? 2 : 6;

    /// <summary>Returns its length on the wire.</summary>
    public int Length(EdhocCipherSuite suite) => IsStatic ? suite.MacLength : Keys.Curves.SignatureLength(suite.SignatureCurve);

    /// <summary>Creates the proof of this side.</summary>
    public byte[] Make(KeySchedule schedule, EdhocOwnCredential own, ReadOnlySpan<byte> peerEphemeral, out byte[] next)
    {
        next = NextKey(schedule, IsStatic ? own.Key.Agree(peerEphemeral) : null);
        byte[] mac = Mac(schedule, next, own.Credential);
        return IsStatic ? mac : own.Key.Sign(ToBeSigned(schedule, own.Credential, mac));
    }

    /// <summary>Verifies the proof of the peer against a possible credential.</summary>
    /// <returns>The next key; null if the peer does not have the private key of this credential.</returns>
    public byte[]? Verify(KeySchedule schedule, EdhocCredential credential, EdhocPrivateKey ephemeral, ReadOnlySpan<byte> proof)
    {
        EdhocCurve curve = IsStatic ? schedule.Suite.Curve : schedule.Suite.SignatureCurve;
        if (credential.PublicKey.Curve != curve || !(IsStatic ? credential.Uses.Agreeing : credential.Uses.Signing))
        {
            return null;
        }

        byte[] next;
        try
        {
            next = NextKey(schedule, IsStatic ? ephemeral.Agree(credential.PublicKey.X.Span) : null);
        }
        catch (EdhocException)
        {
            // The key of the credential is not valid.
            return null;
        }

        byte[] mac = Mac(schedule, next, credential);
        bool isProven = IsStatic
            ? CryptographicOperations.FixedTimeEquals(mac, proof)
            : credential.PublicKey.Verify(ToBeSigned(schedule, credential, mac), proof);
        if (isProven)
        {
            return next;
        }

        CryptographicOperations.ZeroMemory(next);
        return null;
    }

    private byte[] NextKey(KeySchedule schedule, byte[]? shared)
    {
        byte[] next = schedule.NextKey(SaltLabel, shared);
        CryptographicOperations.ZeroMemory(shared);
        return next;
    }

    private byte[] Mac(KeySchedule schedule, byte[] key, EdhocCredential credential)
    {
        byte[] context =
            [.. ConnectionId, .. Id.Encoded.Span, .. CborItemEncoder.Item(schedule.Transcript), .. credential.Encoded.Span, .. Ead];
        return schedule.Derive(key, MacLabel, context, IsStatic ? schedule.Suite.MacLength : schedule.Suite.Hash.Length);
    }

    private byte[] ToBeSigned(KeySchedule schedule, EdhocCredential credential, byte[] mac)
    {
        CborWriter writer = CborNumberWriter.Create();
        writer.WriteStartArray(4);
        writer.WriteTextString("Signature1");
        writer.WriteByteString(Id.Encoded.Span);
        writer.WriteByteString([.. CborItemEncoder.Item(schedule.Transcript), .. credential.Encoded.Span, .. Ead]);
        writer.WriteByteString(mac);
        writer.WriteEndArray();
        return writer.Encode();
    }
}
