using System.Security.Cryptography;
using CoAP.NET.Cryptography;
using CoAP.NET.Oscore;

namespace CoAP.NET.Bench;

/// <summary>
/// A client's end of a security context (RFC 8613, AES-CCM-16-64-128) without a socket: it protects requests without a payload, and opens
/// their responses. Not more than that, so that it costs the machine little beside the server that is measured. Derives keys and composes
/// messages by itself, so what both ends say is compared with each other.
/// </summary>
internal sealed class ProtectedPeer
{
    private const int KidLength = 3;
    private const int TagLength = 8;
    private const int NonceLength = 13;
    private const int MaxIvLength = 5;
    private const byte OscoreOption = 9 << 4;
    private const byte Marker = 0xff;
    private const byte Post = 0x02;
    private const byte Changed = 0x44;

    private readonly byte[] _sender = new byte[ProcessorAesCcm.KeyLength];
    private readonly byte[] _recipient = new byte[ProcessorAesCcm.KeyLength];
    private readonly byte[] _iv = new byte[NonceLength];
    private readonly byte[] _nonce = new byte[NonceLength];
    private readonly byte[] _additional = new byte[40];
    private int _additionalLength;
    private ulong _number;

    /// <summary>Makes one.</summary>
    /// <param name="number">Which device it is, 0 to 2^24 - 1.</param>
    /// <param name="sent">How many requests it has sent.</param>
    public ProtectedPeer(int number, int sent = 0)
    {
        _number = (ulong)sent;
        Kid = KidOf(number);
        byte[] secret = SecretOf(number);
        Derive(secret, Kid, "Key"u8, _sender);
        Derive(secret, [], "Key"u8, _recipient);
        Derive(secret, [], "IV"u8, _iv);
    }

    /// <summary>Its Sender ID.</summary>
    public byte[] Kid { get; }

    /// <summary>The server's end.</summary>
    /// <param name="number">Which device it is for.</param>
    public static OscoreParameters ServerParameters(int number) => new(SecretOf(number), senderId: [], recipientId: KidOf(number));

    /// <summary>Protects a request of a header, a token and options.</summary>
    /// <param name="message">The request.</param>
    /// <param name="destination">Takes the protected one.</param>
    /// <returns>Its length.</returns>
    public int Protect(ReadOnlySpan<byte> message, Span<byte> destination)
    {
        int head = 4 + (message[0] & 0xf);
        message[..head].CopyTo(destination);
        destination[1] = Post;
        Span<byte> iv = stackalloc byte[MaxIvLength];
        iv = iv[..WriteIv(_number++, iv)];
        SetRequest(iv);
        int at = head;
        destination[at++] = (byte)(OscoreOption | (1 + iv.Length + KidLength));
        destination[at++] = (byte)(0b1000 | iv.Length);
        iv.CopyTo(destination[at..]);
        at += iv.Length;
        Kid.CopyTo(destination[at..]);
        at += KidLength;
        destination[at++] = Marker;
        int length = 1 + message.Length - head;
        Span<byte> plaintext = stackalloc byte[length];
        plaintext[0] = message[1];
        message[head..].CopyTo(plaintext[1..]);
        ProcessorAesCcm.Encrypt(
            _sender, _nonce, _additional.AsSpan(0, _additionalLength), plaintext, destination.Slice(at, length),
            destination.Slice(at + length, TagLength));
        return at + length + TagLength;
    }

    /// <summary>Makes the plain response of one to the last request, in its place.</summary>
    /// <param name="message">The message.</param>
    /// <returns>Its length; 0 when it is no such response.</returns>
    public int Open(Span<byte> message)
    {
        int head = 4 + (message[0] & 0xf);
        int begin = head + 2;
        int length = message.Length - begin - TagLength;
        if (length < 1 || message[1] != Changed || message[head] != OscoreOption || message[head + 1] != Marker)
        {
            return 0;
        }

        Span<byte> plaintext = stackalloc byte[length];
        if (!ProcessorAesCcm.TryDecrypt(
            _recipient, _nonce, _additional.AsSpan(0, _additionalLength), message.Slice(begin, length), message[(begin + length)..],
            plaintext))
        {
            return 0;
        }

        message[1] = plaintext[0];
        plaintext[1..].CopyTo(message[head..]);
        return head + length - 1;
    }

    private static byte[] KidOf(int number) => [(byte)(number >> 16), (byte)(number >> 8), (byte)number];

    private static byte[] SecretOf(int number) => [.. "a secret of each"u8[..13], .. KidOf(number)];

    private static int WriteIv(ulong number, Span<byte> iv)
    {
        int length = 1;
        for (ulong rest = number >> 8; rest > 0; rest >>= 8)
        {
            length++;
        }

        for (int i = length - 1; i >= 0; i--)
        {
            iv[i] = (byte)number;
            number >>= 8;
        }

        return length;
    }

    // RFC 8613 sections 5.2 and 5.4. The response has the same of both.
    private void SetRequest(ReadOnlySpan<byte> iv)
    {
        Span<byte> nonce = _nonce;
        nonce.Clear();
        nonce[0] = KidLength;
        Kid.CopyTo(nonce[(NonceLength - MaxIvLength - KidLength)..]);
        iv.CopyTo(nonce[(NonceLength - iv.Length)..]);
        for (int i = 0; i < NonceLength; i++)
        {
            nonce[i] ^= _iv[i];
        }

        Span<byte> data = _additional;
        ReadOnlySpan<byte> begin = [0x83, 0x68, .. "Encrypt0"u8, 0x40, 0, 0x85, 0x01, 0x81, 0x0a, 0x40 | KidLength];
        begin.CopyTo(data);
        int at = begin.Length;
        Kid.CopyTo(data[at..]);
        at += KidLength;
        data[at++] = (byte)(0x40 | iv.Length);
        iv.CopyTo(data[at..]);
        at += iv.Length;
        data[at++] = 0x40;
        data[11] = (byte)(0x40 | (at - 12));
        _additionalLength = at;
    }

    // RFC 8613 section 3.2.1, without Master Salt and ID Context.
    private static void Derive(byte[] secret, ReadOnlySpan<byte> id, ReadOnlySpan<byte> type, Span<byte> output)
    {
        byte[] info = [0x85, (byte)(0x40 | id.Length), .. id, 0xf6, 0x0a, (byte)(0x60 | type.Length), .. type, (byte)output.Length];
        HKDF.DeriveKey(HashAlgorithmName.SHA256, secret, output, [], info);
    }
}
