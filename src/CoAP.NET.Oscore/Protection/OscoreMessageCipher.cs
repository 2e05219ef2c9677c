using System.Buffers;
using System.Runtime.CompilerServices;
using CoAP.NET.Oscore.Contexts;

namespace CoAP.NET.Oscore.Protection;

/// <summary>
/// Protects messages and unprotects them (RFC 8613 sections 4 to 6). Pure functions: callers manage numbers, windows and pending requests.
/// </summary>
internal static class OscoreMessageCipher
{
    private const int HeaderLength = 4;
    private const int MaxStack = 512;
    private const int MaxNonceLength = 13;
    private const int MaxHead = 5;

    // Enc_structure up to external_aad: an array of three, "Encrypt0", and an empty byte string (RFC 8613 section 5.4).
    private static ReadOnlySpan<byte> EncStructure => [0x83, 0x68, 0x45, 0x6e, 0x63, 0x72, 0x79, 0x70, 0x74, 0x30, 0x40];

    /// <summary>Protects a request with a number of its own.</summary>
    /// <param name="context">The keys.</param>
    /// <param name="request">The request; not modified.</param>
    /// <param name="id">The Sender ID and the number, never used before.</param>
    /// <param name="kidContext">Whether the option includes the ID Context.</param>
    /// <param name="isWrapped">
    /// Whether the ID Context is wrapped in a CBOR byte string, as during a rederivation of keys (RFC 8613 appendix B.2).
    /// </param>
    /// <param name="registry">The options that the endpoint knows; null for the registry of the request.</param>
    /// <returns>The message to send, with type, Message ID and token of the request.</returns>
    public static CoapMessage ProtectRequest(
        OscoreContext context, CoapMessage request, OscoreRequestId id, bool kidContext, bool isWrapped = false,
        CoapOptionRegistry? registry = null)
    {
        Span<byte> wrapped = stackalloc byte[isWrapped ? MaxHead + context.Parameters.IdContextBytes.Length : 0];
        wrapped = wrapped[..(isWrapped ? OscoreCborEncoding.WriteBytes(wrapped, context.Parameters.IdContextBytes) : 0)];
        Span<byte> partialIv = stackalloc byte[OscoreOptionValue.MaxPartialIvLength];
        partialIv = partialIv[..OscoreOptionValue.WritePartialIv(id.Number, partialIv)];
        OscoreOptionValue value = new()
        {
            PartialIv = partialIv,
            HasKid = true,
            Kid = id.Kid,
            HasKidContext = kidContext && context.Parameters.HasIdContext,
            KidContext = isWrapped ? wrapped : kidContext ? context.Parameters.IdContextBytes : default,
        };
        return Protect(context, OscoreProxyUri.Split(request), id, in value, partialIv, id.Kid, context.Keys, registry);
    }

    /// <summary>Protects a response, with a number of its own or with the nonce of the request.</summary>
    /// <param name="context">The keys.</param>
    /// <param name="response">The response; not modified.</param>
    /// <param name="id">The request.</param>
    /// <param name="number">
    /// The number, never used before; null for the nonce of the request, which the caller has claimed with
    /// <see cref="OscoreRequestId.TryUseNonce"/>.
    /// </param>
    /// <param name="registry">The options that the endpoint knows; null for the registry of the response.</param>
    /// <returns>The message to send.</returns>
    public static CoapMessage ProtectResponse(
        OscoreContext context, CoapMessage response, OscoreRequestId id, ulong? number, CoapOptionRegistry? registry = null)
    {
        Span<byte> partialIv = stackalloc byte[OscoreOptionValue.MaxPartialIvLength];
        if (number is { } own)
        {
            partialIv = partialIv[..OscoreOptionValue.WritePartialIv(own, partialIv)];
            OscoreOptionValue value = new() { PartialIv = partialIv };
            return Protect(context, response, id, in value, partialIv, context.Parameters.SenderId.Span, context.Keys, registry);
        }

        partialIv = partialIv[..OscoreOptionValue.WritePartialIv(id.Number, partialIv)];
        OscoreOptionValue nothing = default;
        return Protect(context, response, id, in nothing, partialIv, id.Kid, context.Keys, registry);
    }

