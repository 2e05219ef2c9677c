using System.Formats.Cbor;
using System.Security.Cryptography;
using CoAP.NET.Content.Cbor;
using CoAP.NET.Edhoc.Messages;

namespace CoAP.NET.Edhoc.Schedule;

/// <summary>
/// EDHOC_KDF and the hashes of a session, step by step (RFC 9528 section 4). It wipes old keys as it advances, and the rest on disposal.
/// </summary>
internal sealed class KeySchedule : IDisposable
{
    private const int OutLabel = 7;
    private const int ExporterLabel = 10;

    // PRK_2e, then PRK_3e2m, then PRK_4e3m.
    private byte[] _key;

    /// <summary>Begins with TH_2 and PRK_2e.</summary>
    /// <param name="suite">The selected suite.</param>
    /// <param name="messageOneHash">H(message_1).</param>
    /// <param name="responderKey">G_Y.</param>
    /// <param name="shared">G_XY.</param>
    public KeySchedule(
        EdhocCipherSuite suite, ReadOnlySpan<byte> messageOneHash, ReadOnlySpan<byte> responderKey, ReadOnlySpan<byte> shared)
    {
        Suite = suite;
        Transcript = suite.Hash.Hash([.. CborItemEncoder.Item(responderKey), .. CborItemEncoder.Item(messageOneHash)]);
        _key = suite.Hash.Extract(Transcript, shared);
    }

    public EdhocCipherSuite Suite { get; }

    /// <summary>TH_2, then TH_3, then TH_4.</summary>
    public byte[] Transcript { get; private set; }

    /// <summary>Encrypts PLAINTEXT_2 or decrypts CIPHERTEXT_2, which is the same (section 5.3.2; in parts, appendix G).</summary>
    public byte[] Mask(ReadOnlySpan<byte> text)
    {
        byte[] masked = text.ToArray();
        int most = Suite.Hash.MaxExpanded;
        for (int part = 0; part == 0 || part * most < masked.Length; part++)
        {
            Span<byte> target = masked.AsSpan(part * most, Math.Min(most, masked.Length - (part * most)));
            byte[] stream = Derive(_key, -part, Transcript, target.Length);
            for (int i = 0; i < target.Length; i++)
            {
                target[i] ^= stream[i];
            }

            CryptographicOperations.ZeroMemory(stream);
        }

        return masked;
    }

    /// <summary>Derives the key of a party's proof: PRK_3e2m or PRK_4e3m.</summary>
    /// <param name="saltLabel">1 for the Responder, 5 for the Initiator.</param>
    /// <param name="shared">The secret with its static key, G_RX or G_IY; null if it signs.</param>
    public byte[] NextKey(int saltLabel, byte[]? shared)
    {
        if (shared is null)
        {
            return [.. _key];
        }

        byte[] salt = Derive(_key, saltLabel, Transcript, Suite.Hash.Length);
        byte[] next = Suite.Hash.Extract(salt, shared);
        CryptographicOperations.ZeroMemory(salt);
        return next;
    }

    /// <summary>Advances to the key of a verified party, and the next transcript hash.</summary>
    /// <param name="key">The key, which this object owns from now on.</param>
    /// <param name="plaintext">PLAINTEXT_2 or PLAINTEXT_3.</param>
    /// <param name="credential">CRED_R or CRED_I.</param>
    public void Advance(byte[] key, ReadOnlySpan<byte> plaintext, ReadOnlySpan<byte> credential)
    {
        CryptographicOperations.ZeroMemory(_key);
        _key = key;

        // The plaintext contains the identity of a party, which EDHOC hides from others.
        byte[] before = CborItemEncoder.Item(Transcript);
        byte[] input = [.. before, .. plaintext, .. credential];
        Transcript = Suite.Hash.Hash(input);
        CryptographicOperations.ZeroMemory(before);
        CryptographicOperations.ZeroMemory(input);
    }

    /// <summary>CIPHERTEXT_3 or CIPHERTEXT_4.</summary>
    /// <param name="keyLabel">3 or 8; that of the nonce is one more.</param>
    /// <param name="plaintext">The plaintext.</param>
    public byte[] Seal(int keyLabel, ReadOnlySpan<byte> plaintext)
    {
        (byte[] key, byte[] nonce) = AeadKeys(keyLabel);
        byte[] ciphertext = Suite.Aead.Seal(key, nonce, AssociatedData(), plaintext);
        CryptographicOperations.ZeroMemory(key);
        CryptographicOperations.ZeroMemory(nonce);
        return ciphertext;
    }

    public bool TryOpen(int keyLabel, ReadOnlySpan<byte> ciphertext, out byte[] plaintext)
    {
        (byte[] key, byte[] nonce) = AeadKeys(keyLabel);
        bool isOpened = Suite.Aead.TryOpen(key, nonce, AssociatedData(), ciphertext, out plaintext);
        CryptographicOperations.ZeroMemory(key);
        CryptographicOperations.ZeroMemory(nonce);
        return isOpened;
    }

    /// <summary>PRK_out (section 4.1.3).</summary>
    public byte[] Out() => Derive(_key, OutLabel, Transcript, Suite.Hash.Length);

    /// <summary>PRK_exporter (section 4.2.1).</summary>
    public static byte[] Exporter(EdhocCipherSuite suite, ReadOnlySpan<byte> outKey) =>
        Derive(suite, outKey, ExporterLabel, [], suite.Hash.Length);

    /// <summary>EDHOC_KDF (section 4.1.2).</summary>
    public static byte[] Derive(EdhocCipherSuite suite, ReadOnlySpan<byte> key, int label, ReadOnlySpan<byte> context, int length)
    {
        CborWriter writer = CborNumberWriter.Create(context.Length + 32);
        writer.WriteInt32(label);
        writer.WriteByteString(context);
        writer.WriteInt32(length);
        byte[] info = writer.Encode();
        byte[] derived = suite.Hash.Expand(key, info, length);
        writer.Reset();
        CryptographicOperations.ZeroMemory(info);
        return derived;
    }

    public byte[] Derive(ReadOnlySpan<byte> key, int label, ReadOnlySpan<byte> context, int length) =>
        Derive(Suite, key, label, context, length);

    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(_key);
        CryptographicOperations.ZeroMemory(Transcript);
    }

    private (byte[] Key, byte[] Nonce) AeadKeys(int keyLabel) => (
        Derive(_key, keyLabel, Transcript, Suite.Aead.KeyLength),
        Derive(_key, keyLabel + 1, Transcript, Suite.Aead.NonceLength));

    private byte[] AssociatedData()
    {
        CborWriter writer = CborNumberWriter.Create(Transcript.Length + 32);
        writer.WriteStartArray(3);
        writer.WriteTextString("Encrypt0");
        writer.WriteByteString([]);
        writer.WriteByteString(Transcript);
        writer.WriteEndArray();
        return writer.Encode();
    }
}