    /// <summary>
    /// Protects the first response of a run that derives new keys: with the keys from both ends' parts of the ID Context, and the nonce of
    /// the request byte by byte (RFC 8613 appendix B.2).
    /// </summary>
    /// <param name="both">The keys.</param>
    /// <param name="first">The context of the request.</param>
    /// <param name="response">The response; not modified.</param>
    /// <param name="id">The request.</param>
    /// <param name="ours">Our part of the ID Context.</param>
    /// <returns>The message to send.</returns>
    public static CoapMessage ProtectRederivation(
        OscoreContext both, OscoreContext first, CoapMessage response, OscoreRequestId id, ReadOnlySpan<byte> ours)
    {
        Span<byte> wrapped = stackalloc byte[MaxHead + ours.Length];
        wrapped = wrapped[..OscoreCborEncoding.WriteBytes(wrapped, ours)];
        Span<byte> partialIv = stackalloc byte[OscoreOptionValue.MaxPartialIvLength];
        partialIv = partialIv[..OscoreOptionValue.WritePartialIv(id.Number, partialIv)];
        OscoreOptionValue value = new() { HasKidContext = true, KidContext = wrapped };
        return Protect(both, response, id, in value, partialIv, id.Kid, first.Keys);
    }

    /// <summary>Verifies and decrypts the output of <see cref="ProtectRederivation"/>.</summary>
    /// <param name="both">The keys.</param>
    /// <param name="first">The context of the request.</param>
    /// <param name="message">The protected response; not modified.</param>
    /// <param name="id">The request.</param>
    /// <param name="response">The response.</param>
    /// <returns>The fault; <see cref="OscoreFault.None"/> if there is none.</returns>
    public static OscoreFault UnprotectRederivation(
        OscoreContext both, OscoreContext first, CoapMessage message, OscoreRequestId id, out CoapMessage? response)
    {
        Span<byte> requestIv = stackalloc byte[OscoreOptionValue.MaxPartialIvLength];
        requestIv = requestIv[..OscoreOptionValue.WritePartialIv(id.Number, requestIv)];
        return Unprotect(both, message, id.Kid, requestIv, requestIv, id.Kid, first.Keys, out response);
    }

    /// <summary>Verifies and decrypts a request.</summary>
    /// <param name="context">The keys.</param>
    /// <param name="message">The protected request; not modified.</param>
    /// <param name="value">Its option.</param>
    /// <param name="request">The request, with type, Message ID and token of the message.</param>
    /// <returns>The fault; <see cref="OscoreFault.None"/> if there is none.</returns>
    public static OscoreFault UnprotectRequest(
        OscoreContext context, CoapMessage message, scoped in OscoreOptionValue value, out CoapMessage? request) =>
        Unprotect(context, message, value.Kid, value.PartialIv, value.PartialIv, value.Kid, context.Keys, out request);

    /// <summary>Verifies and decrypts a response.</summary>
    /// <param name="context">The keys.</param>
    /// <param name="message">The protected response; not modified.</param>
    /// <param name="value">Its option.</param>
    /// <param name="id">The request.</param>
    /// <param name="response">The response.</param>
    /// <returns>The fault; <see cref="OscoreFault.None"/> if there is none.</returns>
    public static OscoreFault UnprotectResponse(
        OscoreContext context, CoapMessage message, scoped in OscoreOptionValue value, OscoreRequestId id, out CoapMessage? response)
    {
        Span<byte> requestIv = stackalloc byte[OscoreOptionValue.MaxPartialIvLength];
        requestIv = requestIv[..OscoreOptionValue.WritePartialIv(id.Number, requestIv)];
        return value.HasPartialIv
            ? Unprotect(
                context, message, id.Kid, requestIv, value.PartialIv, context.Parameters.RecipientId.Span, context.Keys, out response)
            : Unprotect(context, message, id.Kid, requestIv, requestIv, id.Kid, context.Keys, out response);
    }

    private static CoapMessage Protect(
        OscoreContext context, CoapMessage message, OscoreRequestId id, scoped in OscoreOptionValue value, ReadOnlySpan<byte> nonceIv,
        ReadOnlySpan<byte> nonceId, OscoreKeys nonceKeys, CoapOptionRegistry? registry = null)
    {
        bool isRequest = message.Code.IsRequest;
        CoapOptionCollection options = message.Options;
        bool observes = options.Contains(OptionNumber.Observe);
        CoapMessage outer = new(
            isRequest ? (observes ? CoapCode.Fetch : CoapCode.Post) : observes ? CoapCode.Content : CoapCode.Changed,
            registry ?? options.Registry)
        {
            Type = message.Type,
            MessageId = message.MessageId,
            Token = message.Token,
        };
        if (value.Length is var length and > 0)
        {
            Span<byte> bytes = stackalloc byte[length];
            value.Write(bytes);
            outer.Options.Add(OptionNumber.Oscore, bytes);
        }
        else
        {
            outer.Options.Add(OptionNumber.Oscore, default);
        }

        CoapMessage inner = Split(message, outer, observes);
        byte[] ciphertext = Encrypt(context, inner, outer, id, nonceIv, nonceId, nonceKeys);
        outer.Payload = ciphertext;
        return outer;
    }

    // Returns the inner message; moves the parts for proxies to the outer one (RFC 8613 section 4.1).
    private static CoapMessage Split(CoapMessage message, CoapMessage outer, bool observes)
    {
        CoapOptionCollection options = message.Options;
        CoapMessage inner = message;
        for (int i = 0; i < options.Count; i++)
        {
            int number = options.NumberAt(i);
            bool isInner = ProtectionOf(outer.Options.Registry, number) == OptionProtection.Encrypted;
            if (!isInner || (number == OptionNumber.Observe && message.Code.IsResponse))
            {
                if (ReferenceEquals(inner, message))
                {
                    inner = new CoapMessage(message.Code, options.Registry) { Payload = message.Payload };
                    for (int before = 0; before < i; before++)
                    {
                        inner.Options.Add(options.NumberAt(before), options.ValueAt(before));
                    }
                }

                if (isInner)
                {
                    // The inner Observe of a notification is empty: its Partial IV determines which is newer (RFC 8613 section 4.1.3.5.2).
                    inner.Options.Add(number, default);
                }
                else
                {
                    outer.Options.Add(number, options.ValueAt(i));
                }
            }
            else if (!ReferenceEquals(inner, message))
            {
                inner.Options.Add(number, options.ValueAt(i));
            }
        }

        if (observes && options.TryGetValue(OptionNumber.Observe, out ReadOnlySpan<byte> observe))
        {
            outer.Options.Add(OptionNumber.Observe, observe);
        }

        return inner;
    }

    private static byte[] Encrypt(
        OscoreContext context, CoapMessage inner, CoapMessage outer, OscoreRequestId id, ReadOnlySpan<byte> nonceIv,
        ReadOnlySpan<byte> nonceId, OscoreKeys nonceKeys)
    {
        // The plaintext is the message in the format of datagrams from its code on, without Message ID and token.
        int size = (int)CoapDatagramSerializer.Default.GetSize(inner);
        byte[]? rented = size > MaxStack ? ArrayPool<byte>.Shared.Rent(size) : null;
        Span<byte> bytes = rented is null ? stackalloc byte[MaxStack] : rented;
        bytes = bytes[..size];
        try
        {
            if (!CoapDatagramSerializer.Default.TrySerialize(bytes, inner, out _))
            {
                throw new InvalidOperationException("The serializer of datagrams wrote more bytes than it had said.");
            }

            int begin = BodyOffset(bytes, inner.Token.Length) - 1;
            bytes[begin] = inner.Code.Value;
            ReadOnlySpan<byte> plaintext = bytes[begin..];
            byte[] ciphertext = GC.AllocateUninitializedArray<byte>(plaintext.Length + context.Keys.TagLength);
            Span<byte> nonce = stackalloc byte[MaxNonceLength];
            nonce = nonce[..context.Parameters.Algorithm.NonceLength];
            nonceKeys.WriteNonce(nonceId, nonceIv, nonce);
            Span<byte> requestIv = stackalloc byte[OscoreOptionValue.MaxPartialIvLength];
            requestIv = requestIv[..OscoreOptionValue.WritePartialIv(id.Number, requestIv)];
            byte[] integrity = IntegrityProtected(outer);
            Span<byte> data = stackalloc byte[MaxAdditionalData(integrity)];
            data = data[..WriteAdditionalData(context, id.Kid, requestIv, integrity, data)];
            context.Keys.Encrypt(nonce, plaintext, ciphertext, data);
            return ciphertext;
        }
        finally
        {
            bytes.Clear();
            if (rented is not null)
            {
                ArrayPool<byte>.Shared.Return(rented);
            }
        }
    }

    private static OscoreFault Unprotect(
        OscoreContext context, CoapMessage message, ReadOnlySpan<byte> requestKid, ReadOnlySpan<byte> requestIv,
        ReadOnlySpan<byte> nonceIv, ReadOnlySpan<byte> nonceId, OscoreKeys nonceKeys, out CoapMessage? inner)
    {
        inner = null;
        ReadOnlySpan<byte> ciphertext = message.Payload.Span;
        int length = ciphertext.Length - context.Keys.TagLength;
        if (length < 1)
        {
            return OscoreFault.Decryption;
        }

        Span<byte> nonce = stackalloc byte[MaxNonceLength];
        nonce = nonce[..context.Parameters.Algorithm.NonceLength];
        nonceKeys.WriteNonce(nonceId, nonceIv, nonce);
        byte[] integrity = IntegrityProtected(message);
        Span<byte> data = stackalloc byte[MaxAdditionalData(integrity)];
        data = data[..WriteAdditionalData(context, requestKid, requestIv, integrity, data)];

        // The header of a datagram without token. The code of the plaintext occupies its last byte until it moves to its place.
        byte[] bytes = GC.AllocateUninitializedArray<byte>(HeaderLength - 1 + length);
        if (!context.Keys.TryDecrypt(nonce, ciphertext, bytes.AsSpan(HeaderLength - 1), data))
        {
            return OscoreFault.Decryption;
        }

        bytes[0] = 0x40;
        bytes[1] = bytes[HeaderLength - 1];
        bytes[2] = 0;
        bytes[3] = 0;
        if (!InnerSerializers.Of(message.Options.Registry).TryDeserialize(bytes.AsMemory(), out inner, out _)
            || inner.Code.IsRequest != message.Code.IsRequest
            || inner.Code.IsEmpty
            || inner.Options.Contains(OptionNumber.Oscore))
        {
            inner = null;
            return OscoreFault.Malformed;
        }

        inner.Type = message.Type;
        inner.MessageId = message.MessageId;
        inner.Token = message.Token;
        Join(message, inner);
        return OscoreFault.None;
    }

    // Outer options for proxies belong to the message; discards all others outside the ciphertext, which any hop could have added (RFC 8613
    // section 8.2, step 6).
    private static void Join(CoapMessage outer, CoapMessage inner)
    {
        CoapOptionCollection options = outer.Options;
        int joined = -1;
        for (int i = 0; i < options.Count; i++)
        {
            // An option that the peer encrypted nevertheless is valid.
            int number = options.NumberAt(i);
            if (number is not (OptionNumber.Oscore or OptionNumber.Edhoc)
                && ProtectionOf(options.Registry, number) != OptionProtection.Encrypted
                && (number == joined || !inner.Options.Contains(number)))
            {
                inner.Options.Add(number, options.ValueAt(i));
                joined = number;
            }
        }
    }

    private static OptionProtection ProtectionOf(CoapOptionRegistry registry, int number) =>
        registry.Find(CoapCode.Get, number)?.Definition.Protection ?? OptionProtection.Encrypted;

    // The authenticated form of Class I options is their encoding, with deltas among themselves (RFC 8613 section 5.4).
    private static byte[] IntegrityProtected(CoapMessage outer)
    {
        CoapOptionCollection options = outer.Options;
        CoapMessage? authenticated = null;
        for (int i = 0; i < options.Count; i++)
        {
            int number = options.NumberAt(i);
            if (ProtectionOf(options.Registry, number) == OptionProtection.Integrity)
            {
                authenticated ??= new CoapMessage(CoapCode.Get, options.Registry);
                authenticated.Options.Add(number, options.ValueAt(i));
            }
        }

        return authenticated is null ? [] : CoapDatagramSerializer.Default.Serialize(authenticated)[HeaderLength..];
    }

    private static int MaxAdditionalData(byte[] integrity) => 64 + integrity.Length;

    // aad_array = [ oscore_version : 1, [ alg_aead ], request_kid, request_piv, options ]
    private static int WriteAdditionalData(
        OscoreContext context, ReadOnlySpan<byte> requestKid, ReadOnlySpan<byte> requestIv, byte[] integrity, Span<byte> data)
    {
        Span<byte> array = stackalloc byte[MaxAdditionalData(integrity)];
        int length = 0;
        array[length++] = 0x85;
        array[length++] = 0x01;
        array[length++] = 0x81;
        length += OscoreCborEncoding.WriteInteger(array[length..], context.Parameters.Algorithm.CoseNumber);
        length += OscoreCborEncoding.WriteBytes(array[length..], requestKid);
        length += OscoreCborEncoding.WriteBytes(array[length..], requestIv);
        length += OscoreCborEncoding.WriteBytes(array[length..], integrity);

        EncStructure.CopyTo(data);
        return EncStructure.Length + OscoreCborEncoding.WriteBytes(data[EncStructure.Length..], array[..length]);
    }

    private static int BodyOffset(ReadOnlySpan<byte> datagram, int tokenLength) =>
        HeaderLength + tokenLength + (datagram[0] & 0x0f) switch { 13 => 1, 14 => 2, _ => 0 };
}

/// <summary>
/// Serializers of inner messages with the option registry of the outer ones: one per registry, for all contexts of the process.
/// </summary>
internal static class InnerSerializers
{
    private static readonly CoapDatagramSerializer s_default = Make(CoapOptionRegistry.Default);
    private static readonly ConditionalWeakTable<CoapOptionRegistry, CoapDatagramSerializer> s_others = [];

    public static CoapDatagramSerializer Of(CoapOptionRegistry registry) =>
        ReferenceEquals(registry, CoapOptionRegistry.Default) ? s_default : s_others.GetValue(registry, Make);

    // The outer message has passed the limits of its transport.
    private static CoapDatagramSerializer Make(CoapOptionRegistry registry) =>
        new(new CoapSerializerOptions { Registry = registry, MaxMessageSize = int.MaxValue });
}
